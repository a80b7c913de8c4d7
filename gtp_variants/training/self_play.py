"""Games of a network against itself, played by threads of the kernel: what a network learns from.

Moves are searched with few playouts that Gumbel variables share out at the root (Danihelka and others, "Policy
improvement by planning with Gumbel", 2022), some of them deeply, as in play. A game depends on its seed, its number and
the network, on nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.kernel._kernel import play_games
from gtp_variants.ai.kernel.states import kernel_rules
from gtp_variants.ai.mcts.kernel_calls import settings_by_name
from gtp_variants.ai.mcts.settings import PuctSettings, make_puct_settings
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.kernel_network import kernel_encoder, kernel_network, network_board
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.samples.files import open_npz
from gtp_variants.errors import RecordError
from gtp_variants.records.files import write
from gtp_variants.rules import parse
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.training.settings import SelfPlaySettings

# Where networks are evaluated by the kernel itself; any other is a device of PyTorch's.
CPU = "cpu"
# What a share of the policy is counted in.
POLICY_UNIT = 65535
# Part of the priors at the root of a deep search that is drawn at random (Dirichlet), so that moves are looked at that
# the network has no eye for.
_DEEP_NOISE = 0.15


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Games of one SPEC, one after the other, and what was thought of each position that is learnt from.

    Of each game: `lengths` in actions, how many `positions` are learnt from, `winners` (a colour, 0 for a draw),
    `margins` (Black's lead in points), `owners` int8 (games, points), colours. All `actions`, outcomes of dice too.
    Of each position: `places`, the actions before it; `policies` uint16 (positions, actions), shares of the moves in
    units of 1/65535, by policy index; `values` float32 (positions, colours), shares of the score in turn order.
    """

    spec: str
    actions: NDArray[np.int32]
    lengths: NDArray[np.int32]
    positions: NDArray[np.int32]
    places: NDArray[np.int32]
    policies: NDArray[np.uint16]
    values: NDArray[np.float32]
    winners: NDArray[np.int8]
    margins: NDArray[np.float32]
    owners: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.lengths)

    def save(self, path: Path) -> None:
        """Write the games to a file, whole or not at all."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)[1:]}
        buffer = BytesIO()
        np.savez_compressed(buffer, spec=np.array(self.spec), **arrays)
        write(path, buffer.getvalue(), durable=True)

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Games of one SPEC, those of one part after those of another."""
        arrays = {each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)[1:]}
        return cls(parts[0].spec, **arrays)

    @classmethod
    def load(cls, path: Path) -> Self:
        """The games in a file. Raises RecordError for another file."""
        try:
            with open_npz(path) as arrays:
                found = cls(str(arrays["spec"]), **{each.name: arrays[each.name] for each in fields(cls)[1:]})
                found._check_sizes()
        except (OSError, ValueError) as error:
            raise RecordError(f"{path}: not games of self-play: {error}") from error
        return found

    def _check_sizes(self) -> None:
        """Raise ValueError where the arrays are not of the same games and positions."""
        games, positions = len(self.lengths), len(self.places)
        expected = {
            "actions": int(self.lengths.sum()),
            "places": int(self.positions.sum()),
            **dict.fromkeys(("positions", "winners", "margins", "owners"), games),
            **dict.fromkeys(("policies", "values"), positions),
        }
        for name, count in expected.items():
            if len(getattr(self, name)) != count:
                raise ValueError(f"{name}: {len(getattr(self, name))} rows, expected {count}")

    def replay(self, number: int) -> Game:
        """One of the games."""
        end = int(self.lengths[: number + 1].sum())
        actions = self.actions[end - int(self.lengths[number]) : end].tolist()
        game = Game(parse(self.spec))
        for action in actions:
            game.play(game.position.to_play, action)
        return game


class SelfPlayer:
    """Plays games of one SPEC with a network.

    Raises ValueError for a network of another game, ConfigError for instructions that the processor has not got.
    """

    def __init__(self, rules: Rules, network: Network, threads: int = 1) -> None:
        self._rules, self._threads = rules, threads
        self._network = kernel_network(network)

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Games number `first` to `first + count - 1` of those with a seed; Ctrl-C ends them all at once."""
        rules = self._rules
        found = play_games(
            kernel_rules(rules),
            self._network,
            network_board(rules),
            kernel_encoder(rules),
            asdict(settings) | {"seed": seed},
            *make_search_settings(rules, settings),
            first,
            count,
            self._threads,
        )
        return read_games(rules, found)


def make_search_settings(rules: Rules, settings: SelfPlaySettings) -> tuple[dict[str, object], dict[str, object]]:
    """How the kernel searches most moves, and how it searches deeply.

    The score counts in both: whoever has lost anyhow would else play just anything, and final boards would tell little
    of who owned what.
    """
    search = PuctSettings(
        gumbel=settings.considered,
        value_scale=settings.value_scale,
        chance_values=isinstance(rules, DicedRules),
    )
    # No Gumbel variables there: they trust values more than those of playouts deserve.
    deep = make_puct_settings(**rules.profile.network_search_defaults(rules), noise=_DEEP_NOISE, lcb_weight=0.0)
    return settings_by_name(search), settings_by_name(deep)


def read_games(rules: Rules, found: Mapping[str, bytes]) -> PlayedGames:
    """Games as the kernel has played them."""
    points, moves, colours = len(rules.board), len(Encoder(rules).actions), len(rules.colours)
    return PlayedGames(
        spec=rules.spec,
        actions=np.frombuffer(found["actions"], np.int32),
        lengths=np.frombuffer(found["lengths"], np.int32),
        positions=np.frombuffer(found["positions"], np.int32),
        places=np.frombuffer(found["places"], np.int32),
        policies=np.frombuffer(found["policies"], np.uint16).reshape(-1, moves),
        values=np.frombuffer(found["values"], np.float32).reshape(-1, colours),
        winners=np.frombuffer(found["winners"], np.int8),
        margins=np.frombuffer(found["margins"], np.float32),
        owners=np.frombuffer(found["owners"], np.int8).reshape(-1, points),
    )
