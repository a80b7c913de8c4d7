"""Commands for the variants: choosing and describing games, Aléago's dice, and Go Fantôme's hidden stones."""

import json
from collections.abc import Sequence

from gtp_variants.base.json_values import Json
from gtp_variants.errors import CommandFailed, NotationError, VariantsError
from gtp_variants.gtp.engine.commands import command, register_all
from gtp_variants.gtp.engine.handlers.gogui_rules import board_rows
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.agreements import DEAD, Agreement, find_agreements
from gtp_variants.players.table import legal_actions, possible_tries, set_dice
from gtp_variants.records.notation import read_faces, write_faces
from gtp_variants.records.state import describe_game, describe_rules, describe_view, write_actions
from gtp_variants.rules import GAMES, game_class, split_spec
from gtp_variants.rules.actions import CHANCE, RESUME, SETTLE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice import read_dice
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.traits import DicedRules, HiddenRules
from gtp_variants.rules.turn_rules import next_mover


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


@command("variant-describe")
def variant_describe(session: Session, arguments: list[str]) -> str:
    from gtp_variants.ai.backend import search_backend

    rules = session.rules_of(*split_spec(" ".join(arguments))) if arguments else session.rules
    return _json({**describe_rules(rules), "search": search_backend(rules)})


@command("variant-state", in_seat=False)
def variant_state(session: Session, arguments: list[str]) -> str:
    seat = session.colour(arguments[0]) if arguments else None
    game = session.table.game
    if seat is None:
        return session.remember("state", lambda: _json(describe_game(game)))
    if not session.rules.is_open and not session.table.is_final:
        # Not cached, because the news that a seat heard last is not part of the position.
        return _json(describe_view(session.rules, session.play.view(seat)))
    return session.remember(f"state {seat}", lambda: _json(describe_game(game, legal_actions(session.table, seat))))


@command("variant-state", in_seat=True)
def variant_state_in_seat(session: Session, arguments: list[str]) -> str:
    shown, seat = _describe_seat(session, arguments), session.seat
    if seat.result:
        shown |= {"over": True, "suspended": False, "legal": [], "result": seat.result, "reason": seat.reason}
    return _json(shown)


def _describe_seat(session: Session, arguments: list[str]) -> Json:
    """Return the seat's knowledge as JSON values. Raises CommandFailed if the arguments name the wrong colour."""
    colour = session.colour(arguments[0]) if arguments else session.seat.colour
    return describe_view(session.rules, session.play.view(colour))


@command("variant-legal_moves", in_seat=False)
def variant_legal_moves(session: Session, arguments: list[str]) -> str:
    seat = session.colour(arguments[0]) if arguments else None
    return session.remember(f"legal {seat}", lambda: " ".join(write_actions(session.rules, _legal(session, seat))))


@command("variant-legal_moves", in_seat=True)
def variant_legal_moves_in_seat(session: Session, arguments: list[str]) -> str:
    known = _describe_seat(session, arguments)
    return "" if session.seat.is_over else " ".join(known["legal"])


def _legal(session: Session, seat: int | None) -> Sequence[int]:
    """Return the legal moves of the side to move or of `seat`, in a hidden game the seat's tries; () after the end."""
    table, rules = session.table, session.rules
    if rules.is_over(table.position):
        return ()
    if seat is None:
        return rules.legal(table.position)
    return legal_actions(table, seat) if rules.is_open else possible_tries(table, seat)


def _list_marks(session: Session, name: str, given: Sequence[str] = ()) -> str:
    """List the points that have the mark `name` in this game. Some marks depend on the colour in `given`."""
    colour = session.colour(given[0]) if given else None
    return " ".join(session.rules.board.vertices_of(session.rules.find_marks(session.position, colour)[name]))


# -- dice --------------------------------------------------------------------------------------------------------------


@command("aleago-draw")
def draw(session: Session, arguments: list[str]) -> str:
    table, rules, position = session.table, session.rules, session.position
    assert isinstance(rules, DicedRules)
    if arguments:
        colour = session.colour(arguments[0])
        if session.play.is_over:
            raise CommandFailed("game over")
        table.tell_draw(colour, read_faces(arguments[1:], rules.dice_of(position)))
        return ""
    if table.is_final:
        return ""
    order = (position.mover, next_mover(rules.colours, position, position.mover))
    known = zip(order, position.draws, strict=False)
    return "\n".join(f"{COLOUR_LETTERS[who]} {write_faces(rules.faces(position, draw))}" for who, draw in known)


@command("aleago-open")
def open_points(session: Session, arguments: list[str]) -> str:
    rules = session.rules
    assert isinstance(rules, DicedRules)
    if rules.is_over(session.position):
        return ""
    return session.remember("open", lambda: " ".join(rules.board.vertices_of(rules.open_points(session.position))))


@command("aleago-set_dice")
def agree_on_dice(session: Session, arguments: list[str]) -> None:
    try:
        dice = read_dice(arguments[0])
    except ValueError as error:
        raise NotationError(f"{arguments[0][:20]}: expected {error}") from None
    if session.table_play.is_revealed or session.rules.is_over(session.position):
        raise CommandFailed("game over")
    set_dice(session.table, dice.count, dice.sides)


@command("variant-propose")
def propose(session: Session, arguments: list[str]) -> str:
    """Propose `dead` with the dead stones after the passes, or nothing if these are already marked or cannot be."""
    from gtp_variants.ai.mcts.final_status import find_dead_chains

    session.colour(arguments[0])
    if session.is_in_seat or DEAD not in find_agreements(session.table):
        return ""
    dead = {point for points in find_dead_chains(session.rules, session.position) for point in points}
    return "" if dead == session.position.dead else " ".join([DEAD, *session.rules.board.vertices_of(dead)])


@command("variant-accept")
def accept(session: Session, arguments: list[str]) -> str:
    session.colour(arguments[0])
    if session.is_in_seat:
        return "false"
    try:
        return str(Agreement.read(session.table, " ".join(arguments[1:])).is_fair(session.table)).lower()
    except VariantsError:
        return "false"


@command("aleago-resume", "variant-resume")
def resume(session: Session, arguments: list[str]) -> None:
    if session.play.is_over:
        raise CommandFailed("game over")
    if not session.table.suspended:
        raise CommandFailed("game not suspended")
    session.table.play(session.position.mover, RESUME)


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


# -- hidden stones -----------------------------------------------------------------------------------------------------


@command("phantom-odds")
def odds(session: Session, arguments: list[str]) -> str:
    """Return the chance of an enemy stone on each point, as GoGui's type `dboard`. Raises CommandFailed if unknown."""
    odds = session.stone_odds.of(session.rules, session.play.view(session.colour(arguments[0])))
    if odds is None:
        raise CommandFailed("no position agrees with all the news")
    rows = session.rules.board.rows()
    return "\n" + "\n".join(" ".join(f"{odds[point]:.3f}" for point in row if point is not None) for row in rows)


@command("phantom-announcements")
def announcements(session: Session, arguments: list[str]) -> str:
    """Return what was announced after the last try, or for `all` after each. Raises NotationError for other words."""
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


register_all(
    {
        "variant-list": lambda session, _: "\n".join(f"{name} {game_class(name).title}" for name in GAMES),
        # The words are joined, because the title in a SPEC may have a blank: Go Fantôme.
        "variant-set": lambda session, given: session.set_game(" ".join(given)),
        "variant-get": lambda session, _: session.rules.spec,
        "alter-igo-losing_moves": lambda session, given: _list_marks(session, "losing", given),
        "pentalath-line": lambda session, _: _list_marks(session, "line"),
        "rosette-immune": lambda session, _: _list_marks(session, "immune"),
        "aleago-commitment": lambda session, _: _secret_dice(session).commitment,
        "phantom-view": lambda session, given: (
            "\n" + board_rows(session.rules.board, session.play.view(session.colour(given[0])).stones)
        ),
        "phantom-seat": lambda session, given: session.sit_down(session.colour(given[0])),
        "phantom-hear": lambda session, given: session.seat.hear(given),
    }
)
