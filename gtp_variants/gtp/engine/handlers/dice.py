"""Commands for games with dice: draws, open points, other dice by agreement, the secret behind them."""

from gtp_variants.errors import CommandFailed, NotationError
from gtp_variants.gtp.engine.commands import command, remember
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.table import set_dice
from gtp_variants.records.notation import read_faces, write_faces
from gtp_variants.rules.actions import CHANCE, RESUME, SETTLE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.turn_rules import next_mover


@command("aleago-draw")
def draw(session: Session, arguments: list[str]) -> str:
    table, rules, position = session.table, session.rules, session.position
    assert isinstance(rules, DicedRules)
    if not arguments:
        if table.is_final:
            return ""
        order = (position.mover, next_mover(rules.colours, position, position.mover))
        known = zip(order, position.draws, strict=False)
        return "\n".join(
            f"{COLOUR_LETTERS[colour]} {write_faces(rules.faces(position, draw))}" for colour, draw in known
        )
    colour = session.colour(arguments[0])
    faces = arguments[1:]
    if session.table_play.is_revealed or table.is_final:
        raise CommandFailed("game over")
    table.tell_draw(colour, read_faces(faces, rules.dice_of(position)))
    return ""


@command("aleago-open")
def open_points(session: Session, arguments: list[str]) -> str:
    rules = session.rules
    assert isinstance(rules, DicedRules)
    if rules.is_over(session.position):
        return ""
    return remember(session, "open", lambda: " ".join(rules.board.vertices_of(rules.open_points(session.position))))


@command("aleago-set_dice")
def agree_on_dice(session: Session, arguments: list[str]) -> str:
    from gtp_variants.rules.dice import read_dice

    try:
        dice = read_dice(arguments[0])
    except ValueError as error:
        raise NotationError(f"{arguments[0][:20]}: expected {error}") from None
    if session.table_play.is_revealed or session.rules.is_over(session.position):
        raise CommandFailed("game over")
    set_dice(session.table, dice.count, dice.sides)
    return ""


@command("aleago-resume")
def resume(session: Session, arguments: list[str]) -> str:
    if session.table_play.is_revealed or session.table.is_final:
        raise CommandFailed("game over")
    if not session.table.suspended:
        raise CommandFailed("game not suspended")
    session.table.play(session.position.mover, RESUME)
    return ""


@command("aleago-commitment")
def commitment(session: Session, arguments: list[str]) -> str:
    return _secret_dice(session).commitment


@command("aleago-reveal")
def reveal(session: Session, arguments: list[str]) -> str:
    dice = _secret_dice(session)
    if not session.rules.is_over(session.position):
        raise CommandFailed("game not over")
    if session.table.suspended:
        session.table.play(CHANCE, SETTLE)
    session.table_play.is_revealed = True
    return dice.secret.hex()


def _secret_dice(session: Session) -> DiceStream:
    if session.seed is None:
        raise CommandFailed("shared dice: start with --seed")
    return DiceStream(session.seed)
