"""GoGui's analyze commands: what its menu offers, and pictures on its board of what the engine knows and thinks.

A picture is lines of GoGui's own little language: `COLOR`, `LABEL`, `INFLUENCE`, `VAR`, ... and the points.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from gtp_variants.gtp.engine.commands import command
from gtp_variants.gtp.engine.handlers.gogui_rules import OPEN_LINE, visible_stones
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.session_search import search_of
from gtp_variants.gtp.stderr_log import log
from gtp_variants.players.thinking.ownership import OwnershipEstimate
from gtp_variants.players.thinking.sliced_search import SlicedSearch
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.chains import chains, is_eye, liberties
from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_name
from gtp_variants.rules.options import text_of
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult

_SECONDS = 2.0
# A host that sends its commands ahead is owed more than a glance.
_LEAST_SECONDS = 0.05
_LIVE_SECONDS = 60.0
_LIVE_EVERY_S = 0.5
_OWNERS_SECONDS = 2.0
_MOVES_SHOWN = 20
# So many letters fit into the status bar of a small window.
_STATUS_BAR = 70
_LEAST_VISITS = 20
_LINE_SHOWN = 10
_GOOD, _BAD = (0x40, 0xC0, 0x40), (0xE0, 0x60, 0x30)


@dataclass(frozen=True, slots=True)
class MenuItem:
    """A line of GoGui's menu: how the answer is shown, what it is called, what is sent, and in which games."""

    kind: str
    label: str
    command: str
    fits: Callable[[Rules], bool] = lambda rules: True


def _has_dice(rules: Rules) -> bool:
    return isinstance(rules, DicedRules)


def _marks(name: str) -> Callable[[Rules], bool]:
    return lambda rules: name in rules.profile.mark_names


def _is_hidden(rules: Rules) -> bool:
    return not rules.is_open


# Nothing that changes the game: GoGui's ruler, another process, would not hear of it.
_MENU = (
    MenuItem("gfx", "Open line", "show-open_line", _has_dice),
    MenuItem("gfx", "Odds of each line in the next draw", "show-odds", _has_dice),
    MenuItem("string", "Draw", "aleago-draw", _has_dice),
    MenuItem("gfx", "Who owns what", "show-ownership"),
    MenuItem("gfx", "Win rate of each move", "show-win_rates"),
    MenuItem("gfx", "Principal variation", "show-principal_variation"),
    MenuItem("gfx", "Search, live", "show-search"),
    MenuItem("gfx", "Atari", "show-atari"),
    MenuItem("gfx", "Liberties", "show-liberties"),
    MenuItem("gfx", "Eyes", "show-eyes", lambda rules: rules.board.geometry == "rect"),
    MenuItem("gfx", "Rosettes", "show-rosettes", _marks("immune")),
    MenuItem("plist", "Moves that lose at once", "alter-igo-losing_moves %m", _marks("losing")),
    MenuItem("plist", "Row of five", "pentalath-line", _marks("line")),
    MenuItem("string", "What the referee said last", "phantom-announcements", _is_hidden),
    MenuItem("string", "What the referee said so far", "phantom-announcements all", _is_hidden),
    MenuItem("dboard", "Where enemy stones may be", "phantom-odds %m", _is_hidden),
    MenuItem("string", "Why the last move", "show-explanation"),
    # In a suspended hidden game it keeps the count from who may know one seat only; `variant-result` tells it.
    MenuItem("string", "Result", "gogui-rules_final_result"),
    MenuItem("string", "Game and options", "show-options"),
    MenuItem("param", "Bot", "bot-param"),
    MenuItem("string", "Who plays", "show-player"),
)


@command("gogui-analyze_commands")
def analyze_commands(session: Session, arguments: list[str]) -> str:
    items = (item for item in _MENU if item.fits(session.rules))
    return "\n".join(f"{item.kind}/{item.label}/{item.command}" for item in items)


# -- dice --------------------------------------------------------------------------------------------------------------


@command("show-open_line")
def open_line(session: Session, arguments: list[str]) -> str:
    from gtp_variants.records.sentences import draw_sentence

    rules = session.rules
    assert isinstance(rules, DicedRules)
    sentence = draw_sentence(rules, session.position)
    if sentence is None:
        return ""
    points = " ".join(rules.board.vertices_of(rules.open_points(session.position)))
    return _lines([f"COLOR {OPEN_LINE} {points}" if points else "", f"TEXT {sentence}"])


@command("show-odds")
def odds(session: Session, arguments: list[str]) -> str:
    """How likely the next throw is to open each line, on the board as it stands."""
    rules = session.rules
    assert isinstance(rules, DicedRules)
    chances = rules.odds_of_lines(session.position)
    shown: list[str] = []
    for line, chance in chances.items():
        points = rules.board.vertices_of(rules.on_line[line])
        shown.append(f"COLOR {_shade(chance)} {' '.join(points)}")
        shown.append(f"LABEL {points[0]} {chance:.0%}".removesuffix("%"))
    told = ", ".join(f"{line}: {chance:.1%}" for line, chance in chances.items())
    return _lines([*shown, f"TEXT {told}"])


def _shade(chance: float) -> str:
    """The colour of a chance: from that of wood to a strong green."""
    wood, green = (0xE0, 0xB0, 0x70), (0x30, 0xA0, 0x30)
    return "#" + "".join(f"{round(a + (b - a) * min(1.0, chance)):02x}" for a, b in zip(wood, green, strict=True))


# -- search ------------------------------------------------------------------------------------------------------------


def _search_for(
    session: Session,
    search: SlicedSearch,
    seconds: float,
    tell: Callable[["SearchResult"], None] | None = None,
    look: Callable[["SearchResult"], None] | None = None,
) -> "SearchResult":
    """Search until the time is over or the host says anything; `look` sees every step, `tell` one now and then."""
    begun = told = time.monotonic()
    while True:
        found = search.run_slice()
        if look is not None:
            look(found)
        now = time.monotonic()
        if now - begun >= seconds or (now - begun >= _LEAST_SECONDS and session.has_pending_command()):
            return found
        if tell is not None and now - told >= _LIVE_EVERY_S:
            told = now
            tell(found)


def _viewer(session: Session) -> int:
    """For whom to search: the side to move, or who looks at the screen where something is hidden from others."""
    viewer = session.play.viewer
    return session.play.mover if viewer is None else viewer


def _found(session: Session) -> "SearchResult":
    return _search_for(session, search_of(session, _viewer(session)), _SECONDS)


@command("show-win_rates")
def win_rates(session: Session, arguments: list[str]) -> str:
    return _rates(session, _found(session))


def _rates(session: Session, found: "SearchResult") -> str:
    from gtp_variants.ai.mcts.candidates import find_candidates

    rules, mover = session.rules, _viewer(session)
    candidates = find_candidates(rules, found, mover, session.play.actions(mover))
    moves = [each for each in candidates if each.visits][:_MOVES_SHOWN]
    shown = []
    most = max((each.visits for each in moves), default=1)
    for each in moves:
        # What was hardly looked at has no rate that means anything.
        if each.move >= 0 and (each.order == 0 or each.visits >= _LEAST_VISITS):
            part = each.visits / most
            colour = "#" + "".join(f"{round(b + (a - b) * part):02x}" for a, b in zip(_GOOD, _BAD, strict=True))
            vertex = session.word(each.move)
            shown += [f"COLOR {colour} {vertex}", f"LABEL {vertex} {100 * each.winrate:.0f}"]
    told = [f"{session.word(each.move)} {each.winrate:.1%} ({each.visits})" for each in moves[:5]]
    name = colour_name(mover, rules.lang)
    return _lines([*shown, f"TEXT {name}: {', '.join(told)}"])


@command("show-principal_variation")
def principal_variation(session: Session, arguments: list[str]) -> str:
    return _variation(session, _found(session))


def _variation(session: Session, found: "SearchResult") -> str:
    from gtp_variants.ai.mcts.candidates import playable_line, winrate_after

    colours = session.rules.colours
    first = colours.index(_viewer(session))
    line = playable_line(found, found.principal_variation)[:_LINE_SHOWN]
    moves = [
        f"{COLOUR_LETTERS[colours[(first + number) % len(colours)]]} {session.word(move).upper()}"
        for number, move in enumerate(line)
    ]
    told = " ".join(session.word(move) for move in line)
    share = f"{winrate_after(found, found.action):.1%}, " if found.shares else ""
    return _lines([f"VAR {' '.join(moves)}" if moves else "", f"TEXT {share}{told}"])


@command("show-search")
def live_search(session: Session, arguments: list[str]) -> str:
    """A search that GoGui shows while it goes on, a minute at most or until its Interrupt."""

    def tell(found: "SearchResult") -> None:
        log(f"gogui-gfx:\n{_rates(session, found)}\n")

    return _rates(session, _search_for(session, search_of(session, _viewer(session)), _LIVE_SECONDS, tell))


@command("show-ownership")
def ownership(session: Session, arguments: list[str]) -> str:
    owners = OwnershipEstimate(session.rules, BLACK)
    search = search_of(session, _viewer(session))
    found = _search_for(session, search, _OWNERS_SECONDS, look=lambda found: owners.sample(search.position, found))
    shares = owners.shares(found)
    board = session.rules.board
    cells = " ".join(f"{board.vertex(point)} {shares[point]:.2f}" for point in board.order)
    return _lines([f"INFLUENCE {cells}", f"TEXT {_in_points(session, shares)}"])


def _in_points(session: Session, shares: list[float]) -> str:
    """What the shares come to, in points for each side."""
    sums = {BLACK: sum((1 + share) / 2 for share in shares), WHITE: sum((1 - share) / 2 for share in shares)}
    lang = session.rules.lang
    return ", ".join(f"{colour_name(colour, lang)} {total:.1f}" for colour, total in sums.items())


# -- shapes ------------------------------------------------------------------------------------------------------------


@command("show-atari")
def atari(session: Session, arguments: list[str]) -> str:
    board, stones = session.rules.board, visible_stones(session)
    named = session.rules.board.vertices_of
    caught, escapes = [], set()
    for members in chains(board, stones):
        left = liberties(board, stones, members)
        if len(left) == 1:
            caught += members
            escapes |= left
    return _lines([_mark("MARK", named(caught)), _mark("CIRCLE", named(escapes))])


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
    return _lines(
        _mark(kind, rules.board.vertices_of(point for point in points if is_eye(rules.board, stones, point, colour)))
        for colour, kind in kinds
    )


@command("show-rosettes")
def hexagons(session: Session, arguments: list[str]) -> str:
    """Immune stones, and the points that would make a hexagon of one colour."""
    rules = session.rules
    stones = visible_stones(session)
    wanted: dict[int, set[int]] = {BLACK: set(), WHITE: set()}
    for face in rules.board.faces:
        empty = [point for point in face if not stones[point]]
        colours = {stones[point] for point in face if stones[point]}
        if len(empty) == 1 and len(colours) == 1:
            wanted[colours.pop()].add(empty[0])
    return _lines(
        [
            _mark("TRIANGLE", rules.board.vertices_of(rules.find_marks(session.position)["immune"])),
            _mark("BLACK", rules.board.vertices_of(wanted[BLACK])),
            _mark("WHITE", rules.board.vertices_of(wanted[WHITE])),
        ]
    )


def _mark(kind: str, cells: Iterable[str]) -> str:
    listed = " ".join(cells)
    return f"{kind} {listed}" if listed else ""


def _lines(lines: Iterable[str]) -> str:
    """The lines of a picture; a text that GoGui's status bar would cut is several, for which it opens a window."""
    shown: list[str] = []
    for line in lines:
        text = line.removeprefix("TEXT ")
        is_long = text != line and len(text) > _STATUS_BAR
        shown += [f"TEXT {part}" for part in wrap(text, _STATUS_BAR)] if is_long else [line]
    return "\n".join(line for line in shown if line)


@command("show-explanation")
def explanation(session: Session, arguments: list[str]) -> str:
    """What the bot says of its last move, in lines that can be read."""
    return "\n".join(wrap(session.bot.explanation, _STATUS_BAR))


@command("show-options")
def options(session: Session, arguments: list[str]) -> str:
    """The game and its options, a line each."""
    return "\n".join([session.rules.title, *(f"{key} = {text_of(v)}" for key, v in session.rules.values.items())])


@command("show-player")
def player(session: Session, arguments: list[str]) -> str:
    """What the bot is called and how strong it plays."""
    return session.bot.introduce()
