"""Where the checkout's top-level folders are, when the package runs from a checkout."""

from pathlib import Path


def folder(name: str) -> Path | None:
    """Top-level folder NAME of the checkout this package lies in; None in a wheel.

    Only our own checkout counts, known by the name in its pyproject.toml: a `bots` that someone else
    put beside the package (in site-packages, say) is never ours.
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
