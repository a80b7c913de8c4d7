"""Our configs, one YAML file per task, found by name in a wheel, an editable install and a checkout.

The files live in the checkout's top-level `configs/`; a wheel carries them in this folder, beside this file.
"""

from pathlib import Path

from gtp_variants.base.checkout import folder


def names() -> list[str]:
    """Names of the configs, sorted: the file names without `.yaml`."""
    return sorted(_files())


def path(name: str) -> Path:
    """File of the config called `aleago-first`, `aleago-first.yaml` or `configs/aleago-first.yaml`.

    Raises FileNotFoundError, which lists the known names.
    """
    files = _files()
    bare = name.removeprefix("configs/").removesuffix(".yaml")
    if bare not in files:
        known = ", ".join(sorted(files)) or "none"
        raise FileNotFoundError(f"no config {name!r}; the known ones are: {known}")
    return files[bare]


def template_bot() -> Path:
    """File of the bot to begin with: plain Python that speaks GTP and imports nothing of ours."""
    return _folder() / "template_bot.py"


def _files() -> dict[str, Path]:
    return {file.stem: file for file in _folder().glob("*.yaml")}


def bridge(name: str) -> Path:
    """File of our bridge called `cgos` or `bridge/cgos.yaml`. Raises FileNotFoundError, which lists the known names."""
    files = _bridges()
    bare = name.removeprefix("configs/").removeprefix("bridge/").removesuffix(".yaml")
    if bare not in files:
        raise FileNotFoundError(f"no bridge {name!r}; the known ones are: {', '.join(bridges()) or 'none'}")
    return files[bare]


def bridges() -> list[str]:
    """Names of our bridges, sorted."""
    return sorted(_bridges())


def _bridges() -> dict[str, Path]:
    return {file.stem: file for file in (_folder() / "bridge").glob("*.yaml")}


def openings(name: str) -> Path:
    """File of our openings called `alter-igo-9x9` or `openings/alter-igo-9x9.txt`.

    Raises FileNotFoundError, which lists the known names.
    """
    files = {file.stem: file for file in (_folder() / "openings").glob("*.txt")}
    bare = name.removeprefix("openings/").removesuffix(".txt")
    if bare not in files:
        raise FileNotFoundError(f"no such file, and ours are: {', '.join(sorted(files)) or 'none'}")
    return files[bare]


def _folder() -> Path:
    return folder("configs") or Path(__file__).resolve().parent
