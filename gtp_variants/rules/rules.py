"""`Rules`: how a game starts, what may be played, what follows, how it ends and what each seat is told.

Rules never roll dice, read a clock or print. A position is a value; `play` returns the next position.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Generic, cast

from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, TOLERATE, WHITE, Event
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.options import OptionSet, text_of
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.profile import GameProfile
from gtp_variants.rules.views import News, View, Watch

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # `Rules` without a type parameter means any game's rules. This is safe: rules get only positions that they made.
    P = TypeVar("P", bound=Position, default=Position)
else:
    from typing import TypeVar

    P = TypeVar("P", bound=Position)


class Rules(ABC, Generic[P]):
    """One configured game: immutable, picklable, equal to all rules with the same SPEC.

    `colours` is the turn order. `spec` is the SPEC with every option, `short_spec` the shortest SPEC for these rules.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("phantom:size=9")
    >>> rules.short_spec, rules.colours, len(rules.board), rules.is_open
    ('phantom', (1, 2), 81, False)
    >>> position = rules.play(rules.start(), rules.board.point("E5"))
    >>> rules.actions(position)[:3], rules.outcome(position)
    ((0, 1, 2), None)
    """

    name: ClassVar[str]
    title: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[OptionSet]

    profile: ClassVar[GameProfile]

    is_scored: ClassVar[bool] = True  # True if a score decides the game
    is_open: ClassVar[bool] = True  # True if every seat is told everything
    handicap: ClassVar[str] = "none"  # "none", "free" (the players choose the points) or "fixed" (fixed or free points)
    max_players: ClassVar[int] = 2

    board: Board
    colours: tuple[int, ...] = (BLACK, WHITE)
    supply: tuple[int, ...] | None = None  # maximum stones on the board, indexed by colour; None: no limit
    end_passes: int = 0  # passes in a row that end the game; 0: passes do not end it
    reopens: bool = False  # True if an end by passes is only provisional
    has_pass: bool = True  # True if passing is ever allowed
    has_swap: bool = False  # True if the second player may take over the first stone
    komi: float = 0.0  # points White receives, 0 in a game without a score

    def __init_subclass__(cls) -> None:
        # Clear the kernel's name, because the compiled search does not know games derived from its own games.
        if "profile" not in vars(cls) and hasattr(cls, "profile"):
            cls.profile = replace(cls.profile, kernel_game="")

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self.values = self.options.resolve(self.name, given or {})
        self.lang = self.values.text("lang")
        self.spec = self.options.spec(self.name, self.values)
        self.short_spec = self.options.short_spec(self.name, self.values)
        self.agrees_on_dead = self.values.get("dead") == "agreed"  # both sides may declare chains dead after the end
        self.judges_dead = self.values.get("dead") == "judged"  # hosts let a search decide which chains are dead
        self.configure()
        self._is_frozen = True

    @abstractmethod
    def configure(self) -> None:
        """Compute the board and whatever else follows from `values`. Called once, by the constructor."""

    def __setattr__(self, name: str, value: object) -> None:
        if "_is_frozen" in self.__dict__:
            raise AttributeError(f"rules cannot be changed: {name}")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"rules cannot be changed: {name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def __repr__(self) -> str:
        return f"gtp_variants.parse({self.spec!r})"

    def __reduce__(self) -> tuple[type["Rules[P]"], tuple[dict[str, str]]]:
        shown = (option.key for option in self.options if option.applies(self.values))
        return type(self), ({key: text_of(self.values[key]) for key in shown},)

    @cached_property
    def _position_type(self) -> type[Position]:
        return type(self.start())

    # -- playing -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def start(self, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> P:
        """Return the position before the first event. `setup` maps points to colours of stones, and `to_play` begins.

        Raises NotationError for a point or colour that the game does not have, and for a chain without a liberty.
        """

    @abstractmethod
    def actions(self, position: P) -> Sequence[int]:
        """Return the actions of `position.to_play`: points ascending, then SWAP, then PASS; () when the game is over.

        The actions of CHANCE are the throws of the dice and, last, an action that opens every line. This action is not
        a throw and has probability 0, so choose a throw by `odds` or from a `DiceStream`, not uniformly.
        """

    def legal(self, position: P) -> Sequence[int]:
        """Return the `actions` that a referee would accept."""
        return self.actions(position)

    def odds(self, position: P) -> Sequence[float]:
        """Return the probability of each of CHANCE's `actions`; the last, which opens every line, has probability 0.

        Raises NotationError if no dice are to be thrown.
        """
        raise NotationError("no dice are to be thrown now")

    @abstractmethod
    def play(self, position: P, action: int, actor: int | None = None) -> P:
        """Return the position after an action of `actor`, by default of the side to play.

        Raises NotationError for a number that is not an action, and IllegalMove, with the first of
        `IllegalMove.REASONS` that applies, for a forbidden action.
        """

    def loses(self, position: P, point: int) -> bool:
        """Return True if a stone on a point loses the game at once."""
        return False

    # -- the end -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def is_over(self, position: P) -> bool:
        """Return True if the game has ended, even if only provisionally."""

    def is_suspended(self, position: P) -> bool:
        """Return True if the game has ended only provisionally: another stone would continue it."""
        return False

    def is_final(self, position: P) -> bool:
        """Return True if the game has ended and cannot continue."""
        return self.is_over(position) and not self.is_suspended(position)

    def next_pass_ends(self, position: P) -> bool:
        """Return True if one more pass would end or suspend the game, or confirm its end."""
        return 0 < self.end_passes <= position.passes + 1

    @abstractmethod
    def outcome(self, position: P) -> Outcome | None:
        """Return the outcome of the game, or None before its end."""

    def standing(self, position: P) -> Outcome | None:
        """Return the score of the board as it is now, without stones declared dead; None in a game without a score."""
        return None

    # -- what the players are told -----------------------------------------------------------------------------------

    def hears(self, before: P, event: Event, after: P, colour: int) -> News | None:
        """Return the news of an event for a seat, or None for no news. Only this and `hears_start` hide information."""
        if event.action == TOLERATE:
            # Say nothing, because the news of the stone follows.
            return None
        captured = after.captured if after.turn > before.turn else ()
        return News(event.actor, event.action, captured=captured, after=after)

    def hears_start(self, position: P, colour: int) -> News | None:
        """Return the news of a start with stones on the board or an unusual first colour; None for the usual start."""
        return None if position == self.start() else News(CHANCE, None, after=position)

    def view(self, news: Iterable[News], colour: int) -> View:
        """Return a seat's knowledge, computed from its news alone. Raises NotationError if nobody plays the colour."""
        check_seat(cast("Rules", self), colour)
        watch = self.watch(colour)
        for item in news:
            watch.hear(item)
        return watch.view()

    def watch(self, colour: int) -> Watch:
        """Return a `Watch` for a seat that has heard no news yet: the incremental form of `view`."""
        return OpenWatch(cast("Rules", self), colour)

    # -- what hosts show ---------------------------------------------------------------------------------------------

    def find_marks(self, position: P, colour: int | None = None) -> dict[str, list[int]]:
        """Return points with a special meaning in this game, such as points where a stone of `colour` loses.

        The keys are the `mark_names` of the profile. `colour` defaults to the side to move.
        """
        return {}

    def facts(self, position: P) -> dict[str, int | dict[str, int]]:
        """Return facts that only this game has, such as the passes left, under the keys that hosts read."""
        return {}


def check_fits(rules: Rules, at: object) -> None:
    """Raise ConfigError unless `at` is a view or a position of the game's type, with the game's points and colours."""
    if not isinstance(at, (rules._position_type, View)):
        raise ConfigError([f"{at!r:.40}: expected a position or a view of {rules.name}"])
    what, own = ("position", at.mover) if isinstance(at, Position) else ("view", at.colour)
    if len(at.stones) != len(rules.board):
        raise ConfigError(
            [f"a {what} of {len(at.stones)} points: expected {len(rules.board)}, as on this board of {rules.name}"]
        )
    strange = {own, *at.stones} - {EMPTY, *rules.colours} or {own} - {*rules.colours}
    if strange:
        raise ConfigError(
            [f"a {what} with colour {max(strange)}: expected {list_colours(rules)}, the colours of this game"]
        )


def check_seat(rules: Rules, colour: int) -> None:
    """Raise NotationError if `colour` is not one of the game's colours."""
    if colour not in rules.colours:
        raise NotationError(f"colour {colour}: expected {list_colours(rules)}, the colours of this game")


def list_colours(rules: Rules) -> str:
    """Return the numbers of a game's colours, for an error message."""
    return f"one of {', '.join(map(str, sorted(rules.colours)))}"


def _actions_of(rules: Rules, position: Position, colour: int) -> tuple[int, ...]:
    return tuple(rules.actions(position)) if position.to_play == colour else ()


class OpenWatch:
    """Keeps the news of a seat in an open game, in which the last piece of news holds the position."""

    def __init__(self, rules: Rules, colour: int) -> None:
        self._rules = rules
        self._colour = colour
        self._news: list[News] = []

    def hear(self, news: News) -> None:
        self._news.append(news)

    def view(self) -> View:
        rules, colour = self._rules, self._colour
        after = self._news[-1].after if self._news else None
        position = rules.start() if after is None else after
        return View(
            colour,
            position.stones,
            position.to_play,
            partial(_actions_of, rules, position, colour),
            position.turn,
            position.passes,
            rules.next_pass_ends(position),
            final=rules.is_final(position),
            position=position,
            news=tuple(self._news),
        )
