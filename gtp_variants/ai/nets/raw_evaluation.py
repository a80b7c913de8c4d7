"""A network's evaluation of a position, or its odds of hidden stones, without search and without numpy."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.ai.nets.encoding.features import features_of
from gtp_variants.ai.nets.encoding.planes import planes_of
from gtp_variants.ai.nets.encoding.scene import Scene
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.weight_choice import choose_hidden_network
from gtp_variants.errors import ConfigError
from gtp_variants.rules.actions import CHANCE, EMPTY, PASS, SWAP
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View


@dataclass(frozen=True, slots=True)
class RawEvaluation:
    """A network's evaluation of one position.

    `priors` of legal moves sum to 1; before a throw there are no priors. `values` are each colour's expected share of
    the score, in turn order. `score` is the first colour's lead in points and `score_stdev` its standard deviation;
    both are None in games without a score. `ownership` of each point is from 1 (first colour) to -1 (second), and empty
    if the network does not estimate it.
    """

    priors: Mapping[int, float]
    values: tuple[float, ...]
    score: float | None
    score_stdev: float | None
    ownership: tuple[float, ...]


def evaluate_position(
    network: Network, rules: Rules, position: Position, goes_to: Sequence[int] | None = None
) -> RawEvaluation:
    """Evaluate a position in which a player is to move; `network` must fit the game: see `nets.adaptation`.

    With a symmetry `goes_to` (see `symmetries`) the network sees the transformed board; results are transformed back.
    """
    from gtp_variants.ai.kernel._kernel import softmax
    from gtp_variants.ai.kernel.states import state_of
    from gtp_variants.ai.nets.kernel_network import kernel_encoder, kernel_network, network_board

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
    # Every network has outputs for a pass and a swap, even if the game lacks these moves.
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


def hidden_stone_chances(rules: Rules, view: View, network: Network | Path | str = "auto") -> tuple[float, ...] | None:
    """Return the probability of a hidden stone on each point, 0 to 1; None if there is no network.

    `network` is a weight file of `gtp-variants train`, "auto" for the package's own network or "none". Points with
    a stone that the seat sees have probability 0. Raises ConfigError for a network of another kind, a view of another
    board and a game without hidden stones, and RecordError for an invalid weight file.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("phantom:size=9")
    >>> game = gv.random_game(rules, seed=1, plies=12)
    >>> chances = gv.hidden_stone_chances(rules, rules.view(game.heard(gv.BLACK), gv.BLACK))
    >>> chances is None or len(chances) == 81
    True
    """
    if rules.is_open:
        raise ConfigError([f"{rules.name}: expected a game with hidden stones"])
    if len(view.stones) != len(rules.board):
        raise ConfigError(
            [f"a view of {len(view.stones)} points: expected {len(rules.board)}, as on this board of {rules.name}"]
        )
    chosen = choose_hidden_network(rules, network)
    if chosen is None:
        return None
    from gtp_variants.ai.nets.kernel_network import kernel_network, network_board

    scene = Scene(rules, view, None)
    levels = b"".join(bytes(plane.levels(scene)) for plane in planes_of(rules))
    features = [feature.value(scene) for feature in features_of(rules)]
    told: Sequence[float] = kernel_network(chosen).evaluate(network_board(rules), levels, features)["hidden_stones"]
    return tuple(chance if stone == 0 else 0.0 for chance, stone in zip(told, view.stones, strict=True))
