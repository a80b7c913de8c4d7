"""Whether the compiled modules run or their plain-Python twins: the choice of the user, and the import."""

import os
from functools import cache
from importlib import import_module
from types import ModuleType

from gtp_variants.errors import ConfigError

_VARIABLE = "GTP_VARIANTS_FORM"


def backend_choice() -> str:
    """What the user wants: "native", "python", or "" for native where it was built.

    Raises ConfigError if the environment variable GTP_VARIANTS_FORM says anything else.
    """
    choice = os.environ.get(_VARIABLE, "")
    if choice not in ("", "native", "python"):
        raise ConfigError([f"{_VARIABLE}={choice[:40]}: expected native or python"])
    return choice


@cache
def load_native(module: str) -> ModuleType | None:
    """A compiled module; None where plain Python was chosen, or the module was not built.

    Raises ConfigError if it is not there though it was chosen, or for an unknown choice.
    """
    choice = backend_choice()
    if choice == "python":
        return None
    try:
        return import_module(module)
    except ImportError as error:
        if choice == "native":
            raise ConfigError([f"{_VARIABLE}=native: the kernel was not built here ({error})"]) from None
        return None
