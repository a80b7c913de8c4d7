"""The declarations of all GTP commands by subject, from `commands.toml`, and the registry of their handlers.

The handlers of a subject are loaded when one of its commands is first used. This saves time, as a GUI starts several
engines for one window and needs few commands from each.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, nan
from pathlib import Path
from typing import TypeVar

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.engine_host import KGS
from gtp_variants.gtp.engine.session import Session
from gtp_variants.lang import load
from gtp_variants.rules import find_games
from gtp_variants.rules.options import read_number
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules

# A handler returns the answer's text, an iterator of lines to send one by one, or None for an empty answer.
Handler = Callable[[Session, list[str]], str | Iterator[str] | None]
AnyHandler = TypeVar("AnyHandler", bound=Handler)


# Values of `in_seat`: a command works at our own table, or in a seat that another program referees. None means both.
_TABLE, _SEAT = False, True
# By `in_seat`: the error message of a command that does not work here.
_ELSEWHERE = {None: "", _TABLE: "under a referee", _SEAT: "not under a referee: phantom-seat COLOUR comes first"}


@dataclass(frozen=True, slots=True)
class Games:
    """The games in which a command works: a description, a test of the rules, and the refusal in other games."""

    words: str
    fits: Callable[[Rules], bool]
    refusal: Callable[[], str]


def _kind(words: str, fits: Callable[[type[Rules]], bool]) -> Games:
    return Games(words, lambda rules: fits(type(rules)), lambda: f"not a {find_games(fits)[0]} game")


def _with_marks(words: str, mark: str) -> Games:
    return _kind(words, lambda game: mark in game.profile.mark_names)


# The games that `commands.toml` names.
_GAMES = {
    "with dice": _kind("games with dice", lambda game: issubclass(game, DicedRules)),
    "hidden": _kind("games with hidden stones", lambda game: issubclass(game, HiddenRules)),
    "with losing moves": _with_marks("games with moves that lose at once", "losing"),
    "with rows": _with_marks("games won by a row of stones", "line"),
    "with immune stones": _with_marks("games with immune stones", "immune"),
    "ordinary Go": _kind("ordinary Go", lambda game: game.profile.is_go),
    # For commands of GoGui and KataGo, which support only two colours.
    "for two": Games("games for two players", lambda rules: len(rules.colours) == 2, lambda: "not a game for two"),
    "with handicap": Games(
        "games with handicap", lambda rules: rules.handicap != "none", lambda: "not a game with handicap"
    ),
    "with fixed handicap": Games(
        "games with fixed handicap points", lambda rules: rules.handicap == "fixed", lambda: "not a game with handicap"
    ),
}


@dataclass(frozen=True, slots=True)
class GtpCommand:
    """A GTP command as hosts see it.

    In `arguments`, optional arguments are in brackets, and "..." follows repeated arguments. `answer` is "" for an
    empty answer. `games` is None for all games. A refusal of too few or too many arguments shows `usage`.
    """

    name: str
    help: str
    arguments: str = ""
    answer: str = ""
    games: Games | None = None
    in_seat: bool | None = None
    expected: str = ""
    ignores_surplus: bool = False

    @property
    def usage(self) -> str:
        """The text for too few or too many arguments: `expected` if given, or else the name and the arguments."""
        return self.expected or f"{self.name} {self.arguments or 'without arguments'}"

    @property
    def places(self) -> tuple[bool, ...]:
        """The values of `Session.is_in_seat` for which the command works."""
        return (_TABLE, _SEAT) if self.in_seat is None else (self.in_seat,)

    def check(self, session: Session, arguments: Sequence[str]) -> None:
        """Raise CommandFailed in the wrong game or place, or NotationError for too few or too many arguments."""
        if self.games is not None and not self.games.fits(session.rules):
            raise CommandFailed(self.games.refusal())
        if session.is_in_seat not in self.places:
            raise CommandFailed(_ELSEWHERE[self.in_seat])
        least, most = _argument_counts(self.arguments)
        need(arguments, least, self.usage)
        if len(arguments) > most and "..." not in self.arguments and not self.ignores_surplus:
            raise NotationError(f"{arguments[most][:20]}: expected {self.usage}")

    @property
    def errors(self) -> list[str]:
        """The errors that the declaration implies: too few arguments, an unsupported game, or the wrong place."""
        found = [
            f"syntax error: expected {self.usage}" if _argument_counts(self.arguments)[0] else "",
            self.games.refusal() if self.games else "",
            _ELSEWHERE[self.in_seat],
        ]
        return [error for error in found if error]

    def describe(self) -> str:
        """Return the text of `help COMMAND`: its purpose, arguments, answer, games and errors, each on a line."""
        lines = [
            self.help,
            f"arguments: {self.arguments or 'none'}",
            f"answer: {self.answer or 'empty'}",
            f"games: {self.games.words if self.games else 'all'}",
            *(f"error: {error}" for error in self.errors),
        ]
        return "\n".join(lines)


@cache
def _argument_counts(arguments: str) -> tuple[int, int]:
    """Return the number of arguments that are not in brackets, and the number of all arguments."""
    return len(re.sub(r"\[.*?\]|\.\.\.", "", arguments).split()), len(arguments.split())


def _declaration(
    name: str, games: str = "", works: str = "", *, ignores_surplus: bool = False, **texts: str
) -> GtpCommand:
    """Return the declaration in an entry of `commands.toml`."""
    in_seat = {"": None, "at our table": _TABLE, "in a seat": _SEAT}[works]
    known = _GAMES[games] if games else None
    return GtpCommand(name, games=known, in_seat=in_seat, ignores_surplus=ignores_surplus, **texts)


# Commands by subject. Each subject is also the name of the module in handlers/ that has their handlers.
DECLARATIONS = {
    subject: [_declaration(name, **entry) for name, entry in entries.items()]
    for subject, entries in load(Path(__file__).with_name("commands.toml")).items()
}
COMMANDS = {each.name: each for commands in DECLARATIONS.values() for each in commands}
_WITHOUT_CHAT = {name: each for name, each in COMMANDS.items() if name != "kgs-chat"}


def known_commands(session: Session) -> Mapping[str, GtpCommand]:
    """Return the commands of this process by name. They include kgs-chat only if `quirks.chat` asks for it.

    kgsGtp 3.5.20 and later, unlike 3.5.11, crash with an engine that has kgs-chat.
    """
    return COMMANDS if session.quirks.chat == KGS else _WITHOUT_CHAT


# Handlers by command name and place: True for a refereed seat, False for our own table.
HANDLERS: dict[tuple[str, bool], Handler] = {}


def command(*names: str, in_seat: bool | None = None) -> Callable[[AnyHandler], AnyHandler]:
    """Return a decorator that registers a handler for a refereed seat or our table, or for both if `in_seat` is None.

    Raises ImportError if the command is not declared for that place or already has a handler.
    """

    def register(handler: AnyHandler) -> AnyHandler:
        for name in names:
            places = COMMANDS[name].places if name in COMMANDS else ()
            fitting = [place for place in places if in_seat in (None, place)]
            if not fitting or any((name, place) in HANDLERS for place in fitting):
                raise ImportError(f"{name}: expected a declared command with one handler")
            HANDLERS.update({(name, place): handler for place in fitting})
        return handler

    return register


def register_all(handlers: Mapping[str, Handler], *, in_seat: bool | None = None) -> None:
    """Register one-line handlers by command name; `in_seat` is as in `command`."""
    for name, handler in handlers.items():
        command(name, in_seat=in_seat)(handler)


# -- arguments ---------------------------------------------------------------------------------------------------------


def need(arguments: Sequence[str], count: int, usage: str) -> None:
    """Raise NotationError if there are fewer than `count` arguments."""
    if len(arguments) < count:
        raise NotationError(f"expected {usage}")


def read_whole(word: str, usage: str, least: float = -inf) -> int:
    """Return a whole number, cut to its first 12 digits. Raises NotationError if it is invalid or below `least`."""
    is_long = word.isascii() and word.isdigit()
    number = int(word.lstrip("0")[:12] or "0") if is_long else read_seconds(word, usage, least)
    if number != int(number) or number < least:
        raise NotationError(f"{word[:20]}: expected {usage}")
    return int(number)


def read_seconds(word: str, usage: str, least: float = 0.0) -> float:
    """Return a time in seconds. Raises NotationError if it is invalid or below `least`."""
    try:
        number = float(read_number(word))
    except ValueError:
        number = nan
    if not number >= least:
        raise NotationError(f"{word[:20]}: expected {usage}")
    return number
