"""How this program was installed, the command to install an extra the same way, and kernels hidden by a clone."""

import json
import os
import shlex
import sys
from collections.abc import Collection, Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

_NAME = "gtp-variants"
_KERNEL = "gtp_variants.ai.kernel._kernel"


def install_command(extra: str) -> str:
    """Return the command to install an extra with pip, pipx or uv, from the original clone, wheel or index."""
    return f"{_installer()} {_requirement(extra, _origin(), Path.cwd())}"


def find_hidden_kernel() -> Path | None:
    """Return the compiled kernel of the installed package if a clone without a kernel is imported instead.

    This happens in a clone's own folder, which Python searches first, unless the clone was installed editably.
    """
    if find_spec(_KERNEL) is not None:
        return None
    return find_installed({_KERNEL.replace(".", "/") + suffix for suffix in EXTENSION_SUFFIXES})


def find_installed(names: Collection[str]) -> Path | None:
    """Return the first installed file with one of these names, such as "gtp_variants/errors.py", or None.

    An editable installation keeps the compiled files of a clone apart from it.
    """
    try:
        files = distribution(_NAME).files or ()
    except PackageNotFoundError:
        return None
    found = (Path(str(file.locate())) for file in files if file.as_posix() in names)
    return next(filter(Path.exists, found), None)


def clone_folder() -> Path:
    """Return the folder that this package is imported from; in a clone, the clone's root."""
    return Path(__file__).resolve().parents[2]


def editable_command() -> str:
    """Return the command that installs the imported clone editably, with its kernel."""
    clone = clone_folder()
    return f"{_installer()} -e {_quote('.' if clone == Path.cwd() else str(clone))}"


def _origin() -> Mapping[str, object]:
    """Return the origin of the installed package as PEP 610 records it; {} if it came from an index."""
    try:
        text = distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        # The package is not installed, so it was imported from a clone on the path.
        return {"url": clone_folder().as_uri(), "dir_info": {"editable": True}}
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}


def _requirement(extra: str, origin: Mapping[str, object], here: Path) -> str:
    """Return the requirement to install, quoted for a shell."""
    url = str(origin.get("url", ""))
    if not url:
        return _quote(f"{_NAME}[{extra}]")
    if not url.startswith("file:"):
        vcs = origin.get("vcs_info")
        kind = f"{vcs['vcs']}+" if isinstance(vcs, dict) and "vcs" in vcs else ""
        return _quote(f"{_NAME}[{extra}] @ {kind}{url}")
    path = Path(url2pathname(unquote(urlsplit(url).path)) if os.name == "nt" else unquote(urlsplit(url).path))
    about = origin.get("dir_info")
    option = "-e " if isinstance(about, dict) and about.get("editable") else ""
    return option + _quote(f"{'.' if path == here else path}[{extra}]")


def _installer() -> str:
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").exists():
        return "pipx install --force"
    if (prefix / "uv-receipt.toml").exists():
        return "uv tool install --force"
    if find_spec("pip") is None:
        return f"uv pip install --python {_quote(_python())}"
    is_active = os.environ.get("VIRTUAL_ENV") == sys.prefix
    return "pip install" if is_active else f"{_quote(_python())} -m pip install"


def _python() -> str:
    """Return the path of the interpreter, relative to the current folder if the interpreter is inside it."""
    program, here = Path(sys.executable), Path.cwd()
    return str(program.relative_to(here)) if program.is_relative_to(here) else str(program)


def _quote(word: str) -> str:
    return (f'"{word}"' if " " in word else word) if os.name == "nt" else shlex.quote(word)
