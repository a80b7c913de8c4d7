"""Networks and encoders in the kernel; importing this module raises ImportError if the kernel was not built."""

from dataclasses import asdict
from functools import lru_cache
from itertools import chain

from gtp_variants.ai.kernel._kernel import KernelEncoder, KernelNetwork, KernelNetworkBoard
from gtp_variants.ai.kernel.states import kernel_rules
from gtp_variants.ai.nets.encoding.features import option_flags
from gtp_variants.ai.nets.encoding.layout import point_symmetries, tap_table
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.weight_choice import instruction_set
from gtp_variants.rules.rules import Rules


@lru_cache(maxsize=64)
def kernel_encoder(rules: Rules) -> KernelEncoder:
    """Return the kernel's encoder for these rules; its output equals the output of `Encoder.encode_levels`."""
    return KernelEncoder(kernel_rules(rules), option_flags(rules))


def kernel_network(network: Network) -> KernelNetwork:
    """Return the kernel's copy of a network. Raises ConfigError if the processor lacks the chosen instructions."""
    return _make_network(network, instruction_set())


@lru_cache(maxsize=8)
def _make_network(network: Network, instructions: str) -> KernelNetwork:
    return KernelNetwork(asdict(network.shape), network.scales, network.tensors, instructions)


@lru_cache(maxsize=64)
def network_board(rules: Rules, symmetries: bool = False) -> KernelNetworkBoard:
    """Return the board of a game as a network sees it, and with `symmetries` also under each symmetry."""
    table = tap_table(rules.board)
    maps = point_symmetries(rules) if symmetries else ()
    return KernelNetworkBoard(len(table), len(table[0]), list(chain.from_iterable(table)), maps)
