"""Hints for installing an extra, matching the installer and the package's origin."""

import json
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, PathDistribution
from pathlib import Path

import pytest

from gtp_variants.base import installation
from gtp_variants.base.installation import editable_command, find_hidden_kernel, install_command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="quotes are those of a POSIX shell")


class Installed:
    """A distribution that says where it came from."""

    def __init__(self, origin: object) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an environment `.venv` in it, which runs us and is not active."""
    folder = tmp_path / "my clone"
    (folder / ".venv" / "bin").mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(folder / ".venv"))
    monkeypatch.setattr(sys, "executable", str(folder / ".venv" / "bin" / "python"))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setattr(installation, "find_spec", lambda name: object())
    monkeypatch.chdir(folder)
    return folder


def come_from(origin: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "distribution", lambda name: Installed(origin))


def test_from_a_clone_it_is_the_clone(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    come_from({"url": clone.as_uri(), "dir_info": {}}, monkeypatch)
    assert install_command("web") == ".venv/bin/python -m pip install '.[web]'"
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    assert install_command("web") == "pip install '.[web]'"
    monkeypatch.chdir(clone.parent)
    assert install_command("web") == f"pip install '{clone}[web]'"


def test_an_editable_install_stays_one(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    come_from({"url": clone.as_uri(), "dir_info": {"editable": True}}, monkeypatch)
    assert install_command("kgs") == ".venv/bin/python -m pip install -e '.[kgs]'"


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (None, "'gtp-variants[web]'"),
        ({"url": "file:///tmp/g-1-py3-none-any.whl", "archive_info": {}}, "'/tmp/g-1-py3-none-any.whl[web]'"),
        ({"url": "https://example.org/x.whl", "archive_info": {}}, "'gtp-variants[web] @ https://example.org/x.whl'"),
        ({"url": "https://a.org/x.git", "vcs_info": {"vcs": "git"}}, "'gtp-variants[web] @ git+https://a.org/x.git'"),
        ([], "'gtp-variants[web]'"),
    ],
)
def test_other_origins(origin: object, requirement: str, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    come_from(origin, monkeypatch)
    assert install_command("web") == f".venv/bin/python -m pip install {requirement}"


@pytest.mark.parametrize(
    ("file", "installer"),
    [("pipx_metadata.json", "pipx install --force"), ("uv-receipt.toml", "uv tool install --force")],
)
def test_installers_of_programs(file: str, installer: str, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    come_from(None, monkeypatch)
    (Path(sys.prefix) / file).touch()
    assert install_command("web") == f"{installer} 'gtp-variants[web]'"


def test_an_environment_without_pip_has_uv(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    come_from(None, monkeypatch)
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    assert install_command("web") == "uv pip install --python .venv/bin/python 'gtp-variants[web]'"


def test_a_clone_that_is_only_on_the_path(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_none(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", find_none)
    root = Path(installation.__file__).resolve().parents[2]
    assert install_command("web") == f".venv/bin/python -m pip install -e '{root}[web]'" or " " not in str(root)
    assert f"{root}[web]" in install_command("web")


# -- a clone that hides the kernel ------------------------------------------------------------------------------------


def install_kernel(place: Path, name: str) -> Path:
    """A distribution in a folder that has listed a kernel among its files; where the kernel lies."""
    kernel = place / "gtp_variants" / "ai" / "kernel" / name
    kernel.parent.mkdir(parents=True)
    kernel.touch()
    about = place / "gtp_variants-1.dist-info"
    about.mkdir()
    listed = f"gtp_variants/__init__.py,,\n{kernel.relative_to(place).as_posix()},,\n"
    (about / "RECORD").write_text(listed, encoding="utf-8")
    return kernel


@pytest.mark.parametrize(("is_built", "is_found"), [(False, True), (True, False)])
def test_the_kernel_that_a_clone_hides(
    is_built: bool, is_found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = install_kernel(tmp_path, f"_kernel{EXTENSION_SUFFIXES[0]}")
    installed = PathDistribution(tmp_path / "gtp_variants-1.dist-info")
    monkeypatch.setattr(installation, "distribution", lambda name: installed)
    monkeypatch.setattr(installation, "find_spec", lambda name: object() if is_built else None)
    assert find_hidden_kernel() == (kernel if is_found else None)
    kernel.unlink()
    assert find_hidden_kernel() is None


def test_a_package_that_was_installed_without_a_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_kernel(tmp_path, "__init__.py")
    installed = PathDistribution(tmp_path / "gtp_variants-1.dist-info")
    monkeypatch.setattr(installation, "distribution", lambda name: installed)
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    assert find_hidden_kernel() is None


def test_the_install_command_of_a_clone_is_shown(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "clone_folder", lambda: clone)
    assert editable_command() == ".venv/bin/python -m pip install -e ."
    monkeypatch.chdir(clone.parent)
    assert editable_command().endswith(f" -e '{clone}'")
