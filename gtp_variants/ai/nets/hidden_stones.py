"""Where stones that a seat does not see may stand, as a network says from what the seat was told."""

from collections.abc import Sequence
from pathlib import Path

from gtp_variants.ai.nets.encoding.features import features_of
from gtp_variants.ai.nets.encoding.planes import planes_of
from gtp_variants.ai.nets.encoding.scene import Scene
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.weight_choice import choose_hidden_network
from gtp_variants.errors import ConfigError
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View


def hidden_stone_chances(rules: Rules, view: View, network: Network | Path | str = "auto") -> tuple[float, ...] | None:
    """The chance that a stone stands on each point that the seat has not seen, 0 to 1; None without a network.

    `network` is a weight file of `gtp-variants train` for the game, "auto" for that of the package, "none" for none.
    Stones that the seat sees are no hidden ones. Raises ConfigError for another network and for a game that hides
    nothing, RecordError for a file that is no weight file.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("phantom:size=9")
    >>> game = gv.random_game(rules, seed=1, plies=12)
    >>> chances = gv.hidden_stone_chances(rules, rules.view(game.heard(gv.BLACK), gv.BLACK))
    >>> chances is None or len(chances) == 81
    True
    """
    if rules.is_open:
        raise ConfigError([f"{rules.name}: nothing is hidden in this game"])
    if len(view.stones) != len(rules.board):
        raise ConfigError(
            [f"a view of {len(view.stones)} points: expected {len(rules.board)}, as {rules.name} has here"]
        )
    chosen = choose_hidden_network(rules, network)
    return None if chosen is None else _evaluate(chosen, rules, view)


def _evaluate(network: Network, rules: Rules, view: View) -> tuple[float, ...]:
    from gtp_variants.ai.nets.kernel_network import kernel_network, network_board

    scene = Scene(rules, view, None)
    levels = b"".join(bytes(plane.levels(scene)) for plane in planes_of(rules))
    features = [feature.value(scene) for feature in features_of(rules)]
    told: Sequence[float] = kernel_network(network).evaluate(network_board(rules), levels, features)["hidden_stones"]
    return tuple(chance if stone == 0 else 0.0 for chance, stone in zip(told, view.stones, strict=True))
