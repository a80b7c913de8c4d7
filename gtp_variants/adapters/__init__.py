"""The games in other frameworks. Each adapter needs the optional extra with the same name."""

from gtp_variants.base.installation import install_command


def missing(error: ModuleNotFoundError, extra: str) -> ImportError:
    """Return the error for a package that an adapter needs and that is not installed."""
    return ImportError(f"gtp_variants.adapters.{extra} needs {error.name}; {install_command(extra)}")
