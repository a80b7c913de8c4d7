"""A bot that thinks: tree search, by level, by number of playouts or by time."""

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar

import gtp_variants as gv

MOST_CONTEMPT = 0.5
# Before so much of the board is filled nothing is hopeless, and fewer playouts say too little.
FILLED, ENOUGH = 0.25, 100


class Mcts(gv.LevelledSeat):
    """Plays the move that a tree search visited most, and keeps what it found for the next move.

    `level`     from a beginner (1) to five seconds a move, or the whole clock (10)
    `playouts`  how many a move; with a level none
    `seconds`   how long a move takes; beside playouts or a clock it is the most
    `slips`     share of its moves that look one stone ahead, as `greedy` does, instead of being searched; unless set
                that of the level
    `ponder`    whether it thinks on the others' time
    `resign`    whether it gives up what is hopeless; off in matches that measure something
    `contempt`  by how much less than half a game a draw is worth to it, where a network judges and two play; in Alter
                Igo 0.1 unless set, else nothing. What it tells of values counts a draw as half a game
    `net`       a network that judges positions: a weight file, none, or auto for that of the package, which is used
                where it pays, unless there is a level or a setting that belongs to the search without one
    The others are the settings of a search (`gv.SETTINGS`); what is not set suits the game. With nothing set it uses
    the clock if there is one, else it thinks about a second a move. A search that ends by the clock on the wall alone
    uses all the cores that the host allows, unless `threads` is set.
    """

    parameters: ClassVar[dict[str, Any]] = {
        "level": int,
        "slips": float,
        "ponder": False,
        "resign": True,
        "contempt": float,
        "net": "auto",
        **{key: kind for key, kind in gv.SETTINGS.items() if key not in ("seed", "draw_value")},
    }
    networks: ClassVar[dict[str, bool]] = {"net": False}
    ponder: bool
    resign: bool
    contempt: float | None
    net: str

    plays_hidden = False
    # What the last search found, for who measures.
    found: gv.SearchResult | None = None
    # What is left out beside what the host avoids.
    _careless: Sequence[gv.AvoidedMove] = ()

    def __init__(self) -> None:
        self._thinker: gv.Thinker | None = None
        self._made_with: tuple[dict[str, Any], Sequence[gv.AvoidedMove], str] = {}, (), ""
        self._chosen: int | None = None
        self._has_moved = False
        self._bad_turns = 0

    def check(self) -> None:
        """Raises gv.ConfigError for parameters that cannot be."""
        gv.check_settings(self.settings(), may_have_network=self.net != "none")
        faults = self.level_faults() + self.network_faults()
        if self.level is not None and self.playouts:
            faults.append(f"level={self.level}: stands for a number of playouts, expected no other (playouts)")
        if self.contempt is not None and not 0 <= self.contempt <= MOST_CONTEMPT:
            faults.append(f"contempt={self.contempt}: expected 0 to {MOST_CONTEMPT}")
        if faults:
            raise gv.ConfigError(faults)

    def settings(self) -> dict[str, Any]:
        """The settings of a search that somebody has set."""
        chosen = {key: getattr(self, key) for key in self.parameters if key in gv.SETTINGS}
        return {key: value for key, value in chosen.items() if value is not None}

    # -- the seat ------------------------------------------------------------------------------------------------------

    def sit(self, rules: gv.Rules, colour: int, seed: str) -> None:
        """A new game."""
        super().sit(rules, colour, seed)
        self._forget()
        self._search_seed = self.rng.getrandbits(63)
        self._bad_turns = 0

    def hear(self, news: gv.News) -> None:
        """After its own move it thinks on, until it is its turn again."""
        thinker = self._thinker
        if thinker is None:
            return
        thinker.stop()
        if news.actor == self.colour:
            self._has_moved = news.action == self._chosen
        if self.ponder and self._has_moved and news.after is not None and news.after.mover != self.colour:
            thinker.ponder(news.after)

    def stop_pondering(self) -> None:
        """Until its next move it thinks of nothing."""
        self._has_moved = False
        if self._thinker is not None:
            self._thinker.stop()

    def leave(self, outcome: gv.Outcome | None) -> None:
        """The game is over: nothing is thought of any more."""
        self._forget()

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        """The best move found; where a pass would end the game though a line has more to offer, the best stone."""
        with self.time_manager.measure(view, clock):
            self._chosen = action = self._think(view, clock)
        return action

    def _think(self, view: gv.View, clock: gv.Clock) -> int:
        self.found = None
        # At every level: nobody wants to pass on and on until a beginner sees that it has won.
        if gv.Endgame(self).wins_by_passing(view):
            self.explanation = "the count is won, and nothing is left to gain"
            return gv.PASS
        weak = self.weak_move(view, clock)
        if weak is not None:
            return weak
        if not self.time_manager.has_time(view, clock):
            self.explanation = "no time to think"
            return super().choose(view, clock)
        self._careless = self.careless_moves(view)
        limits, begun = self.limits(view, clock), time.monotonic()
        self.found = found = self._thinker_now().think(view, self.on_progress, **asdict(limits))
        left = clock.while_thinking(time.monotonic() - begun)
        self.explanation = self.explain(found)
        points = self.points(view)
        if self._is_hopeless(view, found):
            return gv.RESIGN
        if found.action not in view.actions or self.avoids(found.action):
            # The tree holds no move: every one loses, or fills an eye of ours, or is not wanted.
            return self.least_harmful(view, points)
        if found.action != gv.PASS:
            return found.action
        has_network = self._thinker is not None and self._thinker.network is not None
        endgame = gv.Endgame(self)
        gains = endgame.find_gains(view, found, left, has_network=has_network)
        if gains:
            return max(gains, key=lambda point: found.visits.get(point, 0))
        open_points = endgame.rank_open_points(view, found, left, has_network=has_network)
        if open_points:
            return open_points[0]
        if not self.must_play(view):
            return gv.PASS
        tried = {point: found.visits[point] for point in points if found.visits.get(point)}
        return max(tried, key=tried.__getitem__) if tried else self.least_harmful(view, points)

    def must_play(self, view: gv.View) -> bool:
        """Where no dice decide what is open, the search has counted what a pass that ends the game is worth."""
        return view.position is not None and bool(view.position.draws) and super().must_play(view)

    def limits(self, view: gv.View, clock: gv.Clock) -> gv.SearchLimits:
        """When to end the search for this move."""
        level, settings = self.strength, self.settings()
        has_network = level is not None and level.evaluations > 0 and self._thinker_now().network is not None
        wanted = self.wanted_limits(clock, has_network)
        # Seconds of a move that are not used are lost: what they find is kept for the next one.
        is_lost = not wanted.playouts and clock.renews and len(view.actions) > 1
        stop_early, most_seconds = settings.get("stop_early", not is_lost), settings.get("most_seconds", 0.0)
        return self.time_manager.allow(view, clock, replace(wanted, stop_early=stop_early, most_seconds=most_seconds))

    # -- the search ----------------------------------------------------------------------------------------------------

    def _thinker_now(self) -> gv.Thinker:
        level = self.strength
        # Levels that are numbers of playouts are numbers of the search without a network.
        is_without = self.net == "auto" and level is not None and level.playouts > 0 and not level.evaluations
        avoided = (*self.avoided, *self._careless)
        net = "none" if is_without else self.net
        settings = self.settings() | {"threads": self.search_threads}
        settings |= {} if net == "none" else self._value_of_draws()
        wanted = settings, avoided, net
        if self._thinker is None or wanted != self._made_with:
            self._forget()
            self._thinker = gv.Thinker(self.rules, self._search_seed, avoided, network=net, **settings)
            self._made_with = wanted
        return self._thinker

    def _value_of_draws(self) -> dict[str, Any]:
        """As a setting of a search with a network, which counts it for the first colour."""
        contempt = self.rules.profile.default_contempt if self.contempt is None else self.contempt
        if not contempt or len(self.rules.colours) > 2:
            return {}
        return {"draw_value": 0.5 - contempt if self.colour == self.rules.colours[0] else 0.5 + contempt}

    def _forget(self) -> None:
        if self._thinker is not None:
            self._thinker.forget()
        self._thinker = self._chosen = None
        self._has_moved = False

    def _is_hopeless(self, view: gv.View, found: gv.SearchResult) -> bool:
        """Whether to give up: never at an end that can still be opened again, nor among three."""
        position = view.position
        if not self.resign or position is None or len(self.rules.colours) > 2 or self.rules.is_over(position):
            return False
        threshold = self.rules.profile.resign_threshold
        if threshold is None:
            return found.proved is False
        if found.playouts >= ENOUGH:
            # What is told depends on how surely the bot plays on; the other side may err more.
            share = found.calibrate(1 / found.calibration).values[self.rules.colours.index(self.colour)]
            self._bad_turns = self._bad_turns + 1 if share < threshold else 0
        filled = 1 - view.stones.count(gv.EMPTY) / len(view.stones)
        return self._bad_turns >= self.rules.profile.resign_turns and filled >= FILLED

    def explain(self, found: gv.SearchResult) -> str:
        """Visits, value and what the search expects to follow."""
        value = found.values[self.rules.colours.index(self.colour)] if found.values else 0.0
        moves = " ".join("pass" if move < 0 else self.rules.board.vertex(move) for move in found.principal_variation)
        return f"{found.visits.get(found.action, 0)} of {found.playouts} playouts, value {value:.1%}, expected: {moves}"
