"""Commands for games with hidden stones: a seat under somebody's referee, what it knows, what the referee said."""

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.commands import command
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules.traits import HiddenRules


@command("phantom-view")
def view(session: Session, arguments: list[str]) -> str:
    from gtp_variants.gtp.engine.handlers.gogui_rules import board_rows

    seat = session.colour(arguments[0])
    return "\n" + board_rows(session.rules.board, session.play.view(seat).stones)


@command("phantom-seat")
def seat(session: Session, arguments: list[str]) -> str:
    session.sit_down(session.colour(arguments[0]))
    return ""


@command("phantom-hear")
def hear(session: Session, arguments: list[str]) -> str:
    session.seat.hear(arguments)
    return ""


@command("phantom-odds")
def odds(session: Session, arguments: list[str]) -> str:
    """The probability of an enemy stone on each point, row by row from the top, for a seat: a `dboard` of GoGui."""
    odds = session.stone_odds.of(session.rules, session.play.view(session.colour(arguments[0])))
    if odds is None:
        raise CommandFailed("no position agrees with all the news")
    rows = session.rules.board.rows()
    return "\n" + "\n".join(" ".join(f"{odds[point]:.3f}" for point in row if point is not None) for row in rows)


@command("phantom-announcements")
def announcements(session: Session, arguments: list[str]) -> str:
    """What the referee said after the last try, or after all of them, a sentence a line."""
    rules = session.rules
    assert isinstance(rules, HiddenRules)
    if arguments and arguments[0].lower() != "all":
        raise NotationError(f"{arguments[0][:20]}: expected all or nothing")
    shown = session.play.shown_view
    if shown is not None:
        heard = [news for news in shown.news if news.said]
        return "\n".join(text for news in (heard if arguments else heard[-1:]) for text in rules.sentences(news.said))
    if not arguments:
        return "\n".join(rules.sentences(rules.announcements(session.position)))
    game = session.table.game
    tries = (i for i in range(len(game.events)) if game.is_turn(i) or game.is_refused(i))
    return "\n".join(text for i in tries for text in rules.sentences(rules.announcements(game.positions[i + 1])))
