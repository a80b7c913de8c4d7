"""The compiled encoder of a game. Importing this raises ImportError where the kernel was not built."""

from functools import lru_cache

from gtp_variants.mcts._kernel import KernelEncoder
from gtp_variants.mcts.kernel_calls import kernel_rules
from gtp_variants.nets.encoding.features import option_flags
from gtp_variants.rules.rules import Rules


@lru_cache(maxsize=64)
def kernel_encoder(rules: Rules) -> KernelEncoder:
    """What writes a state of these rules into arrays, number for number as `Encoder.encode_levels`."""
    return KernelEncoder(kernel_rules(rules), option_flags(rules))
