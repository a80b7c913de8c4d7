"""The starts of games: handicap stones, and openings from SGF or text files, checked against the rules."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.errors import ConfigError, NotationError, RecordError, RecordWarning, VariantsError
from gtp_variants.players.table import Table
from gtp_variants.records.record import read_bytes
from gtp_variants.records.sgf.games import read_collection
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, SWAP, WHITE, Event
from gtp_variants.rules.boards.handicap import fixed_points, free_points
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Dice, Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

_MOST_FAULTS = 20
_NAMED = {"pass": PASS, "swap": SWAP}


@dataclass(frozen=True, slots=True)
class Opening:
    """The start of a game: stones on the board, the colour to move next, and the moves (colour, action) that follow."""

    name: str
    moves: tuple[tuple[int, int], ...]
    setup: tuple[tuple[int, int], ...] = ()
    first: int | None = None


def load(path: Path, rules: Rules, plies: int | None = None) -> tuple[Opening, ...]:
    """Return the openings in a file, or in all files of a folder sorted by name, each cut off after `plies` moves.

    A file ending in .sgf is read as SGF and may contain several games. All other files are read as text: each line is
    a list of vertices, and comments start with `#`. Throws in SGF are ignored: the stone itself shows which line was
    open. Raises ConfigError with the place of each fault, and OSError for a file that cannot be read.
    """
    files = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
    faults: list[str] = []
    found = []
    for file in files:
        read = _of_sgf if file.suffix.lower() == ".sgf" else _of_text
        try:
            for opening in read(file, rules, faults):
                cut = Opening(opening.name, opening.moves[:plies], opening.setup, opening.first)
                _check(rules, cut, faults)
                found.append(cut)
        except (RecordError, NotationError) as error:
            faults.append(f"{file.name}: {error}")
    if not found and not faults:
        faults.append("contains no opening")
    if faults:
        more = len(faults) - _MOST_FAULTS
        raise ConfigError(faults[:_MOST_FAULTS] + ([f"and {more} more faults"] if more > 0 else []))
    return tuple(found)


def _of_text(file: Path, rules: Rules, faults: list[str]) -> Iterator[Opening]:
    try:
        lines = read_bytes(file).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise NotationError(f"byte {error.start}: not UTF-8") from None
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        name = f"{file.name}, line {number}"
        try:
            table = Table(rules, lambda: DiceStream(b""))
            for word in words:
                action = _NAMED[word.lower()] if word.lower() in _NAMED else rules.board.point(word)
                _play(table, table.position.mover, action)
        except VariantsError as error:
            faults.append(f"{name}: {error}")
            continue
        yield Opening(name, _moves(table.game))


def _of_sgf(file: Path, rules: Rules, faults: list[str]) -> Iterator[Opening]:
    def opens(game: Game, event: Event) -> int:
        assert isinstance(game.rules, DicedRules)
        return game.rules.opening_draw(game.position, event.action)

    for number, record in enumerate(read_collection(read_bytes(file), rules, opens), 1):
        if isinstance(record, RecordError):
            raise record
        for caveat in record.caveats:
            warnings.warn(f"{file}: {caveat.sentence()}", RecordWarning, stacklevel=2)
        game = record.game
        name = f"{file.name}, game {number}"
        if (game.rules.name, game.rules.board.vertices) != (rules.name, rules.board.vertices):
            expected = f"expected a game of {rules.name} on the same board"
            faults.append(f"{name}: {expected}, got {game.rules.spec.partition(',')[0]}")
            continue
        first = game.first if game.setup else None
        yield Opening(name, _moves(game), tuple(sorted(game.setup.items())), first)


def _moves(game: Game) -> tuple[tuple[int, int], ...]:
    return tuple((event.actor, event.action) for event in game.turns())


def _check(rules: Rules, opening: Opening, faults: list[str]) -> None:
    try:
        table = begin(rules, lambda: DiceStream(b""), opening)
    except VariantsError as error:
        faults.append(f"{opening.name}: {error}")
        return
    if table.game.outcome is not None:
        faults.append(f"{opening.name}: the game is over after this opening")


def begin(
    rules: Rules, dice: Callable[[], Dice], opening: Opening | None, handicap: int = 0, terms: Sequence[int] = ()
) -> Table:
    """Return a table after the chance actions `terms`, with Black's handicap stones or else the opening played."""
    setup, first = (dict(opening.setup), opening.first) if opening else ({}, None)
    if handicap:
        setup, first = dict.fromkeys(handicap_points(rules, handicap), BLACK), WHITE
    table = Table(rules, dice, setup, first)
    for action in terms:
        table.play(CHANCE, action)
    for colour, action in opening.moves if opening and not handicap else ():
        _play(table, colour, action)
    return table


def _play(table: Table, colour: int, action: int) -> None:
    """Play a move of an opening; in a game with dice, any throw that allows it is assumed."""
    if isinstance(table.rules, DicedRules):
        table.play_for_host(colour, action)
    else:
        table.play(colour, action)


def handicap_points(rules: Rules, count: int) -> Sequence[int]:
    """Return the points for handicap stones. Raises NotationError if the game does not allow that many."""
    find = {"fixed": fixed_points, "free": free_points}.get(rules.handicap)
    points = None if find is None else find(rules.board, count)
    if points is None or len(points) != count:
        raise NotationError(f"{rules.name} on this board has no handicap of {count} stones")
    return points
