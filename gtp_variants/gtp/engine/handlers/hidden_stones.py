"""Commands for games with hidden stones: a seat under somebody's referee, what it knows, what the referee said."""

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.handler import Handler, need, only_where
from gtp_variants.gtp.engine.news_log import hidden_sentences
from gtp_variants.gtp.engine.session import Session, shown_view
from gtp_variants.rules.traits import HiddenRules

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
    if session.refereed_seat is None:
        raise CommandFailed("not under a referee: phantom-seat COLOUR comes first")
    session.refereed_seat.hear(arguments)
    return ""


@for_hidden_stones
def odds(session: Session, arguments: list[str]) -> str:
    """The probability of an enemy stone on each point, row by row from the top, for a seat: a `dboard` of GoGui."""
    need(arguments, 1, "phantom-odds COLOUR")
    odds = session.stone_odds.of(session.rules, session.view(session.colour(arguments[0])))
    if odds is None:
        raise CommandFailed("no position agrees with all the news")
    rows = session.rules.board.rows()
    return "\n" + "\n".join(" ".join(f"{odds[point]:.3f}" for point in row if point is not None) for row in rows)


@for_hidden_stones
def announcements(session: Session, arguments: list[str]) -> str:
    """What the referee said after the last try, or after all of them, a sentence a line."""
    rules = session.rules
    assert isinstance(rules, HiddenRules)
    if arguments and arguments[0].lower() != "all":
        raise NotationError(f"{arguments[0][:20]}: expected all or nothing")
    shown = shown_view(session)
    if shown is not None:
        heard = [news for news in shown.news if news.said]
        return "\n".join(hidden_sentences(rules, heard if arguments else heard[-1:]))
    if not arguments:
        return "\n".join(rules.sentences(rules.announcements(session.position)))
    game = session.table.game
    tries = (i for i in range(len(game.events)) if game.is_turn(i) or game.is_refused(i))
    return "\n".join(text for i in tries for text in rules.sentences(rules.announcements(game.positions[i + 1])))


HANDLERS: dict[str, Handler] = {
    "phantom-announcements": announcements,
    "phantom-hear": hear,
    "phantom-odds": odds,
    "phantom-seat": seat,
    "phantom-view": view,
}
