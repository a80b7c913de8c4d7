"""How the package is built: by scikit-build-core, whose wheels get man pages and completions for shells beside it.

They are made from the parsers of the commands, so that nothing has to be kept up to date. As data of the wheel they lie
beneath the environment it is installed in, where `man` and a packager's tools look: share/man, share/bash-completion,
share/zsh and share/fish.
"""

import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from scikit_build_core import build as core
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

_SOURCES = Path(__file__).resolve().parent.parent
# An earlier editable install in this environment would look for modules where they were then.
_WRITE_SHARED_FILES = """
import runpy, sys
sys.meta_path[:] = [finder for finder in sys.meta_path if not type(finder).__module__.startswith("_editable_")]
runpy.run_path(SCRIPT, run_name="__main__")
"""


def build_wheel(
    wheel_directory: str, config_settings: dict[str, object] | None = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel and put the files for shells and `man` into it; its name."""
    return _add_shared_files(wheel_directory, core.build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(
    wheel_directory: str, config_settings: dict[str, object] | None = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel that installs a checkout to work in, with the same files; its name."""
    return _add_shared_files(wheel_directory, core.build_editable(wheel_directory, config_settings, metadata_directory))


def _add_shared_files(folder: str, name: str) -> str:
    add_data(Path(folder) / name, write_shared_files())
    return name


def write_shared_files() -> dict[str, bytes]:
    """Path beneath the environment, such as share/man/man1/gtp-variants.1 -> what stands in the file."""
    # The plain form needs no kernel, which nobody has installed yet.
    environment = os.environ | {"GTP_VARIANTS_FORM": "python"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_SOURCES), os.environ.get("PYTHONPATH"))))
    with tempfile.TemporaryDirectory() as folder:
        script = f"SCRIPT = {str(_SOURCES / 'distribution' / 'shared_files.py')!r}{_WRITE_SHARED_FILES}"
        command = [sys.executable, "-c", script, folder]
        subprocess.run(command, env=environment, check=True)
        files = sorted(file for file in Path(folder).rglob("*") if file.is_file())
        return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def add_data(wheel: Path, files: Mapping[str, bytes]) -> None:
    """Add files to a wheel, beneath the environment it will be installed in, and to its list of files."""
    prefix = "-".join(wheel.name.split("-")[:2])
    record = f"{prefix}.dist-info/RECORD"
    fresh = wheel.with_suffix(".new")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as new:
        listed = old.read(record)
        when = old.getinfo(record).date_time
        for info in old.infolist():
            if info.filename != record:
                new.writestr(info, old.read(info))
        for path, content in files.items():
            name = f"{prefix}.data/data/{path}"
            new.writestr(_describe(name, when), content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            listed += f"{name},sha256={digest},{len(content)}\n".encode()
        new.writestr(_describe(record, when), listed)
    fresh.replace(wheel)


def _describe(name: str, when: tuple[int, int, int, int, int, int]) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, when)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16
    return info
