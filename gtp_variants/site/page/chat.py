"""A small chat at a game: those who play and those who watch each have a room of their own.

Nothing is written in a hidden game before its end: who watches could be told by one who plays what the other side must
not know. Those who play read what was said by those who watch when the game is over. Lines are kept in memory only.
"""

from collections import deque
from dataclasses import asdict, dataclass

from gtp_variants.base.json_values import Json
from gtp_variants.records.record import printable
from gtp_variants.site.http import PageRefused

PLAYERS, WATCHERS = "players", "watchers"
_LONGEST_LINE = 200
_MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class RoomLine:
    """What somebody said: their colour's letter, "" for who watches, and what they are called."""

    room: str
    colour: str
    name: str
    text: str


class Chat:
    """The lines of one game."""

    def __init__(self) -> None:
        self._lines: deque[RoomLine] = deque(maxlen=_MOST_LINES)

    def say(self, colour: str, name: str, text: object) -> RoomLine:
        """Somebody at a colour, "" for who watches, says something. Raises PageRefused for what is no line."""
        line = " ".join(printable(text).split()) if isinstance(text, str) else ""
        if not 0 < len(line) <= _LONGEST_LINE:
            raise PageRefused("page.long_line", count=_LONGEST_LINE)
        said = RoomLine(PLAYERS if colour else WATCHERS, colour, name, line)
        self._lines.append(said)
        return said

    def lines_for(self, is_seated: bool, is_over: bool) -> list[RoomLine]:
        """What somebody may read: those who watch all of it, those who play their own room before the end."""
        return [line for line in self._lines if not is_seated or is_over or line.room == PLAYERS]


def expect_open(is_wanted: bool, is_shown: bool) -> None:
    """Check that people may chat: the host wants it, and nothing is hidden. Raises PageRefused."""
    if not is_wanted:
        raise PageRefused("page.no_chat")
    if not is_shown:
        raise PageRefused("page.chat_later")


def message_of(lines: list[RoomLine]) -> Json:
    """The message that tells lines."""
    return {"type": "chat", "lines": [asdict(line) for line in lines]}
