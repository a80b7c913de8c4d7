"""A bot for Go Fantôme that imagines positions consistent with what it has heard, and searches each of them."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from math import log
from typing import Any, ClassVar

import gtp_variants as gv

# A stone that captures nothing is not tried if it is in atari in more than this share of the positions.
MOST_OWN_ATARI = 1 / 3
# Each move's mean includes this many extra positions in which the move is taken to be worth nothing.
DOUBT = 1.0
# Minimum playouts per position: a level with few playouts imagines few positions.
LEAST_PLAYOUTS = 10
# Minimum seconds per position with a network, which is slower than a playout. At 0.1 s per move 16 positions won 18 of
# 30 games against 64. Without a network 64 positions won 12 of 14 games against 24.
LEAST_S = 0.006
# Minimum number of positions searched with a network, however short the time.
FEW = 4
# Minimum seconds per search.
SHORTEST_S = 1e-4
# Seconds that nobody notices: refused tries shorten the thinking time down to this, but no further.
UNNOTICED_S = 0.1
# Chances of winning are kept at least this far from 0 and 1.
SMALLEST_CHANCE = 1e-3


def _log_odds(chance: float) -> float:
    chance = min(1 - SMALLEST_CHANCE, max(SMALLEST_CHANCE, chance))
    return log(chance / (1 - chance))


@dataclass(slots=True)
class MoveEstimate:
    """The number of positions in which a move was searched, and the sum of its shares of the visits there."""

    legal: int = 0
    share: float = 0.0

    @property
    def worth(self) -> float:
        """The mean share of visits over the positions where the move is legal: a refused try costs nothing."""
        return self.share / (self.legal + DOUBT)


@dataclass(slots=True)
class PositionSearches:
    """The results of all searches for one move: the positions, how often each was imagined, and what was found."""

    moves: dict[int, MoveEstimate] = field(default_factory=dict)
    searched: list[tuple[gv.Position, int]] = field(default_factory=list)
    found: list[gv.SearchResult] = field(default_factory=list)
    positions: int = 0
    playouts: int = 0


class Phantom(gv.LevelledSeat):
    """Plays the move with the largest share of visits over searches of many possible positions.

    `level`     from 1 (a beginner) to 10 (five seconds per move, or all the time on the clock)
    `slips`     share of moves chosen by looking only one stone ahead, as `greedy` does; by default the level's share
    `worlds`    maximum number of positions that the bot imagines
    `attempts`  maximum number of attempts, after each piece of news, to repair a position that no longer fits, before
                it is replaced by a copy of another position
    `playouts`  playouts per move, shared among the positions; cannot be combined with a level
    `seconds`   maximum time per move
    `cpu_time`  whether seconds are the bot's CPU time, which does not depend on other programs
    `threads`   threads per search; by default all that the host allows if only wall-clock time limits the search
    `variant`   kind of search: full; or plain, without network, tactics, proofs, atari, shapes and priors
    `net`       network that judges positions: a weight file, none, auto for the package's own, or self for the
                package's own that learnt from itself alone, without a teacher
    `hidden_net`  network that guesses hidden stones from what the seat has heard: a weight file, none, or auto for the
                package's own

    A move's share of visits is averaged over the positions where the move is legal. Without any option the bot uses the
    clock, or about a second per move. With playouts and no seconds, the same seed and network give the same moves on
    every computer. After a refused try the bot thinks again.
    """

    parameters: ClassVar[dict[str, Any]] = {
        "level": int,
        "slips": float,
        "worlds": 64,
        "attempts": 2,
        "playouts": int,
        "seconds": float,
        "cpu_time": bool,
        "threads": int,
        "variant": "full",
        "net": "auto",
        "hidden_net": "auto",
    }
    networks: ClassVar[dict[str, bool]] = {"net": False, "hidden_net": True}
    worlds: int
    attempts: int
    variant: str
    net: str
    hidden_net: str

    # The result for the bot's last move; None if there was no search.
    found: gv.SearchResult | None = None
    # The last turn with the bot's chances of winning then, and its chances in the turn before; None if there are none.
    _thought: tuple[int, float] | None = None
    _earlier: float | None = None
    # The network that judges positions; None for searches without a network.
    _network: Any = None

    def check(self) -> None:
        """Raise gv.ConfigError for invalid parameters."""
        gv.check_settings({"variant": self.variant, "threads": 1 if self.threads is None else self.threads})
        least = {"worlds": 1, "attempts": 1, "playouts": 1, "seconds": 1e-6}
        given = {key: getattr(self, key) for key in least}
        faults = [
            f"{key}={value}: expected {'more than 0' if key == 'seconds' else '1 or more'}"
            for key, value in given.items()
            if value is not None and not least[key] <= value < float("inf")
        ] + [*self.level_faults(), *self.network_faults()]
        if self.level is not None and self.playouts:
            faults.append(f"level={self.level}: stands for a number of playouts, expected no other (playouts)")
        if faults:
            raise gv.ConfigError(faults)

    def sit(self, rules: gv.Rules, colour: int, seed: str) -> None:
        """Begin a new game."""
        super().sit(rules, colour, seed)
        self.found, self._thought, self._earlier = None, None, None
        # An open game has only one possible position and needs no `Worlds`.
        asks_network = self.net != "none" and self.variant == "full"
        self._network = gv.Thinker(rules, network=self.net).network if asks_network else None
        count, worlds_seed = self._world_count(), self.rng.getrandbits(63)
        self._worlds = None if rules.is_open else gv.Worlds(rules, colour, count, worlds_seed, self.attempts)
        # This loads the network, so that a wrong file is reported before the game.
        self._expect_stones(rules.view((), colour))

    def hear(self, news: gv.News) -> None:
        """Update every imagined position with the news."""
        if self._worlds is not None:
            self._worlds.hear(news)

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        """Return the most valuable move, or a pass if no other move is left."""
        with self.time_manager.measure(view, clock):
            return self._choose(view, clock)

    def _choose(self, view: gv.View, clock: gv.Clock) -> int:
        self.found = None
        weak = self.weak_move(view, clock)
        if weak is not None:
            return weak
        if not self.time_manager.has_time(view, clock):
            self.explanation = "no time to think"
            return super().choose(view, clock)
        if self._thought is not None and self._thought[0] != view.turn:
            self._earlier = self._thought[1]
        searches = self.think(view, self.limits(view, clock))
        action, found = self.best(view, searches), self._merge(view, searches.found)
        if action == gv.PASS:
            action = self._open_point(view, searches, clock)
        self.explanation = self.explain(searches, found.values, action)
        if searches.found:
            line = found.lines.get(action, (action,))
            self.found = replace(found, action=action, principal_variation=line)
            if found.values:
                self._thought = view.turn, found.values[self.rules.colours.index(self.colour)]
        return action

    def _expect_stones(self, view: gv.View) -> None:
        """Favour positions with hidden stones where a network expects them."""
        if self._worlds is None or self.variant != "full":
            return
        chances = gv.hidden_stone_chances(self.rules, view, self.hidden_net)
        if chances is not None:
            self._worlds.expect(chances)

    def _merge(self, view: gv.View, found: list[gv.SearchResult]) -> gv.SearchResult:
        """Return the results of several searches as one; in an open game there is only one search.

        The chances of winning are averaged with those of the turn before, because a few positions are a poor sample and
        the next turn has different ones. Without averaging, 4 to 7% of moves changed the chances by more than 15 points
        (9x9, 0.05 s per move, 80 games); with it 1.5% did (30 games), and the predictions were as good.
        """
        if self._worlds is None and found:
            return found[0]
        merged = gv.SearchResult.merge(found, self.rules, view)
        if not merged.values or self._earlier is None:
            return merged
        seat = self.rules.colours.index(self.colour)
        now = merged.values[seat]
        change = _log_odds((now + self._earlier) / 2) - _log_odds(now)
        return merged.shift(seat, change, is_mover=view.to_play == self.colour)

    # -- thinking --------------------------------------------------------------------------------------------------

    def limits(self, view: gv.View, clock: gv.Clock) -> gv.SearchLimits:
        """Return the playouts and the seconds for this move."""
        wanted = self.wanted_limits(clock, self._network is not None)
        if clock.control.kind == "none" and wanted.seconds > UNNOTICED_S:
            # Each refused try halves the time, so that a whole turn takes about twice as long.
            wanted = replace(wanted, seconds=max(UNNOTICED_S, wanted.seconds / 2 ** len(view.tried)))
        return self.time_manager.allow(view, clock, wanted, may_extend=False)

    def _level_playouts(self) -> int:
        """Return the level's playouts per move, with or without the network; 0 for no limit."""
        level = self.strength
        return 0 if level is None else level.playout_limit(self._network is not None)

    def _world_count(self) -> int:
        """Return how many positions to imagine, given the playouts or seconds per move."""
        playouts, level = self._level_playouts(), self.strength
        if playouts:
            return min(self.worlds, max(1, playouts // LEAST_PLAYOUTS))
        return self._count_within(self.seconds or (level.seconds if level is not None else 0.0))

    def _count_within(self, seconds: float) -> int:
        """Return how many positions to search in this time; 0 seconds means no limit."""
        if self._network is None or not seconds:
            return self.worlds
        return min(self.worlds, max(FEW, int(seconds / LEAST_S)))

    def think(self, view: gv.View, limits: gv.SearchLimits) -> PositionSearches:
        """Search every position that may be the true one."""
        now = time.thread_time if limits.cpu_time else time.monotonic
        begun, playouts, seconds = now(), limits.playouts, limits.seconds
        searches = PositionSearches()
        counted = self.sample_positions(view, seconds, now, lambda: not self._report(view, searches))
        if not playouts:
            # The clock may leave less time than was expected when the game began.
            counted = counted[: self._count_within(seconds)]
        each = replace(limits, playouts=max(1, playouts // max(1, len(counted))) if playouts else 0)
        avoided = (*self.avoided, *self.careless_moves(view))
        variant = {"variant": self.variant} if self._network is None else {}
        seed = self.rng.getrandbits(63)
        for index, (position, count) in enumerate(counted):
            if seconds:
                left_s = begun + seconds - now()
                if left_s <= 0 and index:
                    break
                each = replace(each, seconds=max(SHORTEST_S, left_s / (len(counted) - index)))
            found = gv.search(
                self.rules,
                position,
                seed=seed + index,
                on_progress=partial(self._report, view, searches),
                avoided=avoided,
                network=self._network or "none",
                threads=self.search_threads,
                **asdict(each) | variant,
            )
            self.learn(searches, view, position, count, found)
            if not self._report(view, searches):
                break
        return searches

    def _report(
        self, view: gv.View, searches: PositionSearches, now: Callable[[], gv.SearchResult] | None = None
    ) -> bool:
        """Show the host the results so far, and return whether to continue.

        `now` returns the results of the search in progress.
        """

        def so_far() -> gv.SearchResult:
            return self._merge(view, [*searches.found, now()] if now else searches.found)

        return self.on_progress is None or self.on_progress(so_far)

    def sample_positions(
        self, view: gv.View, seconds: float, now: Callable[[], float], should_stop: Callable[[], bool]
    ) -> Sequence[tuple[gv.Position, int]]:
        """Return different positions consistent with what was heard, and how often each was imagined.

        `seconds` is the time for the whole move, measured by the clock `now`: see `gv.Worlds.sample`. The result is
        empty if no position is consistent.
        """
        if self._worlds is None:
            assert view.position is not None
            return [(view.position, 1)]
        begun = now()
        self._expect_stones(view)
        left_s = max(SHORTEST_S, seconds - (now() - begun)) if seconds else 0.0
        try:
            return self._worlds.sample(view.to_play, left_s, should_stop, now=now, must_agree=False)
        except gv.GameOver:
            return []

    def learn(
        self, searches: PositionSearches, view: gv.View, position: gv.Position, count: int, found: gv.SearchResult
    ) -> None:
        """Add the result of searching one position, which was imagined `count` times."""
        whole = sum(found.visits.values())
        searches.searched.append((position, count))
        searches.found.append(found)
        searches.positions += count
        searches.playouts += found.playouts
        for action, visits in found.visits.items() if whole else ():
            move = searches.moves.get(action)
            if move is None:
                move = searches.moves[action] = MoveEstimate()
            move.legal += count
            move.share += count * visits / whole

    def puts_itself_in_atari(self, searches: PositionSearches, point: int) -> bool:
        """Return True if a stone on this point puts itself in atari in too many of the positions."""
        playable = [
            (position, count, found.visits[point])
            for (position, count), found in zip(searches.searched, searches.found, strict=True)
            if point in found.visits
        ]
        bad = sum(count for position, count, visits in playable if visits and self._is_own_atari(position, point))
        return bad > MOST_OWN_ATARI * sum(count for _, count, _ in playable)

    def _is_own_atari(self, position: gv.Position, point: int) -> bool:
        """Return True if a stone on this point captures nothing and leaves its chain with one liberty."""
        after = self.rules.play(position, point)
        stones = after.stones
        if after.captured or not stones[point]:
            return False
        return len(gv.liberties(self.rules.board, stones, gv.chain(self.rules.board, stones, point))) == 1

    # -- choosing --------------------------------------------------------------------------------------------------

    def best(self, view: gv.View, searches: PositionSearches) -> int:
        """Return the most valuable move that the bot wants and that does not put its own stone in atari."""
        moves = {
            action: move
            for action, move in searches.moves.items()
            if action not in view.tried and not self.avoids(action)
        }
        for action in sorted(moves, key=lambda action: (-moves[action].worth, action)):
            if action < 0 or (self.wants(view, action) and not self.puts_itself_in_atari(searches, action)):
                return action
        may_pass = gv.PASS in view.actions and not self.avoids(gv.PASS)
        if may_pass and not (view.position is not None and self.must_play(view)):
            return gv.PASS
        return self.least_harmful(view, self.points(view))

    def _open_point(self, view: gv.View, searches: PositionSearches, clock: gv.Clock) -> int:
        """Return the point, missed by a pass, that most of the positions rank first; a pass if there is none."""
        votes: Counter[int] = Counter()
        for (position, count), found in zip(searches.searched, searches.found, strict=True):
            seen = replace(view, position=position, stones=position.stones)
            ranked = gv.Endgame(self).rank_open_points(seen, found, clock, has_network=False)
            votes.update(dict.fromkeys(ranked[:1], count))
        point, count = max(votes.items(), key=lambda vote: vote[1], default=(gv.PASS, 0))
        return point if 2 * count > searches.positions else gv.PASS

    def explain(self, searches: PositionSearches, values: tuple[float, ...], action: int) -> str:
        """Return in how many positions the move is legal, its share of the visits, and the chances of winning."""
        move = searches.moves.get(action, MoveEstimate())
        different = "" if self._worlds is None else f", {len(searches.searched)} different"
        value = values[self.rules.colours.index(self.colour)] if values else 0.0
        return (
            f"playable in {move.legal} of {searches.positions} positions{different}, there {move.worth:.0%} of "
            f"{searches.playouts} playouts, value {value:.1%}"
        )
