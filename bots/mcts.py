"""A bot that uses tree search, limited by a level, a number of playouts or a time."""

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar

import gtp_variants as gv

MOST_CONTEMPT = 0.5
# The bot resigns only if at least this share of the board is filled, and after at least this many playouts.
FILLED, ENOUGH = 0.25, 100


class Mcts(gv.LevelledSeat):
    """Plays the move that its tree search visited most, and keeps the tree for the next move.

    `level`     from 1 (a beginner) to 10 (five seconds per move, or all the time on the clock)
    `playouts`  playouts per move; cannot be combined with a level
    `seconds`   time per move; with playouts or a clock, the maximum time per move
    `slips`     share of moves chosen by looking only one stone ahead, as `greedy` does; by default the level's share
    `ponder`    whether the bot thinks on the opponents' time
    `resign`    whether the bot resigns hopeless games; turn this off to measure strength
    `contempt`  the amount by which a draw is worth less than half a game, in two-player games with a network; 0.1 in
                Alter Igo, else 0. The values that the bot reports count a draw as half a game
    `net`       the network that judges positions: a weight file, none, or auto for the package's own. Auto uses that
                one where it helps, unless a level or a setting for searches without a network is given. Self is the
                package's own that learnt from itself alone, without a teacher
    All other options are search settings (`gv.SETTINGS`), with defaults that suit the game. Without any option the bot
    uses the clock, or about a second per move. A search limited only by wall-clock time uses all the cores that the
    host allows, unless `threads` is set.
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
    # The result of the last search.
    found: gv.SearchResult | None = None
    # Moves that the bot avoids in addition to those that the host tells it to avoid.
    _careless: Sequence[gv.AvoidedMove] = ()

    def __init__(self) -> None:
        self._thinker: gv.Thinker | None = None
        self._made_with: tuple[dict[str, Any], Sequence[gv.AvoidedMove], str] = {}, (), ""
        self._chosen: int | None = None
        self._has_moved = False
        self._bad_turns = 0

    def check(self) -> None:
        """Raise gv.ConfigError for invalid parameters."""
        gv.check_settings(self.settings(), may_have_network=self.net != "none")
        faults = self.level_faults() + self.network_faults()
        if self.level is not None and self.playouts:
            faults.append(f"level={self.level}: stands for a number of playouts, expected no other (playouts)")
        if self.contempt is not None and not 0 <= self.contempt <= MOST_CONTEMPT:
            faults.append(f"contempt={self.contempt}: expected 0 to {MOST_CONTEMPT}")
        if faults:
            raise gv.ConfigError(faults)

    def settings(self) -> dict[str, Any]:
        """Return the search settings that were given explicitly."""
        chosen = {key: getattr(self, key) for key in self.parameters if key in gv.SETTINGS}
        return {key: value for key, value in chosen.items() if value is not None}

    # -- the seat ------------------------------------------------------------------------------------------------------

    def sit(self, rules: gv.Rules, colour: int, seed: str) -> None:
        """Begin a new game."""
        super().sit(rules, colour, seed)
        self._forget()
        self._search_seed = self.rng.getrandbits(63)
        self._bad_turns = 0

    def hear(self, news: gv.News) -> None:
        """Continue thinking after the bot's own move, until it is the bot's turn again."""
        thinker = self._thinker
        if thinker is None:
            return
        thinker.stop()
        if news.actor == self.colour:
            self._has_moved = news.action == self._chosen
        if self.ponder and self._has_moved and news.after is not None and news.after.mover != self.colour:
            thinker.ponder(news.after)

    def stop_pondering(self) -> None:
        """Stop thinking until the bot's next move."""
        self._has_moved = False
        if self._thinker is not None:
            self._thinker.stop()

    def leave(self, outcome: gv.Outcome | None) -> None:
        """End the game and all thinking."""
        self._forget()

    def choose(self, view: gv.View, clock: gv.Clock) -> int:
        """Return the best move found, or the best point if a pass would end the game too early."""
        with self.time_manager.measure(view, clock):
            self._chosen = action = self._think(view, clock)
        return action

    def _think(self, view: gv.View, clock: gv.Clock) -> int:
        self.found = None
        # This applies at every level: otherwise a weak bot would play on in a game that it has won.
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
        # Loading a network takes time of the first move, so that it comes before the limits.
        thinker = self._thinker_now()
        limits, begun = self.limits(view, clock), time.monotonic()
        self.found = found = thinker.think(view, self.on_progress, **asdict(limits))
        left = clock.while_thinking(time.monotonic() - begun)
        self.explanation = self.explain(found)
        points = self.points(view)
        if self._is_hopeless(view, found):
            return gv.RESIGN
        if found.action not in view.actions or self.avoids(found.action):
            # The search found no move: every move loses, fills its own eye, or is avoided.
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
        """Return True if a stone is better than a pass. Without dice this is False: the search has compared them."""
        return view.position is not None and bool(view.position.draws) and super().must_play(view)

    def limits(self, view: gv.View, clock: gv.Clock) -> gv.SearchLimits:
        """Return the limits at which to end the search for this move."""
        level, settings = self.strength, self.settings()
        has_network = level is not None and level.evaluations > 0 and self._thinker_now().network is not None
        wanted = self.wanted_limits(clock, has_network)
        # With such a clock, unused seconds are lost. Use them all, because the tree is kept for the next move.
        is_lost = not wanted.playouts and clock.renews and len(view.actions) > 1
        stop_early, most_seconds = settings.get("stop_early", not is_lost), settings.get("most_seconds", 0.0)
        return self.time_manager.allow(view, clock, replace(wanted, stop_early=stop_early, most_seconds=most_seconds))

    # -- the search ----------------------------------------------------------------------------------------------------

    def _thinker_now(self) -> gv.Thinker:
        level = self.strength
        # A level given as a number of playouts means playouts without a network.
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
        """Return the value of a draw to the first colour, as a setting of a search with a network."""
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
        """Return True if the bot should resign: never after an end that can be reopened, nor with three players."""
        position = view.position
        if not self.resign or position is None or len(self.rules.colours) > 2 or self.rules.is_over(position):
            return False
        threshold = self.rules.profile.resign_threshold
        if threshold is None:
            return found.proved is False
        if found.playouts >= ENOUGH:
            # Undo the calibration: it was fitted to the bot's games against itself, and this opponent may err more.
            share = found.calibrate(1 / found.calibration).values[self.rules.colours.index(self.colour)]
            self._bad_turns = self._bad_turns + 1 if share < threshold else 0
        filled = 1 - view.stones.count(gv.EMPTY) / len(view.stones)
        return self._bad_turns >= self.rules.profile.resign_turns and filled >= FILLED

    def explain(self, found: gv.SearchResult) -> str:
        """Return the visits, the value and the expected moves."""
        value = found.values[self.rules.colours.index(self.colour)] if found.values else 0.0
        moves = " ".join("pass" if move < 0 else self.rules.board.vertex(move) for move in found.principal_variation)
        return f"{found.visits.get(found.action, 0)} of {found.playouts} playouts, value {value:.1%}, expected: {moves}"
