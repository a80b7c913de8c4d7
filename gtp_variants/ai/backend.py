"""Choosing between the compiled kernel and plain Python, and importing compiled modules."""

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from gtp_variants._version import __version__
from gtp_variants.errors import ConfigError
from gtp_variants.lang import say
from gtp_variants.rules.rules import Rules

_VARIABLE = "GTP_VARIANTS_FORM"
_KERNEL = "gtp_variants.ai.kernel._kernel"
_LIMITATION = "plain search, without the replies, shapes, priors and proofs of the kernel"


def backend_choice() -> str:
    """Return GTP_VARIANTS_FORM: "native", "python" or "" for native if built. Raises ConfigError for another value."""
    choice = os.environ.get(_VARIABLE, "")
    if choice not in ("", "native", "python"):
        raise ConfigError([f"{_VARIABLE}={choice[:40]}: expected native or python"])
    return choice


@cache
def load_native(module: str) -> ModuleType | None:
    """Return a compiled module; None if plain Python was chosen or the module was not built.

    Raises ConfigError if "native" was chosen but this module cannot be imported, and for an unknown choice.
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


def search_backend(rules: Rules | None = None) -> str:
    """Return "native" if the kernel runs and knows any given rules, else "python". Raises what `load_native` raises."""
    if rules is not None and not rules.profile.kernel_game:
        return "python"
    return "native" if load_native(_KERNEL) else "python"


def announcement(threads: int = 1, lang: str = "en") -> str:
    """Return a line that tells users which search runs here. Loads the kernel only if GTP_VARIANTS_FORM is set."""
    is_native = search_backend() == "native" if backend_choice() else find_spec(_KERNEL) is not None
    count = threads if is_native else 1
    threads_in_words = say(f"match.thread{'' if count == 1 else 's'}", lang, count=count)
    searches = say(f"match.search_{'native' if is_native else 'python'}", lang, threads=threads_in_words)
    return f"gtp-variants {__version__}: {searches}"


def describe_missing_kernel(rules: Rules) -> str:
    """Return a clause that says why the kernel does not run a game here, or "" if the kernel runs the game."""
    if search_backend(rules) == "native":
        return ""
    if backend_choice() == "python":
        return f"{_VARIABLE}=python chose plain Python"
    if search_backend() == "native":
        return f"it does not know the rules of {rules.name}"
    return "it was not built, `gtp-variants doctor` says why"


def limitation(rules: Rules) -> str:
    """Return a phrase that says what searches lack here without the kernel, or "" if the kernel runs the game."""
    return "" if search_backend(rules) == "native" else _LIMITATION
