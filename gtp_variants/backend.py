"""Which form of what is there twice runs: that of the native kernel, or plain Python."""

import os
from functools import cache
from importlib import import_module
from types import ModuleType

from gtp_variants.errors import ConfigError

_CHOICE = "GTP_VARIANTS_FORM"


def wanted() -> str:
    """What was chosen: "native", "python", or "" for native where it is there. Raises ConfigError for anything else."""
    choice = os.environ.get(_CHOICE, "")
    if choice not in ("", "native", "python"):
        raise ConfigError([f"{_CHOICE}={choice[:40]}: expected native or python"])
    return choice


@cache
def compiled(module: str) -> ModuleType | None:
    """A compiled module; None where plain Python was chosen, or the module was not built.

    Raises ConfigError if it is not there though it was chosen, or for an unknown choice.
    """
    choice = wanted()
    if choice == "python":
        return None
    try:
        return import_module(module)
    except ImportError as error:
        if choice == "native":
            raise ConfigError([f"{_CHOICE}=native: the kernel was not built here ({error})"]) from None
        return None
