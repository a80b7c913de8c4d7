"""The base class of bots with levels: the parameter, its checks, and the careless moves of low levels."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import ClassVar

from gtp_variants.ai.mcts.settings import AvoidedMove, SearchLimits
from gtp_variants.ai.nets import weight_choice
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.players.bots import load
from gtp_variants.players.clock import Clock
from gtp_variants.players.levels import DEFAULT_LEVEL, NUMBERS, Level, level_of
from gtp_variants.players.player import Seat
from gtp_variants.players.thinking.time_manager import TimeManager
from gtp_variants.rules.actions import EMPTY
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

# Bounds of each game's random factor on the share of careless moves, so that one game does not reveal the level.
_WORST_FORM, _BEST_FORM = 1.75, 0.25
# On boards with fewer rows or columns than this, the middle is at most three steps from the rim.
_SMALL = 8
# Number of playouts below which a search might play a lone stone on the rim.
_CARELESS = 500
# Values of a network parameter that do not name a file, by whether that network predicts hidden stones.
_NO_FILES = {False: ("auto", "self", "none"), True: ("auto", "none")}


class LevelledSeat(Seat):
    """A seat with levels 1 to 10. At the lowest levels it makes some beginner's moves.

    A subclass declares the parameter `level`, and perhaps `slips`. It calls `weak_move` first, and otherwise thinks
    within `wanted_limits`, as far as `time_manager` allows.

    >>> import gtp_variants as gv
    >>> class Thoughtless(gv.LevelledSeat):
    ...     parameters = {"level": 1}
    ...     def choose(self, view, clock):
    ...         move = self.weak_move(view, clock)
    ...         return super().choose(view, clock) if move is None else move
    >>> bot = Thoughtless()
    >>> rules = gv.parse("go:size=9")
    >>> bot.level = 1
    >>> bot.sit(rules, gv.BLACK, "seed")
    >>> vertex = rules.board.vertex(bot.choose(gv.Table(rules, gv.DiceStream).view(gv.BLACK), gv.Clock()))
    >>> vertex[0] in "AJ" or vertex[1] in "19"
    False
    """

    # Parameters that name a network, each with True if that network estimates hidden stones.
    networks: ClassVar[Mapping[str, bool]] = MappingProxyType({})

    level: int | None = None
    # Overrides the level's share of careless moves.
    slips: float | None = None
    # The limits of a search, and its number of threads.
    playouts: int | None = None
    seconds: float | None = None
    cpu_time: bool | None = None
    threads: int | None = None
    # Divides the clock's time among the moves of the present game.
    time_manager: TimeManager
    _seed = ""
    _form = 1.0

    def level_faults(self) -> list[str]:
        """Return the faults of the parameters `level` and `slips`, one sentence each."""
        faults = []
        if self.level is not None and self.level not in NUMBERS:
            faults.append(f"level={self.level}: expected {NUMBERS[0]} to {NUMBERS[-1]}")
        if self.slips is not None and not 0 <= self.slips <= 1:
            faults.append(f"slips={self.slips}: expected 0 to 1")
        return faults

    def network_faults(self) -> list[str]:
        """Return the faults of the network parameters, one sentence each. Only the files that they name are loaded."""
        faults: list[str] = []
        try:
            if any(getattr(self, key) != "none" for key in self.networks):
                weight_choice.check_instructions()
        except ConfigError as error:
            faults += error.faults
        for key, tells_hidden in self.networks.items():
            choice = getattr(self, key)
            if choice not in _NO_FILES[tells_hidden]:
                try:
                    weight_choice.check_network_file(choice, tells_hidden=tells_hidden)
                except VariantsError as error:
                    faults.append(f"{key}={error}")
        return faults

    def check_rules(self, rules: Rules) -> None:
        """Raise ConfigError if a network file among the parameters is not for this game."""
        faults: list[str] = []
        for key, tells_hidden in self.networks.items():
            choice = getattr(self, key)
            if choice not in _NO_FILES[tells_hidden] and not (tells_hidden and rules.is_open):
                choose = weight_choice.choose_hidden_network if tells_hidden else weight_choice.choose_network
                try:
                    choose(rules, choice)
                except VariantsError as error:
                    faults.append(f"{key}={error}")
        if faults:
            raise ConfigError(faults)

    @property
    def strength(self) -> Level | None:
        """The level's limits in the present game, or None if no level is set."""
        return None if self.level is None else level_of(self.rules, self.level)

    @property
    def search_threads(self) -> int:
        """The number of search threads: by default the host's cores, or 1 if playouts or CPU time are limited."""
        return self.threads or (1 if self._has_playouts or self.cpu_time else self.cores)

    @property
    def counts_playouts(self) -> bool:
        """True if playouts, not seconds, end each search."""
        return self._has_playouts and not self.seconds

    @property
    def _has_playouts(self) -> bool:
        level = self.strength
        return bool(self.playouts or (level is not None and level.playout_limit(has_network=True)))

    def wanted_limits(self, clock: Clock, has_network: bool) -> SearchLimits:
        """Return the limits that level or parameters set, apart from the clock. 0 playouts or seconds mean no limit."""
        level = self.strength
        playouts = (self.playouts or 0) if level is None else level.playout_limit(has_network)
        seconds = self.seconds or 0.0
        is_whole_clock = clock.control.kind != "none" and self.level in (None, NUMBERS[-1])
        if not seconds and not is_whole_clock and (level is not None or not playouts):
            seconds = (level or level_of(self.rules, DEFAULT_LEVEL)).seconds
        return SearchLimits(playouts=playouts, seconds=seconds, cpu_time=bool(self.cpu_time))

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        """Begin a new game."""
        super().sit(rules, colour, seed)
        self.time_manager = TimeManager(rules)
        self._seed = seed
        self._form = Random(f"{seed}/form").uniform(_BEST_FORM, _WORST_FORM)
        self._weak: dict[str, Seat] = {}

    def weak_move(self, view: View, clock: Clock) -> int | None:
        """Return a careless move, chosen without a search, or None. The level or `slips` decides how often."""
        level = self.strength or Level()
        slips = self.slips
        if slips is None:
            slips = level.slips if level.guesses else min(1.0, self._form * level.slips)
        if slips <= 0 and level.guesses <= 0:
            return None
        drawn = self.rng.random()
        if drawn < slips:
            self.explanation = "a move that looks one stone ahead"
            return self._move_of("greedy", view, clock)
        if drawn < slips + level.guesses:
            self.explanation = "a guess"
            return self._move_of("uniform", view, clock)
        return None

    def _move_of(self, name: str, view: View, clock: Clock) -> int:
        """Return the move that another bot, with its own random numbers, would play."""
        bot = self._weak.get(name) or load(name)
        assert isinstance(bot, Seat)
        if name not in self._weak:
            self._weak[name] = bot
            bot.sit(self.rules, self.colour, f"{self._seed}/{name}")
        bot.avoided = (*self.avoided, *self.lonely_rim(view))
        return int(bot.choose(view, clock))

    def careless_moves(self, view: View) -> list[AvoidedMove]:
        """Return lonely rim points to avoid if the search is too short to find out that they are bad, else []."""
        level = self.strength
        return self.lonely_rim(view) if level is not None and 0 < level.playouts < _CARELESS else []

    def lonely_rim(self, view: View) -> list[AvoidedMove]:
        """Return lonely points on the rim as moves to avoid, or nothing if there are no other points.

        A point is lonely if no stone is within two steps. On small square boards two steps reach the middle: there a
        point is lonely if no stone touches it, even diagonally, or if no stone within two steps is the opponent's.
        """
        board = self.rules.board
        most = max(map(len, board.neighbours))
        is_small = self.rules.is_scored and not board.faces and min(board.width, board.height) < _SMALL

        def is_lonely(point: int) -> bool:
            near = board.neighbours[point]
            if len(near) == most:
                return False
            ways = Counter(q for p in near for q in board.neighbours[p])
            around = {view.stones[q] for q in {*near, *ways}} - {EMPTY}
            touching = {view.stones[q] for q in {*near, *(q for q, count in ways.items() if count > 1)}} - {EMPTY}
            return not (touching and around - {self.colour}) if is_small else not around

        points = self.points(view)
        lonely = [point for point in points if is_lonely(point)]
        return [AvoidedMove(self.colour, point, 1) for point in lonely] if len(lonely) < len(points) else []
