"""The instructions of the processor that networks are evaluated with."""

import os

from gtp_variants.backend import load_native
from gtp_variants.errors import ConfigError

_VARIABLE = "GTP_VARIANTS_INSTRUCTIONS"


def check_instructions() -> None:
    """Raise ConfigError for a GTP_VARIANTS_INSTRUCTIONS that cannot be; without one the kernel is not loaded."""
    if os.environ.get(_VARIABLE):
        instruction_set()


def instruction_set() -> str:
    """The instructions that networks are evaluated with here: "avx512-vnni", "avx-vnni", "avx2", "neon", "plain" or "".

    "" is none: the kernel was not built. They are the fastest that this processor has, or those that the environment
    variable GTP_VARIANTS_INSTRUCTIONS names. Raises ConfigError if it has not got those.
    """
    kernel = load_native("gtp_variants.kernel._kernel")
    if kernel is None:
        return ""
    there: list[str] = kernel.instruction_sets()
    wanted = os.environ.get(_VARIABLE, "") or there[-1]
    if wanted not in there:
        raise ConfigError([f"{_VARIABLE}={wanted[:40]}: expected one of {', '.join(there)}, which this processor has"])
    return wanted
