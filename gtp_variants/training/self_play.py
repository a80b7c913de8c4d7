"""Self-play by a network in the kernel's threads.

Most moves are searched with few playouts, which Gumbel variables distribute at the root (Danihelka and others, "Policy
improvement by planning with Gumbel", 2022). Some moves are searched deeply, as in play. A game depends only on its
seed, its number and the network.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
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
from gtp_variants.ai.nets.games.plain_games import replay
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

# The device on which the kernel evaluates networks. Other device names are PyTorch's.
CPU = "cpu"
# The sum of a policy's shares, which are whole numbers.
POLICY_UNIT = 65535
# The label of a point that its owner has for certain.
OWNED = 100
# Random (Dirichlet) part of a deep search's root priors, so that it also considers moves that the network dislikes.
_DEEP_NOISE = 0.15
_Named = dict[str, object]


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Games of one SPEC, and the search results of the positions to learn from.

    By game, `lengths` counts actions, and `positions` counts the positions to learn from. `winners` are colours, or 0
    for a drawn game. `margins` are Black's leads in points. `owners` int8 (games, points) are the points' colours.
    `actions` contains the actions of all games in sequence, with the outcomes of dice.

    By position, `places` counts the actions before it. `policies` uint16 (positions, actions) are shares by policy
    index, in units of 1/65535. `values` float32 (positions, colours) are win shares in turn order.

    A teacher may have labelled some positions: `taught` contains their indices. By labelled position, `leads` are
    Black's leads in points, and `shares` int8 (labelled, points) say how much of a point is Black's, from -100 to 100.
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
    taught: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    leads: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    shares: NDArray[np.int8] = field(default_factory=lambda: np.empty((0, 0), np.int8))

    def __len__(self) -> int:
        return len(self.lengths)

    def save(self, path: Path) -> None:
        """Write the games to a file, either completely or not at all."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)[1:]}
        buffer = BytesIO()
        np.savez_compressed(buffer, spec=np.array(self.spec), **arrays)
        write(path, buffer.getvalue(), durable=True)

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Join games of one SPEC in the given order."""
        begins = np.cumsum([0, *(len(part.places) for part in parts)])
        columns = {each.name: [getattr(part, each.name) for part in parts] for each in fields(cls)[1:]}
        columns["taught"] = [part.taught + np.int32(begin) for part, begin in zip(parts, begins[:-1], strict=True)]
        columns["shares"] = [part.shares for part in parts if len(part.taught)] or [parts[0].shares]
        return cls(parts[0].spec, **{name: np.concatenate(column) for name, column in columns.items()})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read games from a file. Raises RecordError if the file does not contain games."""
        try:
            with open_npz(path) as arrays:
                # Files of older versions have no labels.
                needed = [each for each in fields(cls)[1:] if each.name in arrays or each.default_factory is MISSING]
                found = cls(str(arrays["spec"]), **{each.name: arrays[each.name] for each in needed})
                found._check_sizes()
        except (OSError, ValueError) as error:
            raise RecordError(f"{path}: not games of self-play: {error}") from error
        return found

    def _check_sizes(self) -> None:
        """Raise ValueError if the arrays disagree about the number of games or positions."""
        games, positions = len(self.lengths), len(self.places)
        expected = {
            "actions": int(self.lengths.sum()),
            "places": int(self.positions.sum()),
            **dict.fromkeys(("positions", "winners", "margins", "owners"), games),
            **dict.fromkeys(("policies", "values"), positions),
            **dict.fromkeys(("leads", "shares"), len(self.taught)),
        }
        for name, count in expected.items():
            if len(getattr(self, name)) != count:
                raise ValueError(f"{name}: {len(getattr(self, name))} rows, expected {count}")

    def replay(self, number: int) -> Game:
        end = int(self.lengths[: number + 1].sum())
        return replay(parse(self.spec), self.actions[end - int(self.lengths[number]) : end].tolist())


class SelfPlayer:
    """Plays games of one SPEC. Raises ValueError for another game's network, ConfigError for missing instructions."""

    def __init__(self, rules: Rules, network: Network, threads: int = 1) -> None:
        self._rules, self._threads = rules, threads
        self._network = kernel_network(network)

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Play the games numbered `first` to `first + count - 1` for a seed. Ctrl-C ends all games at once."""
        rules = self._rules
        game = kernel_rules(rules), self._network, network_board(rules), kernel_encoder(rules)
        how = make_kernel_settings(rules, settings, seed)
        return read_games(rules, play_games(*game, *how, first, count, self._threads))


def make_kernel_settings(rules: Rules, settings: SelfPlaySettings, seed: int) -> tuple[_Named, _Named, _Named]:
    """Return the kernel's settings for the games, for most searches and for deep searches."""
    search = PuctSettings(
        gumbel=settings.considered, value_scale=settings.value_scale, chance_values=isinstance(rules, DicedRules)
    )
    # Gumbel variables are not used here, because they trust the values more than the playouts justify.
    deep = make_puct_settings(**rules.profile.network_search_defaults(rules), noise=_DEEP_NOISE, lcb_weight=0.0)
    return asdict(settings) | {"seed": seed}, settings_by_name(search), settings_by_name(deep)


def read_games(rules: Rules, found: Mapping[str, bytes]) -> PlayedGames:
    """Convert the kernel's results to games."""
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
