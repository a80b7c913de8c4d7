"""Commands that show the whole game, write it to a file or read one: showboard, printsgf, loadsgf, variant-record.

Reading a game from an SGF file into a session: our own records exactly, other programs' as far as they tell.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed, GameOver, RecordError, SpecError
from gtp_variants.gtp.engine.commands import COMMANDS, command, read_whole, seat_command, table_command
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log
from gtp_variants.players.dice_draws import ToldDraws
from gtp_variants.records.record import read_bytes
from gtp_variants.records.sgf.games import komi_of, record_of, repetition_of, size_of
from gtp_variants.records.sgf.syntax import parse_sgf
from gtp_variants.rules import split_spec
from gtp_variants.rules.actions import CHANCE, Event
from gtp_variants.rules.game import Game
from gtp_variants.rules.traits import DicedRules, faces_of


def load_sgf(session: Session, path: Path, before_move: int | None) -> None:
    """Make the first game of a file the session's game, up to the position before a move (from 1).

    A file of ours names its game; any other is read as the session's present game in the file's size and komi, in Go
    also under its rule of repetition, and the draws it does not tell are taken to be those that open the stones' lines.
    In Go a stone that the rules forbid stays where the file has it, with a warning, see `Game.take_in`.
    Raises RecordError, OSError.
    """
    nodes = parse_sgf(read_bytes(path), most=1)[0]
    if "VARIANT" in nodes[0]:
        record = record_of(nodes, None, before_move)
        game_class, given = split_spec(record.game.rules.spec)
    else:
        game_class = session.game_class
        given = {**session.given, **_told_options(session, nodes[0])}
        rules = session.with_options(**given)
        record = record_of(nodes, rules, before_move, _opening_draw, is_taken_in=True)
        _warn_of_forbidden_stones(record.game)
    session.game_class, session.given = game_class, given
    session.adopt(record.game, _draws(record.game))


def _told_options(session: Session, root: dict[str, list[str]]) -> dict[str, str]:
    """Size, komi and rule of repetition as the file has them, under the keys of the session's game."""
    width, height = size_of(root)
    keys = {option.key for option in session.game_class.options}
    told: dict[str, str] = {}
    if "width" in keys:
        told = {"width": str(width), "height": str(height)}
    elif "size" in keys and width == height:
        told = {"size": str(width)}
    elif (width, height) != (session.rules.board.width, session.rules.board.height):
        raise CommandFailed(f"cannot load file: no {session.rules.title} on a board of {width} by {height}")
    komi = komi_of(root)
    if komi is not None and "komi" in keys:
        told["komi"] = komi
    repetition = repetition_of(root)
    # Rules that Go programs name say nothing of games with a repetition of their own.
    if repetition is not None and session.game_class.profile.is_go:
        told["repetition"] = repetition
    try:
        session.with_options(**told)
    except SpecError as error:
        raise CommandFailed(f"cannot load file: {error}") from None
    return told


def _warn_of_forbidden_stones(game: Game) -> None:
    stones = [event.action for index, event in enumerate(game.events) if game.is_tolerated(index)]
    if stones:
        listed = " ".join(map(game.rules.board.vertex, stones))
        log(f"warning: the rules of {game.rules.short_spec} forbid {listed}; the stones stay, as the file has them")


def _opening_draw(game: Game, following: Event) -> int:
    """The draw that a stone of a file must have had."""
    rules, position = game.rules, game.position
    if following.action < 0 or not isinstance(rules, DicedRules):
        return rules.actions(position)[0]
    return rules.opening_draw(position, following.action)


def _draws(game: Game) -> ToldDraws:
    """Every draw of a game: a loaded game has them from its file, not from this process's dice."""
    draws: ToldDraws = {}
    rules = game.rules
    if not isinstance(rules, DicedRules):
        return draws
    for before, event in zip(game.positions, game.events, strict=False):
        if event.actor == CHANCE and event.action >= 0:
            draws[rules.throw_due(before)] = faces_of(rules, before, event.action)
    return draws


if TYPE_CHECKING:
    from gtp_variants.records.record import Record


@seat_command("showboard")
def showboard_in_seat(session: Session, arguments: list[str]) -> str:
    from gtp_variants.gtp.engine.handlers.gogui_rules import board_rows

    return "\n" + board_rows(session.rules.board, session.seat.view.stones)


@table_command("showboard")
def showboard(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.drawing.diagram import diagram

    return "\n" + diagram(session.rules, session.position)


@command("printsgf")
def printsgf(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.sgf.games import to_sgf

    text = to_sgf(session_record(session))
    if not arguments:
        return text
    try:
        Path(arguments[0]).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise CommandFailed(f"cannot write file: {error}") from None
    return ""


@command("loadsgf")
def loadsgf(session: Session, arguments: list[str]) -> str:
    before = read_whole(arguments[1], COMMANDS["loadsgf"].usage) if len(arguments) > 1 else None
    try:
        load_sgf(session, Path(arguments[0]), before)
    except (OSError, ValueError, GameOver, RecordError) as error:
        raise CommandFailed(f"cannot load file: {error}") from None
    return ""


@command("variant-record")
def variant_record(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.json import to_json

    return to_json(session_record(session))


def session_record(session: Session) -> "Record":
    """The game so far as it would be written to a file; the secret only once it is revealed."""
    from gtp_variants.records.record import Record

    game = session.table.game
    if not isinstance(session.rules, DicedRules):
        return Record(game)
    told = frozenset(turn for turn, _ in session.table.draws.told)
    if session.seed is None:
        return Record(game, dice="shared", told=told)
    from gtp_variants.rules.dice_stream import DiceStream

    dice = DiceStream(session.seed)
    secret = dice.secret if session.table_play.is_revealed else None
    return Record(game, dice="secret", commitment=dice.commitment, secret=secret, told=told)
