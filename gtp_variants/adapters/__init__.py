"""Our games in other people's frameworks. Each adapter needs the optional extra of its name."""

from gtp_variants.base.installation import install_command


def missing(error: ModuleNotFoundError, extra: str) -> ImportError:
    """What to tell somebody who lacks a package that an adapter needs."""
    return ImportError(f"gtp_variants.adapters.{extra} needs {error.name}; {install_command(extra)}")
