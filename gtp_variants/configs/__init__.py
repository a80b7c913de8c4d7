"""The configuration files of this package, found by name in a wheel, an editable install and a checkout.

In a checkout they are in the top-level folder `configs/`, in a wheel beside this file. Functions that find a file raise
a FileNotFoundError that lists the known names if there is no such file.
"""

from pathlib import Path

from gtp_variants.base.checkout import folder


def names() -> list[str]:
    """Return the names of the configs, sorted: the file names without `.yaml`."""
    return sorted(_files("*.yaml"))


def path(name: str) -> Path:
    """Return the path of a config called `aleago-first`, `aleago-first.yaml` or `configs/aleago-first.yaml`."""
    return _find("config", name, name.removeprefix("configs/"), _files("*.yaml"))


def template_bot() -> Path:
    """Return the path of a starter bot: plain Python that speaks GTP and imports nothing from this package."""
    return _folder() / "template_bot.py"


def bridges() -> list[str]:
    """Return the names of the bridge configs, sorted."""
    return sorted(_files("bridge/*.yaml"))


def bridge(name: str) -> Path:
    """Return the path of a bridge config called `cgos` or `bridge/cgos.yaml`."""
    return _find("bridge", name, name.removeprefix("configs/").removeprefix("bridge/"), _files("bridge/*.yaml"))


def openings(name: str) -> Path:
    """Return the path of an opening file called `alter-igo-9x9` or `openings/alter-igo-9x9.txt`."""
    return _find("openings", name, name.removeprefix("openings/"), _files("openings/*.txt"))


def _find(kind: str, name: str, file_name: str, files: dict[str, Path]) -> Path:
    stem = file_name.removesuffix(".yaml").removesuffix(".txt")
    if stem not in files:
        raise FileNotFoundError(f"no {kind} {name!r}; known: {', '.join(sorted(files)) or 'none'}")
    return files[stem]


def _files(pattern: str) -> dict[str, Path]:
    return {file.stem: file for file in _folder().glob(pattern)}


def _folder() -> Path:
    return folder("configs") or Path(__file__).resolve().parent
