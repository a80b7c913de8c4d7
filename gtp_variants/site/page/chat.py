"""The chat of a game, with one room for players and one for spectators.

A hidden game has no chat until its end: a player could tell spectators what the other side must not know. After a game,
players may read the spectators' room. Lines are kept in memory only.
"""

from collections import deque
from dataclasses import asdict, dataclass

from gtp_variants.base.json_values import Json
from gtp_variants.records.record import printable
from gtp_variants.site.refusals import PageRefused

PLAYERS, WATCHERS = "players", "watchers"
_LONGEST_LINE = 200
_MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class RoomLine:
    """A chat line. `colour` is the colour letter of its author, or "" for a spectator."""

    room: str
    colour: str
    name: str
    text: str


class Chat:
    """The chat lines of one game."""

    def __init__(self) -> None:
        self._lines: deque[RoomLine] = deque(maxlen=_MOST_LINES)

    def say(self, colour: str, name: str, text: object) -> RoomLine:
        """Add a line by a player, or a spectator if `colour` is "". Raises PageRefused if it is empty or too long."""
        line = " ".join(printable(text).split()) if isinstance(text, str) else ""
        if not 0 < len(line) <= _LONGEST_LINE:
            raise PageRefused("page.long_line", count=_LONGEST_LINE)
        said = RoomLine(PLAYERS if colour else WATCHERS, colour, name, line)
        self._lines.append(said)
        return said

    def lines_for(self, is_seated: bool, is_over: bool) -> list[RoomLine]:
        """Return the lines a person may read. Until the game `is_over`, players read only the players' room."""
        return [line for line in self._lines if not is_seated or is_over or line.room == PLAYERS]


def message_of(lines: list[RoomLine]) -> Json:
    """Return the message with which chat lines are sent."""
    return {"type": "chat", "lines": [asdict(line) for line in lines]}
