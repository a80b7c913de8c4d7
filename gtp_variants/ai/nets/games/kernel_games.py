"""Games for learners in the kernel. Importing this raises ImportError where the kernel was not built."""

from dataclasses import fields

from gtp_variants.ai.kernel._kernel import KernelBatch, KernelGame
from gtp_variants.ai.kernel.states import kernel_rules
from gtp_variants.ai.nets.games.plain_games import BatchArrays
from gtp_variants.ai.nets.kernel_encoder import kernel_encoder
from gtp_variants.rules.rules import Rules


def begin_game(rules: Rules, seed: int, throws_dice: bool) -> KernelGame:
    """Game number 0 of those with a seed."""
    return KernelGame(kernel_rules(rules), seed, 0, throws_dice)


def begin_batch(rules: Rules, seed: int, threads: int, throws_dice: bool, arrays: BatchArrays) -> KernelBatch:
    """Games that are stepped together and write into these arrays, which they keep alive."""
    buffers = [getattr(arrays, field.name) for field in fields(arrays)]
    return KernelBatch(kernel_rules(rules), kernel_encoder(rules), seed, threads, throws_dice, *buffers)
