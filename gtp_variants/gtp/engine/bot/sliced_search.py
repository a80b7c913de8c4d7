"""A search in slices of 10 ms, so that the host can interrupt it, and who owns which points."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, GameOver, IllegalMove
from gtp_variants.gtp.analysis import find_priors
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.bots import changed_parameters, parameters
from gtp_variants.players.table import legal_actions, position_to_move, possible_tries
from gtp_variants.rules.actions import EMPTY, PASS
from gtp_variants.rules.boards.chains import areas
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from gtp_variants.mcts.plain.playout import Playout
    from gtp_variants.mcts.result import OwnerSums, SearchResult
    from gtp_variants.mcts.settings import AvoidedMove, Setting

# So long the engine does not listen; a host that speaks is heard before twice this time has passed.
SLICE_S = 0.01


MEMORY_MB = 256.0
# That of the package, where it has one for the game.
PACKAGES_NETWORK = "auto"
# Of so many points at least owners are counted at a time, however little time there is: on a small board one side often
# owns all, and two games that went opposite ways would say nothing.
_FEWEST_OWNERS = 200


class OpenSearch:
    """A search of a position in which nothing is hidden."""

    def __init__(
        self,
        rules: Rules,
        position: Position,
        avoided: "Sequence[AvoidedMove]" = (),
        memory_mb: float = MEMORY_MB,
        network: str = PACKAGES_NETWORK,
        settings: "Mapping[str, Setting]" = MappingProxyType({}),
    ) -> None:
        """`network` as in a bot's `net`. Raises RecordError or ConfigError for a file that cannot play this game."""
        from gtp_variants.mcts.tree_search import Thinker

        self._position = position
        self._thinker = Thinker(rules, 0, avoided, None, network, **{**settings, "memory_mb": memory_mb})
        self._priors = find_priors(rules, position, network, settings) if avoided else None

    @property
    def position(self) -> Position:
        """What the last slice was a search of."""
        return self._position

    def more(self, playouts: int = 0) -> "SearchResult":
        """Search for a moment, with no more playouts than so many if they are told; all that was found so far."""
        begun = time.monotonic()
        found = self._thinker.think(self._position, seconds=SLICE_S, playouts=playouts)
        # A decided game needs no more thought.
        time.sleep(max(0.0, begun + SLICE_S / 2 - time.monotonic()))
        return found if self._priors is None else replace(found, priors=dict(self._priors))


class SampledSearch:
    """A search of what a seat knows: of positions that agree with it, in turn, and what all of them came to."""

    def __init__(
        self,
        rules: Rules,
        view: View,
        positions: Sequence[Position],
        avoided: "Sequence[AvoidedMove]" = (),
        network: str = PACKAGES_NETWORK,
        settings: "Mapping[str, Setting]" = MappingProxyType({}),
    ) -> None:
        from gtp_variants.belief.particles import count_positions

        self._rules, self._view = rules, view
        different = [position for position, _ in count_positions(positions)]
        memory_mb = MEMORY_MB / len(different)
        self._searches = [OpenSearch(rules, each, avoided, memory_mb, network, settings) for each in different]
        self._found: list[SearchResult | None] = [None] * len(self._searches)
        self._turn = -1

    @property
    def position(self) -> Position:
        return self._searches[self._turn].position

    def more(self) -> "SearchResult":
        from gtp_variants.mcts.result import SearchResult

        self._turn = (self._turn + 1) % len(self._searches)
        self._found[self._turn] = self._searches[self._turn].more()
        return SearchResult.merge([found for found in self._found if found is not None], self._rules, self._view)


# A search that goes on by slices of time.
SlicedSearch = OpenSearch | SampledSearch


def search_of(session: Session, colour: int, avoided: "Sequence[AvoidedMove]" = ()) -> SlicedSearch:
    """A search for a colour, as if it were to move; where something is hidden, of what that colour knows.

    Raises CommandFailed where there is nothing to search.
    """
    if session.is_over:
        raise CommandFailed("game over")
    positions = positions_of(session, colour)
    if session.rules.is_open:
        return OpenSearch(
            session.rules, positions[0], avoided, network=network_of(session), settings=settings_of(session)
        )
    view = replace(session.view(colour), to_play=colour)
    return SampledSearch(session.rules, view, positions, avoided, network_of(session), settings_of(session))


def network_of(session: Session) -> str:
    """What judges positions for the bot, as its `net` says; that of the package for bots that have no such setting."""
    return str(parameters(session.bot.make_player()).get("net", PACKAGES_NETWORK))


def settings_of(session: Session) -> "Mapping[str, Setting]":
    """The settings of the bot's search, as far as somebody has set them; how long it thinks says nothing here."""
    from gtp_variants.mcts.settings import LIMITS, SETTINGS

    own = {"threads": session.bot.cores} | changed_parameters(session.bot.make_player())
    return {
        key: value
        for key in SETTINGS.keys() - set(LIMITS)
        if isinstance(value := own.get(key), bool | int | float | str)
    }


def actions_of(session: Session, colour: int) -> Sequence[int]:
    """What a colour might play or try if it were to move, as far as it may know itself."""
    if session.refereed_seat is not None:
        return session.view(colour).actions
    ask = legal_actions if session.rules.is_open else possible_tries
    return ask(session.table, colour)


def positions_of(session: Session, colour: int) -> Sequence[Position]:
    """The position with a colour to move; where something is hidden, several that agree with what it knows."""
    if session.rules.is_open:
        return [position_to_move(session.table, colour)]
    try:
        worlds = session.stone_odds.worlds(session.rules, session.view(colour))
        return worlds.positions(session.has_pending_command, colour)
    except GameOver as error:
        raise CommandFailed(f"cannot be analysed: {error}") from None


class Owners:
    """Who owns each point in the end, by the search itself where a network judged its leaves and knows owners.

    Elsewhere, and after a move under which no leaf was judged, it is by playouts from the positions after the moves
    that the search looked at. A share is from -1, another side's, to 1, that of `colour`.
    """

    def __init__(self, rules: Rules, colour: int) -> None:
        self._rules, self._colour = rules, colour
        self._sign = 1 if colour == rules.colours[0] else -1
        self._rng = Random(0)
        self._position: Position | None = None
        self._starts: dict[int, Playout | None] = {}
        # Of each move, for each point: by how many games more it was ours than another side's, and was anybody's.
        self._sums: dict[int, list[int]] = {}
        self._owned: dict[int, list[int]] = {}
        self._counts: dict[int, int] = {}
        self._count = 0

    def more(self, position: Position, found: "SearchResult") -> None:
        """Play on for a moment from a position that was searched, unless the search itself knows all owners."""
        if position is not self._position:
            self._position = position
            self._starts = {}
        moves = [move for move, count in found.visits.items() if count and move not in found.leaf_owners]
        if not moves:
            if found.leaf_owners:
                return
            moves = [PASS]
        # A proved move may never have been looked at.
        weights = [found.visits.get(move, 0) + 1 for move in moves]
        # Those that were looked at most come first.
        unseen = sorted(
            (move for move in moves if move not in self._counts), key=lambda move: found.visits.get(move, 0)
        )
        until = time.monotonic() + SLICE_S
        # So often at least, but not until it succeeds: positions that only may be there may allow none of the moves.
        fewest = max(1, _FEWEST_OWNERS // len(self._rules.board))
        tries = 0
        while tries < fewest or time.monotonic() < until:
            self._play(unseen.pop() if unseen else self._rng.choices(moves, weights)[0])
            tries += 1

    def after(self, found: "SearchResult", move: int) -> list[float] | None:
        """The share of each point after a move, None where nothing is known of it."""
        known = found.leaf_owners.get(move)
        if known is not None:
            return self._means(known)
        count = self._counts.get(move)
        return None if not count else [total / count for total in self._sums[move]]

    def spread_after(self, found: "SearchResult", move: int) -> list[float] | None:
        """The standard deviation of each point's share after a move, None where nothing is known of it."""
        known = found.leaf_owners.get(move)
        if known is not None:
            return self._deviations(known)
        shares, count = self.after(found, move), self._counts.get(move)
        return None if shares is None or not count else _spread(shares, [n / count for n in self._owned[move]])

    def shares(self, found: "SearchResult") -> list[float]:
        """The share of each point; each move counts as much as the search looked at it."""
        known = found.leaf_owners.get(None)
        return self._mean(self._sums, found) if known is None else self._means(known)

    def spread(self, found: "SearchResult") -> list[float]:
        """The standard deviation of each point's share."""
        known = found.leaf_owners.get(None)
        if known is not None:
            return self._deviations(known)
        return _spread(self.shares(found), self._mean(self._owned, found))

    def _means(self, known: "OwnerSums") -> list[float]:
        return [self._sign * total / known.count for total in known.sums]

    def _deviations(self, known: "OwnerSums") -> list[float]:
        return _spread(self._means(known), [square / known.count for square in known.squares])

    def _mean(self, numbers: dict[int, list[int]], found: "SearchResult") -> list[float]:
        weights = {move: max(1, found.visits.get(move, 0)) for move in self._counts}
        whole = sum(weights.values())
        means = [0.0] * len(self._rules.board)
        for move, weight in weights.items():
            part = weight / whole / self._counts[move]
            means = [mean + part * number for mean, number in zip(means, numbers[move], strict=True)]
        return means

    def _play(self, move: int) -> None:
        from gtp_variants.mcts.plain.playouts import final_stones

        start = self._start_of(move)
        if start is None:
            return
        sums = self._sums.setdefault(move, [0] * len(self._rules.board))
        owned = self._owned.setdefault(move, [0] * len(self._rules.board))
        for owner, points in enumerate(areas(self._rules.board, final_stones(start, self._count))):
            for point in points if owner != EMPTY else ():
                sums[point] += 1 if owner == self._colour else -1
                owned[point] += 1
        self._counts[move] = self._counts.get(move, 0) + 1
        self._count += 1

    def _start_of(self, move: int) -> "Playout | None":
        """Where playouts after a move begin; None if it cannot be played, as one of another position that agrees."""
        if move not in self._starts:
            assert self._position is not None
            try:
                after = self._rules.play(self._position, move)
            except IllegalMove:
                self._starts[move] = self._start_at(self._position) if move == PASS else None
            else:
                self._starts[move] = self._start_at(self._position if self._rules.is_over(after) else after)
        return self._starts[move]

    def _start_at(self, position: Position) -> "Playout":
        from gtp_variants.mcts.plain.playouts import begin_playout

        return begin_playout(self._rules, position)


def _spread(means: Sequence[float], squares: Sequence[float]) -> list[float]:
    return [max(0.0, square - mean * mean) ** 0.5 for mean, square in zip(means, squares, strict=True)]
