"""What a game must answer.

Rules never roll dice, read a clock or print. A position is a value; `play` makes the next one.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, cast

from gtp_variants.errors import IllegalMove, NotationError, SpecError
from gtp_variants.rules import words
from gtp_variants.rules.actions import (
    BLACK,
    CHANCE,
    EMPTY,
    FLAG,
    FORFEIT,
    LEAVING,
    MARK_DEAD,
    PASS,
    RED,
    RESIGN,
    RESUME,
    SET_DICE,
    SETTLE,
    TURN,
    WHITE,
    Event,
    unpack,
)
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.chains import chains, liberties
from gtp_variants.rules.options import Option, Value, Values, not_default, resolve, text_of
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.views import News, View, Watch

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # `Rules` alone means the rules of any game: a position goes back only to the rules that made it.
    P = TypeVar("P", bound=Position, default=Position)
else:
    from typing import TypeVar

    P = TypeVar("P", bound=Position)

# The key of a SPEC that names a set of options.
RULES_KEY = "rules"


class Dice(Protocol):
    """Whatever throws dice for a game: see `dice.DiceStream`."""

    def draw(self, game: Any) -> int: ...


class _Sealed(ABCMeta):
    """Makes instances that cannot be changed once they are made."""

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        made = super().__call__(*arguments, **named)
        object.__setattr__(made, "_sealed", True)
        return made


class Rules(Generic[P], metaclass=_Sealed):
    """One configured game: immutable, picklable, equal to any other made from the same SPEC.

    `colours` is the turn order; there is no "the opponent of". `options` are the keys of the SPEC in order;
    `shorthands` are keys that set several of them at once, `rule_sets` what the key `rules` sets by a name.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[tuple[Option, ...]]
    shorthands: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    rule_sets: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    # What search, bots and hosts must know of a game. Nothing above this folder asks for a game's name or class.
    is_scored: ClassVar[bool] = True  # whether a score decides
    is_open: ClassVar[bool] = True  # whether every seat is told everything
    handicap: ClassVar[str] = "none"  # "none", "free" (the players choose the points) or "fixed" (both kinds)
    max_players: ClassVar[int] = 2
    is_go: ClassVar[bool] = False  # ordinary Go: programs and servers that know only Go play it by themselves
    fits_go_hosts: ClassVar[bool] = False  # whether its moves can be played on the board of such a program or server
    captures_as_go: ClassVar[bool] = False  # whether that board then shows the same stones
    mark_names: ClassVar[tuple[str, ...]] = ()  # the keys of `find_marks`
    small_spec: ClassVar[str]  # a SPEC whose games are short, for checks and examples
    default_bot: ClassVar[str] = "mcts"
    search_defaults: ClassVar[Mapping[str, bool | int | float]] = {}  # settings of a search that measured best here
    kernel_game: ClassVar[str] = ""  # under which name the compiled search knows it, "" if it does not
    # By language, for people in a Go server's chat: its name there, and its rules in one line ("" if it is Go).
    chat_titles: ClassVar[Mapping[str, str]] = {}
    chat_rules: ClassVar[Mapping[str, str]] = {}

    # The passes in a row that end the game, 0 where passes do not end it, and whether that end is only provisional.
    end_passes: int = 0
    reopens: bool = False

    board: Board
    colours: tuple[int, ...] = (BLACK, WHITE)

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        expanded = self._expanded(given or {})
        self.values: Values = MappingProxyType(
            self.settle(resolve(self.name, self.options, expanded, self.more_keys()))
        )
        self.lang = self._text("lang")
        self.board = self.make_board()

    def _expanded(self, given: Mapping[str, str]) -> dict[str, str]:
        """Keys of single options: one of its own goes before a shorthand, and that before a set, in any order."""
        expanded: dict[str, str] = {}
        if self.rule_sets and RULES_KEY in given:
            name = given[RULES_KEY].strip().lower()
            if name not in self.rule_sets:
                raise SpecError(f"{RULES_KEY}={name[:40]}: expected {' or '.join(self.rule_sets)}")
            expanded.update(self.rule_sets[name])
        for key, text in given.items():
            expanded.update(dict.fromkeys(self.shorthands.get(key, ()), text))
        more = self.more_keys()
        return expanded | {key: text for key, text in given.items() if key not in more}

    @classmethod
    def more_keys(cls) -> tuple[str, ...]:
        """The keys of a SPEC that are no options of their own, but set several."""
        return (*cls.shorthands, *((RULES_KEY,) if cls.rule_sets else ()))

    def __setattr__(self, name: str, value: object) -> None:
        if getattr(self, "_sealed", False):
            raise AttributeError(f"rules cannot be changed: {name}")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"rules cannot be changed: {name}")

    @property
    def spec(self) -> str:
        """The SPEC with every option resolved, in the order of `options`; later ones only where they are set."""
        printed = (o.key for o in self.options if not (o.later and self.values[o.key] == o.default))
        return f"{self.name}:" + ",".join(f"{key}={text_of(self.values[key])}" for key in printed)

    @property
    def short_spec(self) -> str:
        """The shortest SPEC that names these rules: without what is so by default."""
        texts = [f"{key}={text_of(value)}" for key, value in not_default(self.options, self.values).items()]
        return ":".join(filter(None, (self.name, ",".join(texts))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def __repr__(self) -> str:
        return f"gtp_variants.parse({self.spec!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ({key: text_of(value) for key, value in self.values.items()},)

    def _text(self, key: str) -> str:
        return str(self.values[key])

    def _int(self, key: str) -> int:
        value = self.values[key]
        assert isinstance(value, int)
        return value

    # -- what a game must say ---------------------------------------------------------------------------------------

    @abstractmethod
    def make_board(self) -> Board:
        """The board for these options."""

    def settle(self, values: dict[str, Value]) -> dict[str, Value]:
        """The options after their effects on each other. Raises SpecError for a combination that cannot be."""
        return values

    @abstractmethod
    def start(self, setup: Mapping[int, int] | None = None, to_play: int | None = None) -> P:
        """The position before the first event; `setup` maps points to colours of stones placed beforehand.

        Raises NotationError if a chain of the setup has no liberty.
        """

    @abstractmethod
    def actions(self, position: P) -> Sequence[int]:
        """What `position.to_play` may do, CHANCE too: points in order of number, then SWAP, then PASS. () when over."""

    @abstractmethod
    def put(self, position: P, point: int) -> P:
        """The position after the side to move placed a stone on a point of the board. Raises IllegalMove."""

    @abstractmethod
    def is_over(self, position: P) -> bool:
        """Whether the game has ended, if only provisionally."""

    @abstractmethod
    def outcome(self, position: P) -> Outcome | None:
        """How the game ended, None while it goes on."""

    # -- playing ----------------------------------------------------------------------------------------------------

    def play(self, position: P, action: int, actor: int | None = None) -> P:
        """The position after an action; `actor` is who acts, the side to play if None.

        Raises IllegalMove with the first of `IllegalMove.REASONS` that applies.
        """
        if action >= 0:
            self.expect_turn(position, actor)
            if position.to_play == CHANCE:
                return self.throw(position, action)
            if action >= len(self.board):
                raise self.illegal("off board")
            return self.put(position, action)
        kind, argument = unpack(action)
        if kind < FORFEIT or (argument and kind not in (SET_DICE, MARK_DEAD)):
            raise NotationError(f"action {action}: there is no such action")
        by = position.mover if actor is None else actor
        if kind in LEAVING:
            return self.leave(position, action, by)
        if kind == TURN:
            return position if by == position.mover else self.turn_to(position, by)
        if kind == MARK_DEAD:
            return self.mark_dead(position, argument)
        if self.is_final(position):
            raise self.illegal("game over")
        if kind == SETTLE:
            return self.settle_end(position)
        if kind == SET_DICE:
            return self.set_dice(position, argument)
        if by != position.mover:
            raise self.not_turn(position)
        if kind == RESUME:
            return self.resume(position)
        self.expect_turn(position, by)
        if kind == PASS:
            return self.pass_turn(position)
        return self.swap(position)

    def pass_turn(self, position: P) -> P:
        """The position after a pass."""
        raise self.illegal("no pass")

    def swap(self, position: P) -> P:
        """The position after the second player took over the first stone."""
        raise self.illegal("no swap")

    def turn_to(self, position: P, colour: int) -> P:
        """The position with `colour` to move: the other side is passed over, which counts neither pass nor turn.

        A game without passes allows it only before the first stone, where a host may let either side begin.
        """
        if self.is_final(position):
            raise self.illegal("game over")
        if position.last is not None or len(self.colours) != 2 or colour not in self.colours:
            raise self.not_turn(position)
        return replace(position, mover=colour)

    def resume(self, position: P) -> P:
        """The position after somebody objected to the end by passes."""
        raise NotationError(self.sentence("not suspended"))

    def settle_end(self, position: P) -> P:
        """The position whose provisional end has become final."""
        raise NotationError(self.sentence("not suspended"))

    def mark_dead(self, position: P, point: int) -> P:
        """The position after both sides agreed that the chain on a point is dead, or no longer."""
        raise NotationError(f"not a game with agreement on dead stones: {self.name}")

    def throw(self, position: P, action: int) -> P:
        """The position after the dice fell."""
        raise NotationError(f"not a game with dice: {self.name}")

    def set_dice(self, position: P, dice: int) -> P:
        """The position with other dice in force."""
        raise NotationError(f"not a game with dice: {self.name}")

    # -- what most games leave as it is -----------------------------------------------------------------------------

    def suspended(self, position: P) -> bool:
        """Whether the game is over only as long as nobody objects: a stone opens it again."""
        return False

    def legal(self, position: P) -> Sequence[int]:
        """The actions that will be carried out: all of `actions`, but for tries a referee would refuse."""
        return self.actions(position)

    def odds(self, position: P) -> Sequence[float]:
        """Probability of each of `actions`, for CHANCE only. Raises NotationError while no dice are to be thrown."""
        raise NotationError("no dice are to be thrown now")

    def faces(self, position: P, action: int) -> tuple[int, ...]:
        """What the dice show for a CHANCE action; () where no dice are thrown."""
        return ()

    def standing(self, position: P) -> Outcome | None:
        """The score as the board stands, None in a game without a score."""
        return None

    def hears(self, before: P, event: Event, after: P, colour: int) -> News | None:
        """What one seat is told of an event, None if nothing: the one filter of information."""
        captured = after.captured if after.turn > before.turn else ()
        return News(event.actor, event.action, captured=captured, after=after)

    def told_at_start(self, position: P, colour: int) -> News | None:
        """What one seat is told of a start that is not the usual one: stones stand there, or somebody else begins."""
        return None if position == self.start() else News(CHANCE, None, after=position)

    def view(self, news: Iterable[News], colour: int) -> View:
        """What a seat knows, from what it heard and nothing else."""
        watch = self.watch(colour)
        for item in news:
            watch.hear(item)
        return watch.view()

    def watch(self, colour: int) -> "Watch":
        """An empty seat that will be told news one by one: the incremental form of `view`."""
        return OpenWatch(cast("Rules", self), colour)

    def imagine(self, view: View, rng: Random) -> P:
        """A position that agrees with everything the view holds; in an open game the position itself."""
        return self.start() if view.position is None else view.position  # type: ignore[return-value]

    def next_pass_ends(self, position: P) -> bool:
        """Whether one more pass would end or suspend the game, or confirm its end."""
        return False

    def anywhere(self, view: View) -> Sequence[int]:
        """The points where the seat might play under some draw of the dice, whatever was drawn now."""
        return [action for action in view.actions if action >= 0]

    def loses(self, position: P, point: int) -> bool:
        """Whether a stone there loses the game at once."""
        return False

    def sentence(self, key: str, **parts: object) -> str:
        """A sentence in this game's language."""
        return words.sentence(key, self.lang, **parts)

    def find_marks(self, position: P, colour: int | None = None) -> dict[str, list[int]]:
        """Points that mean something in this game alone, under `mark_names`: where a stone of `colour` loses, say.

        `colour` is the side to move if None.
        """
        return {}

    @property
    def agrees_on_dead(self) -> bool:
        """Whether both sides may call chains dead after the passes that end the game."""
        return self.values.get("dead") == "agreed"

    def kernel_facts(self) -> dict[str, object]:
        """What the compiled search must know of these rules besides the board, under the names it has for them."""
        return {}

    def describe_state(self, position: P) -> dict[str, Any]:
        """What only this game has to say of a position, under the keys that hosts read."""
        return {}

    def describe_view(self, view: View) -> dict[str, Any]:
        """What `describe_state` says, as far as a seat of a hidden game may know it."""
        return {}

    def named(self, points: Iterable[int]) -> list[str]:
        """The vertices of points, by column and then row."""
        return [self.board.vertices[point] for point in self.board.listed(points)]

    # -- shared pieces ----------------------------------------------------------------------------------------------

    def illegal(self, reason: str, **parts: object) -> IllegalMove:
        """The exception for a reason, with its sentence."""
        return IllegalMove(reason, self.sentence(reason, **parts))

    def after(self, position: P, colour: int) -> int:
        """The colour that moves after `colour`, those who left skipped."""
        gone = {event.actor for event in position.out}
        order = self.colours
        index = order.index(colour)
        for step in range(1, len(order) + 1):
            following = order[(index + step) % len(order)]
            if following not in gone:
                return following
        return colour

    def others(self, colour: int) -> tuple[int, ...]:
        """Every colour of the game but one."""
        return tuple(other for other in self.colours if other != colour)

    def is_final(self, position: P) -> bool:
        """Whether the game is over for good."""
        return self.is_over(position) and not self.suspended(position)

    def expect_turn(self, position: P, actor: int | None) -> None:
        """Raises IllegalMove unless the game goes on and `actor` is the one to play."""
        if self.is_final(position):
            raise self.illegal("game over")
        if position.to_play == CHANCE and actor in self.colours:
            raise IllegalMove("not your turn", self.sentence("no die"))
        if actor is not None and actor != position.to_play:
            raise self.not_turn(position)

    def not_turn(self, position: P) -> IllegalMove:
        """The exception for somebody who is not to move."""
        return self.illegal("not your turn", name=words.name(position.mover, self.lang))

    def leave(self, position: P, action: int, actor: int) -> P:
        """The position after somebody resigned, lost on time or forfeited."""
        if actor not in self.colours:
            raise self.not_turn(position)
        if self.is_final(position) or any(event.actor == actor for event in position.out):
            raise self.illegal("game over")
        event = Event(actor, action)
        left = replace(position, out=(*position.out, event), last=event, captured=())
        if position.mover == actor and len(self.colours) - len(left.out) > 1:
            left = replace(left, mover=self.after(left, actor))
        return left

    def last_left(self, position: P) -> Outcome | None:
        """The outcome if all but one have left."""
        if not position.out or len(position.out) < len(self.colours) - 1:
            return None
        gone = {event.actor for event in position.out}
        winner = next(colour for colour in self.colours if colour not in gone)
        how = {RESIGN: "resign", FLAG: "time", FORFEIT: "forfeit"}[position.out[-1].action]
        return Outcome(winner, how)

    def lay_out(self, setup: Mapping[int, int] | None) -> bytes:
        """The stones of a setup. Raises NotationError for a colour not in the game or a chain that cannot stand."""
        stones = bytearray(len(self.board))
        for point, colour in (setup or {}).items():
            if not 0 <= point < len(self.board):
                raise NotationError(f"setup: there is no point {point}")
            if colour not in self.colours:
                raise NotationError(self._nobody(colour))
            stones[point] = colour
        for members in chains(self.board, stones):
            if not liberties(self.board, stones, members) and not self.stands(stones, members):
                raise NotationError(f"setup: the chain on {self.board.vertex(members[0])} has no liberty")
        return bytes(stones)

    def opener(self, to_play: int | None, usual: int) -> int:
        """Who begins. Raises NotationError for a colour not in the game."""
        if to_play is not None and to_play not in self.colours:
            raise NotationError(self._nobody(to_play))
        return usual if to_play is None else to_play

    def _nobody(self, colour: int) -> str:
        name = words.name(colour) if 0 < colour <= RED else f"colour {colour}"
        return f"setup: nobody plays {name} in this game"

    def stands(self, stones: bytes | bytearray, members: Sequence[int]) -> bool:
        """Whether a chain without a liberty may stay on the board."""
        return False

    def count_taken(self, position: P, colour: int, captured: Sequence[int]) -> tuple[int, ...]:
        """`taken` after `colour` removed these points, its own stones not counted."""
        taken = list(position.taken)
        taken[colour] += sum(1 for point in captured if position.stones[point] not in (EMPTY, colour))
        return tuple(taken)


def _actions_of(rules: Rules, position: Position, colour: int) -> tuple[int, ...]:
    return tuple(rules.actions(position)) if position.to_play == colour else ()


class OpenWatch:
    """A seat in an open game: the last news holds the position."""

    def __init__(self, rules: Rules, colour: int) -> None:
        self._rules = rules
        self._colour = colour
        self._news: list[News] = []

    def hear(self, news: News) -> None:
        """Take in one piece of news."""
        self._news.append(news)

    def view(self) -> View:
        """What the seat knows now."""
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
