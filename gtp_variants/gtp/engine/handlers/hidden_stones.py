"""Commands for games with hidden stones: a seat under somebody's referee, what it knows, what the referee said."""

from typing import Any

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.handler import Handler, need, only_where
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.hidden import HiddenRules
from gtp_variants.rules.views import Said

for_hidden_stones = only_where(lambda game: issubclass(game, HiddenRules))


@for_hidden_stones
def view(session: Session, arguments: list[str]) -> str:
    from gtp_variants.gtp.engine.handlers.gogui_rules import board_rows

    need(arguments, 1, "phantom-view COLOUR")
    seat = session.colour(arguments[0])
    return "\n" + board_rows(session.rules.board, session.view(seat).stones)


@for_hidden_stones
def seat(session: Session, arguments: list[str]) -> str:
    need(arguments, 1, "phantom-seat COLOUR")
    session.sit_down(session.colour(arguments[0]))
    return ""


@for_hidden_stones
def hear(session: Session, arguments: list[str]) -> str:
    if session.seated is None:
        raise CommandFailed("not under a referee: phantom-seat COLOUR comes first")
    session.seated.hear(arguments)
    return ""


@for_hidden_stones
def odds(session: Session, arguments: list[str]) -> str:
    """The probability of an enemy stone on each point, row by row from the top, for a seat: a `dboard` of GoGui."""
    need(arguments, 1, "phantom-odds COLOUR")
    board, odds = session.rules.board, session.odds(session.colour(arguments[0]))
    if odds is None:
        raise CommandFailed("no position agrees with all the news")
    size = range(board.width)
    rows = (" ".join(f"{odds[y * board.width + x]:.3f}" for x in size) for y in reversed(range(board.height)))
    return "\n" + "\n".join(rows)


@for_hidden_stones
def announcements(session: Session, arguments: list[str]) -> str:
    rules: Any = session.rules
    if arguments and arguments[0].lower() != "all":
        raise NotationError(f"{arguments[0][:20]}: expected all or nothing")
    if session.seated is not None:
        told = [news.said for news in session.seated.view.news if news.said]
        return "\n".join(text for said in (told if arguments else told[-1:]) for text in rules.sentences(said))
    if not arguments:
        return "\n".join(rules.sentences(rules.announcements(session.position)))
    game = session.table.game
    sentences: list[str] = []
    for index, (event, after) in enumerate(zip(game.events, game.positions[1:], strict=False)):
        said: tuple[Said, ...] = rules.announcements(after) if game.is_turn(index) or game.is_refused(index) else ()
        if event.actor != CHANCE:
            sentences += rules.sentences(said)
    return "\n".join(sentences)


HANDLERS: dict[str, Handler] = {
    "phantom-announcements": announcements,
    "phantom-hear": hear,
    "phantom-odds": odds,
    "phantom-seat": seat,
    "phantom-view": view,
}
