"""The chat of a game, with one room for players and one for spectators.

A hidden game has no chat until its end: a player could tell spectators what the other side must not know. After a game,
players may read the spectators' room. A site keeps the lines with their game.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gtp_variants.base.json_values import Json
from gtp_variants.records.record import printable
from gtp_variants.site.refusals import PageRefused

PLAYERS, WATCHERS = "players", "watchers"
_LONGEST_LINE = 200
MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class RoomLine:
    """A chat line. `colour` is the colour letter of its author, or "" for a spectator.

    `number` counts the lines of both rooms. It is for the operator only: it would tell players how much spectators say.
    """

    number: int
    room: str
    colour: str
    name: str
    text: str


class Chat:
    """The chat lines of one game."""

    def __init__(self, lines: Iterable[RoomLine] = ()) -> None:
        self.lines = list(lines)

    def say(self, colour: str, name: str, text: object) -> RoomLine:
        """Add a line by a player, or a spectator if `colour` is "". Raises PageRefused if it is empty or too long."""
        line = " ".join(printable(text).split()) if isinstance(text, str) else ""
        if not 0 < len(line) <= _LONGEST_LINE:
            raise PageRefused("page.long_line", count=_LONGEST_LINE)
        number = self.lines[-1].number + 1 if self.lines else 0
        said = RoomLine(number, PLAYERS if colour else WATCHERS, colour, name, line)
        self.lines = [*self.lines[1 - MOST_LINES :], said]
        return said

    def remove(self, number: int) -> None:
        """Remove the line with this number."""
        self.lines = [line for line in self.lines if line.number != number]

    def rename(self, before: str, name: str) -> bool:
        """Give an author another name. Return True if there are lines by them."""
        is_author = any(line.name == before for line in self.lines)
        self.lines = [replace(line, name=name) if line.name == before else line for line in self.lines]
        return is_author

    def lines_for(self, is_seated: bool, is_over: bool) -> list[RoomLine]:
        """Return the lines a person may read. Until the game `is_over`, players read only the players' room."""
        return [line for line in self.lines if not is_seated or is_over or line.room == PLAYERS]


def message_of(lines: list[RoomLine]) -> Json:
    """Return the message with which chat lines are sent."""
    keys = ("room", "colour", "name", "text")
    return {"type": "chat", "lines": [{key: getattr(line, key) for key in keys} for line in lines]}
