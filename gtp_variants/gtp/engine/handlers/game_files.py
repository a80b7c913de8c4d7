"""Commands that show, write or load a whole game: showboard, printsgf, loadsgf, variant-record."""

from pathlib import Path

from gtp_variants.errors import CommandFailed, GameOver, RecordError, SpecError
from gtp_variants.gtp.engine.commands import COMMANDS, command, read_whole, register_all
from gtp_variants.gtp.engine.handlers.gogui_rules import board_rows
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log
from gtp_variants.players.dice_draws import ToldDraws
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.records.files import encode
from gtp_variants.records.json import to_json
from gtp_variants.records.record import Record, read_bytes
from gtp_variants.records.sgf.dialects import options_of, size_of
from gtp_variants.records.sgf.games import record_of, to_sgf
from gtp_variants.records.sgf.syntax import first_game, read_node
from gtp_variants.rules import split_spec
from gtp_variants.rules.actions import CHANCE, Event
from gtp_variants.rules.colour_names import COLOUR_NAMES
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.traits import DicedRules, faces_of


@command("printsgf")
def printsgf(session: Session, arguments: list[str]) -> str:
    text = to_sgf(_record(session))
    if not arguments:
        return encode(text).decode(errors="replace")
    try:
        Path(arguments[0]).write_bytes(encode(text))
    except (OSError, ValueError) as error:
        raise CommandFailed(f"cannot write file: {error}") from None
    return ""


def _record(session: Session) -> Record:
    """Return the game so far as a record, with the secret of the dice once it is revealed."""
    game = session.table.game
    if not isinstance(session.rules, DicedRules):
        return Record(game)
    told = frozenset(turn for turn, _ in session.table.draws.told)
    if session.seed is None:
        return Record(game, dice="shared", told=told)
    dice = DiceStream(session.seed)
    secret = dice.secret if session.table_play.is_revealed else None
    return Record(game, dice="secret", commitment=dice.commitment, secret=secret, told=told)


register_all({"variant-record": lambda session, _: to_json(_record(session))})
register_all({"showboard": lambda session, _: "\n" + diagram(session.rules, session.position)}, in_seat=False)
register_all(
    {"showboard": lambda session, _: "\n" + board_rows(session.rules.board, session.seat.view.stones)}, in_seat=True
)


@command("loadsgf")
def loadsgf(session: Session, arguments: list[str]) -> str:
    """Load a game, and return the colour to move, as GNU Go does. Raises CommandFailed if it cannot be loaded."""
    before = read_whole(arguments[1], COMMANDS["loadsgf"].usage, 1) if len(arguments) > 1 else None
    try:
        _load_sgf(session, Path(arguments[0]), before)
    except (OSError, ValueError, GameOver, RecordError) as error:
        raise CommandFailed(f"cannot load file: {error}") from None
    return COLOUR_NAMES[session.play.mover]


def _load_sgf(session: Session, path: Path, before_move: int | None) -> None:
    """Load the first game of a file, up to the position before a move, counted from 1.

    A file written by this package names its game. Any other file is read as the session's current game, with the
    file's size and komi, and in Go its rules. Each missing draw is set to open the line of the next stone. In Go a
    forbidden stone stays, with a warning (see `Game.take_in`). Raises VariantsError or OSError if loading fails.
    """
    file = first_game(read_bytes(path))
    root = read_node(file.tree.nodes[0])
    if "VARIANT" in root:
        record = record_of(file, None, before_move)
        game_class, given = split_spec(record.game.rules.spec)
    else:
        game_class = session.game_class
        given = {**session.given, **_read_options(session, root)}
        rules = session.with_options(**given)
        record = record_of(file, rules, before_move, _opening_draw, is_taken_in=True)
        for caveat in record.caveats:
            log(f"warning: {caveat.sentence()}")
        _warn_of_forbidden_stones(record.game)
    session.game_class, session.given = game_class, given
    session.adopt(record.game, _draws(record.game))


def _read_options(session: Session, root: dict[str, list[str]]) -> dict[str, str]:
    """Return a file's size, komi and, in Go, rules as options. Raises CommandFailed if the game does not allow them."""
    keys = {option.key for option in session.game_class.options}
    width, height = size_of(root)
    found = {key: text for key, text in options_of(root, "width" in keys).items() if key in keys}
    board = session.rules.board
    if not {"width", "size"} & found.keys() and (width, height) != (board.width, board.height):
        shape = f"a board of {width} by {height}"
        raise CommandFailed(f"cannot load file: {session.rules.title} cannot be played on {shape}")
    # The rules named by Go programs do not apply to games with rules of their own, so keep only the size and komi.
    if not session.game_class.profile.is_go:
        found = {key: text for key, text in found.items() if key in ("width", "height", "size", "komi")}
    try:
        session.with_options(**found)
    except SpecError as error:
        raise CommandFailed(f"cannot load file: {error}") from None
    return found


def _warn_of_forbidden_stones(game: Game) -> None:
    stones = [event.action for index, event in enumerate(game.events) if game.is_tolerated(index)]
    if stones:
        listed = " ".join(map(game.rules.board.vertex, stones))
        log(f"warning: the rules of {game.rules.short_spec} forbid {listed}; the stones stay, as the file has them")


def _opening_draw(game: Game, following: Event) -> int:
    """Return a draw under which `following`, the next move of a file, is possible."""
    rules, position = game.rules, game.position
    if following.action < 0 or not isinstance(rules, DicedRules):
        return rules.actions(position)[0]
    return rules.opening_draw(position, following.action)


def _draws(game: Game) -> ToldDraws:
    """Return every draw of a loaded game, to be used instead of this process's dice; {} in a game without dice."""
    rules = game.rules
    if not isinstance(rules, DicedRules):
        return {}
    return {
        rules.throw_due(before): faces_of(rules, before, event.action)
        for before, event in zip(game.positions, game.events, strict=False)
        if event.actor == CHANCE and event.action >= 0
    }
