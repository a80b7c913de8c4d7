"""The top-level folders of the checkout from which the package runs, if any."""

from pathlib import Path


def folder(name: str) -> Path | None:
    """Return a top-level folder of the checkout that holds this package; None without such a folder or a checkout.

    A checkout is recognised by the name in its pyproject.toml, so that a folder `bots` beside an installed package, for
    example in site-packages, is not mistaken for a folder of a checkout.
    """
    root = Path(__file__).resolve().parents[2]
    try:
        project = (root / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return None
    if 'name = "gtp-variants"' not in project.splitlines():
        return None
    found = root / name
    return found if found.is_dir() else None
