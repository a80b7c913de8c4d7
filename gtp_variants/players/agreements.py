"""Who plays a hosted game, and what they ask of each other (undo, other dice, count, break off) until all agree.

The point that a person names at a host of games, refused in words of their language.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.lang import RequestRefused
from gtp_variants.players import bots
from gtp_variants.players.table import Table, check, is_undoable, list_departures, set_dice
from gtp_variants.records.record import printable
from gtp_variants.rules.actions import SET_DICE, pack, unpack
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.dice import DiceKind, read_dice
from gtp_variants.rules.traits import DicedRules

PERSON, BOT, ACCOUNT, ELSEWHERE = "person", "bot", "account", "elsewhere"


@dataclass(frozen=True, slots=True)
class Participant:
    """Who plays a colour: a person here, a bot by name, an account of a server, or somebody who plays elsewhere.

    `key` is the SHA-256 of the token that opens a person's seat, `level` that of a bot which has levels.
    """

    kind: str = PERSON
    name: str = ""
    level: int | None = None
    key: str = ""

    @property
    def bot(self) -> str:
        """The bot's name with its level."""
        return self.name if self.level is None else bots.with_parameter(self.name, "level", f"{self.level}")


_LONGEST_WORD = 20
_COLUMN_I = re.compile(r"[a-z]?i[a-z]?[0-9]+", re.IGNORECASE)


def read_point(board: Board, word: str) -> int:
    """The point a word names. Raises RequestRefused if it names none here."""
    try:
        return board.point(word)
    except (NotationError, IllegalMove):
        key = "refused_requests.no_column_i" if _COLUMN_I.fullmatch(word) else "refused_requests.no_point"
        shown = f"'{printable(word[:_LONGEST_WORD])}'"
        raise RequestRefused(key, word=shown, example=example_point(board)) from None


def example_point(board: Board) -> str:
    """A point of the board, to show how points are named."""
    return board.vertices[len(board) // 2]


# What is asked for in most games: to take back, other dice, to count the board as it is marked, no result.
UNDO, DICE, COUNT, BREAK_OFF = "undo", "dice", "count", "break off"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the person of a colour asks for, with a `value` such as which dice; `agreed` are all who want the same."""

    kind: str
    colour: int
    value: str
    agreed: frozenset[int]


class Agreements:
    """Who would like what, by kind of proposal. Somebody's last word on a kind counts."""

    def __init__(self, words: Mapping[str, Mapping[int, str]] | None = None) -> None:
        self._words = {kind: dict(each) for kind, each in (words or {}).items() if each}

    @property
    def words(self) -> Mapping[str, Mapping[int, str]]:
        """What everybody would like, by kind and colour, in the order in which it was said."""
        return self._words

    def add(self, kind: str, colours: Collection[int], value: str, people: Collection[int]) -> bool:
        """Note what the people of some colours would like; whether all people want the same now, which settles it."""
        said = self._words.setdefault(kind, {})
        said.update(dict.fromkeys(colours, value))
        if any(said.get(each) != value for each in people):
            return False
        self.clear(kind)
        return True

    def find(self, *kinds: str) -> Proposal | None:
        """What was asked for first and is not settled, of these kinds; None for nothing."""
        for kind in kinds:
            for colour, value in self._words.get(kind, {}).items():
                agreed = frozenset(each for each, theirs in self._words[kind].items() if theirs == value)
                return Proposal(kind, colour, value, agreed)
        return None

    def value_of_others(self, kind: str, colour: int) -> str | None:
        """What somebody else would like, None for nothing."""
        return next((value for each, value in self._words.get(kind, {}).items() if each != colour), None)

    def clear(self, *kinds: str) -> None:
        """Forget what was asked for."""
        for kind in kinds:
            self._words.pop(kind, None)


class TableRequests:
    """What the people at a table may ask of each other, and how it is carried out once they agree.

    `seats` are who plays, by colour; with `one_speaks_for_all` who asks for one person asks for all.
    """

    def __init__(self, table: Table, seats: Mapping[int, Participant], one_speaks_for_all: bool) -> None:
        self.people = [colour for colour, each in seats.items() if each.kind == PERSON]
        self._table = table
        self._seats = seats
        self._one_speaks_for_all = one_speaks_for_all

    @property
    def voters(self) -> Collection[int]:
        """The people whose word counts: all but those who left while others play on."""
        gone = {event.actor for event in list_departures(self._table)}
        return [colour for colour in self.people if colour not in gone]

    @property
    def is_with_bots(self) -> bool:
        """Whether a bot plays: it agrees to everything, so nobody minds what a person asks for."""
        return any(each.kind == BOT for each in self._seats.values())

    def voices(self, colour: int) -> Collection[int]:
        """Return the colours for which the person of a colour speaks."""
        return self.people if self._one_speaks_for_all else (colour,)

    def expect_voter(self, colour: int) -> None:
        """Raise RequestRefused if this person has left a game that others play on."""
        if not set(self.voices(colour)) & set(self.voters):
            raise RequestRefused("refused_requests.left")

    def expect_undoable(self, is_counting: bool) -> None:
        """Raise RequestRefused where no person's turn can be taken back, or somebody would learn something by it."""
        game, people = self._table.game, self.voters
        mine = [i for i, event in enumerate(game.events) if is_undoable(game, i) and event.actor in people]
        if is_counting or not self._table.rules.is_open or not mine:
            raise RequestRefused("refused_requests.nothing_to_undo")
        # Otherwise a turn could be played under the draw of either dice.
        if self.is_with_bots and any(unpack(event.action)[0] == SET_DICE for event in game.events[mine[-1] :]):
            raise RequestRefused("refused_requests.undo_dice")

    def take_back(self) -> None:
        """Go back to before the last turn of a person who plays on."""
        if isinstance(self._table.rules, DicedRules):
            coming = self._table.draws.coming
            coming.furthest = max(coming.furthest, self._table.position.turn)
        people, left = self.voters, list_departures(self._table)
        # A bot's moves go with the person's before them.
        while self._table.undo().actor not in people:
            pass
        # Who is not asked is not brought back either.
        for event in left:
            if event not in self._table.position.out:
                self._table.play(event.actor, event.action)

    def read_other_dice(self, text: str) -> str:
        """Return the dice that a person asks for, as they are written.

        Raises RequestRefused for dice that may not come now: who changes them at will chooses among draws.
        """
        position, rules = self._table.position, self._table.rules
        if not isinstance(rules, DicedRules):
            raise RequestRefused("refused_requests.no_dice")
        try:
            value = str(read_dice(text))
        except ValueError:
            raise RequestRefused("refused_requests.bad_dice") from None
        now = rules.dice_of(position)
        if self.is_with_bots and rules.slots > 1:
            raise RequestRefused("refused_requests.dice_known")
        if self.is_with_bots:
            is_known = value == str(self._table.draws.coming.after(position.turn) or now)
        else:
            is_known = rules.cast(position, 0) > 0 or value == str(now)
        if is_known:
            raise RequestRefused("refused_requests.dice_once")
        return value

    def change_dice(self, dice: DiceKind) -> None:
        """Change the dice: between people at once, against a bot from the first turn whose draw nobody has seen."""
        if not self.is_with_bots:
            set_dice(self._table, dice.count, dice.sides)
            return
        check(self._table, self._table.position.mover, pack(SET_DICE, dice.code))
        self._table.draws.coming.add(self._table.position.turn, dice)
