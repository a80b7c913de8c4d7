"""What handlers of GTP commands share: their type, arguments read, and the games that a command is for."""

from collections.abc import Callable, Iterator, Sequence

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules import find_games
from gtp_variants.rules.options import read_number
from gtp_variants.rules.rules import Rules

# Answers a text, or an iterator of lines that are sent as they come.
Handler = Callable[[Session, list[str]], str | Iterator[str]]


def only_where(fits: Callable[[type[Rules]], bool]) -> Callable[[Handler], Handler]:
    """A decorator: the command is for games that fit, and answers `not a NAME game` elsewhere."""

    def wrap(handler: Handler) -> Handler:
        def check_game(session: Session, arguments: list[str]) -> str | Iterator[str]:
            if not fits(type(session.rules)):
                raise CommandFailed(f"not a {find_games(fits)[0]} game")
            return handler(session, arguments)

        return check_game

    return wrap


def for_two(handler: Handler) -> Handler:
    """A decorator: GoGui knows two colours, so the command fails in a game of three."""

    def check_colours(session: Session, arguments: list[str]) -> str | Iterator[str]:
        if len(session.rules.colours) != 2:
            raise CommandFailed("not a game for two")
        return handler(session, arguments)

    return check_colours


def remember(session: Session, key: str, make: Callable[[], str]) -> str:
    """A text about the position, made only the first time it is asked for in one of the last positions."""
    return session.texts.get(session.position, key, make)


def need(arguments: Sequence[str], count: int, usage: str) -> None:
    """Check that there are at least so many arguments; more are ignored, as GTP programs do. Raises NotationError."""
    if len(arguments) < count:
        raise NotationError(f"expected {usage}")


def read_whole(word: str, usage: str) -> int:
    """A whole number, a very large one as some large number. Raises NotationError."""
    if word.isascii() and word.isdigit():
        return int(word.lstrip("0")[:12] or "0")
    try:
        number = read_number(word)
    except ValueError:
        raise NotationError(f"{word[:20]}: expected {usage}") from None
    if number != int(number):
        raise NotationError(f"{word[:20]}: expected {usage}")
    return int(number)


def read_seconds(word: str, usage: str) -> float:
    """A time of 0 seconds or more. Raises NotationError."""
    try:
        number = read_number(word)
    except ValueError:
        number = -1.0
    if number < 0:
        raise NotationError(f"{word[:20]}: expected {usage}")
    return float(number)
