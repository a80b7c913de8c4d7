"""Other people's programs at their newest versions, fetched from npm and PyPI while the tests run.

Nothing of theirs is kept. Without a registry, a test that needs one is skipped and says why.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

_LONGEST_S = 120


def install_from_npm(folder: Path, *packages: str) -> Path:
    """Install packages and return the folder that node searches for modules. Skips the test if that is impossible."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("needs node and npm: apt-get install nodejs npm")
    quiet = ("--no-fund", "--no-audit", "--no-package-lock", "--loglevel=error", "--fetch-retries=1")
    _install([npm, "install", *quiet, "--prefix", str(folder), *packages])
    return folder / "node_modules"


def install_from_pypi(folder: Path, *packages: str) -> Path:
    """Install packages without what they depend on; return the folder to import from. Skips if that is impossible."""
    quiet = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--retries=1")
    _install([sys.executable, "-m", "pip", "install", *quiet, "--target", str(folder), *packages])
    return folder


def _install(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{command[-1]}: the registry did not answer in {_LONGEST_S} s")
    if done.returncode:
        pytest.skip(f"{command[-1]} cannot be installed: {' '.join(done.stderr.split())[-200:]}")
