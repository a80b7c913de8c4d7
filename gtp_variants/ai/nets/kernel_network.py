"""A network, and a board as it sees it, in the form that the kernel evaluates.

Importing this raises ImportError where the kernel was not built.
"""

from dataclasses import asdict
from functools import lru_cache
from itertools import chain

from gtp_variants.ai.kernel._kernel import KernelNetwork, KernelNetworkBoard
from gtp_variants.ai.nets.encoding.layout import point_symmetries, tap_table
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.weight_choice import instruction_set
from gtp_variants.rules.rules import Rules


def kernel_network(network: Network) -> KernelNetwork:
    """A network as the kernel evaluates it. Raises ConfigError for instructions that the processor has not got."""
    return _make_network(network, instruction_set())


@lru_cache(maxsize=8)
def _make_network(network: Network, instructions: str) -> KernelNetwork:
    return KernelNetwork(asdict(network.shape), network.scales, network.tensors, instructions)


@lru_cache(maxsize=64)
def network_board(rules: Rules, symmetries: bool = False) -> KernelNetworkBoard:
    """The board of a game as a network sees it, with `symmetries` under each of them."""
    table = tap_table(rules.board)
    maps = point_symmetries(rules) if symmetries else ()
    return KernelNetworkBoard(len(table), len(table[0]), list(chain.from_iterable(table)), maps)
