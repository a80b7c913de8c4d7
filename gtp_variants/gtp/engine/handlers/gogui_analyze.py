"""GoGui's analyze commands: the menu, and pictures on GoGui's board of what the engine knows and thinks.

A picture consists of lines in GoGui's graphics language: `COLOR`, `LABEL`, `INFLUENCE` or `VAR`, and then points.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import wrap

from gtp_variants.ai.mcts.candidates import find_candidates, playable_line, winrate_after
from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.gtp.engine.commands import COMMANDS, command, register_all
from gtp_variants.gtp.engine.handlers.gogui_rules import OPEN_LINE, visible_stones
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import search_for, search_of
from gtp_variants.gtp.stderr_log import log
from gtp_variants.lang import load
from gtp_variants.players.thinking.ownership import OwnershipEstimate
from gtp_variants.records.sentences import draw_sentence
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.chains import chains, is_eye, liberties
from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_name
from gtp_variants.rules.options import text_of
from gtp_variants.rules.traits import DicedRules

# Seconds of a search for moves, of a live search, and of a search for ownership.
_SECONDS, _LIVE_SECONDS, _OWNERS_SECONDS = 2.0, 60.0, 2.0
_MOVES_SHOWN = 20
# Number of characters that fit into the status bar of a small window.
_STATUS_BAR = 70
# Minimum number of visits for a move's win rate to be meaningful.
_LEAST_VISITS = 20
_LINE_SHOWN = 10
_GOOD, _BAD = (0x40, 0xC0, 0x40), (0xE0, 0x60, 0x30)
_WOOD, _GREEN = (0xE0, 0xB0, 0x70), (0x30, 0xA0, 0x30)


@command("gogui-analyze_commands")
def analyze_commands(session: Session, arguments: list[str]) -> str:
    rules, shown = session.rules, []
    for item in load(Path(__file__).with_name("gogui_menu.toml"))["items"]:
        games = COMMANDS[item["command"].split()[0]].games
        if (games is None or games.fits(rules)) and item.get("board", rules.board.geometry) == rules.board.geometry:
            shown.append(f"{item['type']}/{item['label']}/{item['command']}")
    return "\n".join(shown)


# -- dice --------------------------------------------------------------------------------------------------------------


@command("show-open_line")
def open_line(session: Session, arguments: list[str]) -> str:
    rules = session.rules
    assert isinstance(rules, DicedRules)
    sentence = draw_sentence(rules, session.position)
    if sentence is None:
        return ""
    points = " ".join(rules.board.vertices_of(rules.open_points(session.position)))
    return _lines([f"COLOR {OPEN_LINE} {points}" if points else "", f"TEXT {sentence}"])


@command("show-odds")
def odds(session: Session, arguments: list[str]) -> str:
    rules = session.rules
    assert isinstance(rules, DicedRules)
    chances = rules.odds_of_lines(session.position)
    shown: list[str] = []
    for line, chance in chances.items():
        points = rules.board.vertices_of(rules.on_line[line])
        shown.append(f"COLOR {_mix(_WOOD, _GREEN, min(1.0, chance))} {' '.join(points)}")
        shown.append(f"LABEL {points[0]} {chance:.0%}".removesuffix("%"))
    text = ", ".join(f"{line}: {chance:.1%}" for line, chance in chances.items())
    return _lines([*shown, f"TEXT {text}"])


def _mix(low: Sequence[int], high: Sequence[int], share: float) -> str:
    """Return the colour between two colours, `low` for a share of 0 and `high` for 1."""
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(low, high, strict=True))


# -- search ------------------------------------------------------------------------------------------------------------


def _viewer(session: Session) -> int:
    """Return the colour to search for: the viewer in a hidden game, else the side to move."""
    viewer = session.play.viewer
    return session.play.mover if viewer is None else viewer


def _found(session: Session) -> SearchResult:
    return search_for(session, search_of(session, _viewer(session)), _SECONDS)


def _rates(session: Session, found: SearchResult) -> str:
    rules, mover = session.rules, _viewer(session)
    candidates = find_candidates(rules, found, mover, session.play.actions(mover))
    moves = [each for each in candidates if each.visits][:_MOVES_SHOWN]
    shown = []
    most = max((each.visits for each in moves), default=1)
    for each in moves:
        if each.move >= 0 and (each.order == 0 or each.visits >= _LEAST_VISITS):
            colour, vertex = _mix(_BAD, _GOOD, each.visits / most), session.word(each.move)
            shown += [f"COLOR {colour} {vertex}", f"LABEL {vertex} {100 * each.winrate:.0f}"]
    rates = [f"{session.word(each.move)} {each.winrate:.1%} ({each.visits})" for each in moves[:5]]
    name = colour_name(mover, rules.lang)
    return _lines([*shown, f"TEXT {name}: {', '.join(rates)}"])


@command("show-principal_variation")
def principal_variation(session: Session, arguments: list[str]) -> str:
    found = _found(session)
    colours = session.rules.colours
    first = colours.index(_viewer(session))
    line = playable_line(found, found.principal_variation)[:_LINE_SHOWN]
    moves = [
        f"{COLOUR_LETTERS[colours[(first + number) % len(colours)]]} {session.word(move).upper()}"
        for number, move in enumerate(line)
    ]
    share = f"{winrate_after(found, found.action):.1%}, " if found.shares else ""
    return _lines([_mark("VAR", moves), f"TEXT {share}{' '.join(map(session.word, line))}"])


@command("show-search")
def live_search(session: Session, arguments: list[str]) -> str:
    """Search for a minute or until GoGui's Interrupt, and send pictures on stderr during the search."""
    search = search_of(session, _viewer(session))
    found = search_for(session, search, _LIVE_SECONDS, lambda now: log(f"gogui-gfx:\n{_rates(session, now)}\n"))
    return _rates(session, found)


@command("show-ownership")
def ownership(session: Session, arguments: list[str]) -> str:
    owners = OwnershipEstimate(session.rules, BLACK)
    search = search_of(session, _viewer(session))
    found = search_for(session, search, _OWNERS_SECONDS, look=lambda found: owners.sample(search.position, found))
    shares = owners.shares(found)
    board = session.rules.board
    cells = " ".join(f"{board.vertex(point)} {shares[point]:.2f}" for point in board.order)
    sums = {BLACK: sum((1 + share) / 2 for share in shares), WHITE: sum((1 - share) / 2 for share in shares)}
    points = ", ".join(f"{colour_name(colour, session.rules.lang)} {total:.1f}" for colour, total in sums.items())
    return _lines([f"INFLUENCE {cells}", f"TEXT {points}"])


# -- shapes ------------------------------------------------------------------------------------------------------------


@command("show-atari")
def atari(session: Session, arguments: list[str]) -> str:
    board, stones = session.rules.board, visible_stones(session)
    caught, escapes = [], set()
    for members in chains(board, stones):
        left = liberties(board, stones, members)
        if len(left) == 1:
            caught += members
            escapes |= left
    return _lines([_mark("MARK", board.vertices_of(caught)), _mark("CIRCLE", board.vertices_of(escapes))])


@command("show-liberties")
def liberty_counts(session: Session, arguments: list[str]) -> str:
    board, stones = session.rules.board, visible_stones(session)
    cells = []
    for members in chains(board, stones):
        left = len(liberties(board, stones, members))
        cells += [f"{board.vertex(point)} {left}" for point in members]
    return _mark("LABEL", cells)


@command("show-eyes")
def eyes(session: Session, arguments: list[str]) -> str:
    rules, stones = session.rules, visible_stones(session)
    points = range(len(rules.board))
    kinds = ((BLACK, "BLACK"), (WHITE, "WHITE"))
    found = {kind: [p for p in points if is_eye(rules.board, stones, p, colour)] for colour, kind in kinds}
    return _lines(_mark(kind, rules.board.vertices_of(marked)) for kind, marked in found.items())


@command("show-rosettes")
def hexagons(session: Session, arguments: list[str]) -> str:
    """Mark immune stones and the points that would complete a hexagon."""
    rules = session.rules
    stones = visible_stones(session)
    wanted: dict[int, set[int]] = {BLACK: set(), WHITE: set()}
    for face in rules.board.faces:
        empty = [point for point in face if not stones[point]]
        colours = {stones[point] for point in face if stones[point]}
        if len(empty) == 1 and len(colours) == 1:
            wanted[colours.pop()].add(empty[0])
    marks = {"TRIANGLE": rules.find_marks(session.position)["immune"], "BLACK": wanted[BLACK], "WHITE": wanted[WHITE]}
    return _lines(_mark(kind, rules.board.vertices_of(points)) for kind, points in marks.items())


def _mark(kind: str, cells: Iterable[str]) -> str:
    listed = " ".join(cells)
    return f"{kind} {listed}" if listed else ""


def _lines(lines: Iterable[str]) -> str:
    """Join the lines of a picture, and split any text that is too long for GoGui's status bar."""
    shown: list[str] = []
    for line in lines:
        text = line.removeprefix("TEXT ")
        is_long = text != line and len(text) > _STATUS_BAR
        shown += [f"TEXT {part}" for part in wrap(text, _STATUS_BAR)] if is_long else [line]
    return "\n".join(line for line in shown if line)


register_all(
    {
        "show-win_rates": lambda session, _: _rates(session, _found(session)),
        "show-explanation": lambda session, _: "\n".join(wrap(session.play.explain(), _STATUS_BAR)),
        "show-options": lambda session, _: "\n".join(
            [session.rules.title, *(f"{key} = {text_of(value)}" for key, value in session.rules.values.items())]
        ),
        "show-player": lambda session, _: session.bot.introduce(),
    }
)
