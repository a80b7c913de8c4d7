"""What a network alone says of a position, without a search and without numpy.

Importing this raises ImportError where the kernel was not built.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gtp_variants.ai.kernel._kernel import softmax
from gtp_variants.ai.kernel.states import state_of
from gtp_variants.ai.nets.encoding.planes import planes_of
from gtp_variants.ai.nets.kernel_encoder import kernel_encoder
from gtp_variants.ai.nets.kernel_network import kernel_network, network_board
from gtp_variants.ai.nets.network import Network
from gtp_variants.rules.actions import CHANCE, EMPTY, PASS, SWAP
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules


@dataclass(frozen=True, slots=True)
class RawEvaluation:
    """What a network says of one position.

    `priors` of each legal move, 1 together, none while dice are to be thrown; `values` the share of the score each
    colour will get, in turn order. `score` is by how many points the first colour will lead and `score_stdev` how far
    games are from that, None in games without one; `ownership` of each point is from 1 (the first colour) to -1, empty
    where the network says none.
    """

    priors: Mapping[int, float]
    values: tuple[float, ...]
    score: float | None
    score_stdev: float | None
    ownership: tuple[float, ...]


def evaluate_position(
    network: Network, rules: Rules, position: Position, goes_to: Sequence[int] | None = None
) -> RawEvaluation:
    """A network's word on a position in which a player is to move; `network` must fit the game: see `nets.adaptation`.

    With `goes_to`, a symmetry as `nets.symmetries` gives it, the network is shown the board so moved; the reply is in
    the points of the board as it is.
    """
    points = len(rules.board)
    place = list(range(points)) if goes_to is None else list(goes_to)
    planes = len(planes_of(rules))
    state, encoder = state_of(rules, position), kernel_encoder(rules)
    levels, features = bytearray(planes * points), array("f", bytes(4 * encoder.global_count))
    encoder.encode(state, EMPTY, memoryview(levels).cast("B", (planes, points)), memoryview(features))
    moved = bytearray(len(levels))
    for plane in range(0, len(levels), points):
        for point, there in enumerate(place):
            moved[plane + there] = levels[plane + point]
    told = kernel_network(network).evaluate(network_board(rules), bytes(moved), features.tolist())
    # The network has outputs for a pass and a swap, whether the game has them or not.
    special = {PASS: points, SWAP: points + 1}
    legal = () if position.to_play == CHANCE else rules.legal(position)
    moves = [move for move in legal if move >= 0 or move in special]
    output_of = {move: special[move] if move < 0 else place[move] for move in moves}
    mask = bytearray(points + 2)
    for output in output_of.values():
        mask[output] = 1
    priors = softmax(told["logits"], bytes(mask))
    seat, colours = rules.colours.index(position.mover), len(rules.colours)
    values = tuple(told["values"][(index - seat) % colours] for index in range(colours))
    is_scored = network.shape.has_score and colours == 2
    sign = 1 if seat == 0 else -1
    owners = told["owners"] if colours == 2 else []
    return RawEvaluation(
        {move: priors[output] for move, output in output_of.items()},
        values,
        sign * told["score"] if is_scored else None,
        told["score_spread"] if is_scored else None,
        tuple(sign * owners[there] for there in place) if owners else (),
    )
