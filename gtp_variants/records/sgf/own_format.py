"""Our own SGF FF[4]: writing a record, and reading it back exactly.

Square games are ordinary SGF that any program reads; other boards use the letters a-zA-Z on their grid. Our own
properties:

* `VARIANT`: the SPEC, in the root
* `EVENT`: events before the node's move that are not ordinary stones or passes, as written by `notation.py`
* `R` and `ADDRED`: Red's moves, and Red's stones in the setup
* `DICE`, `COMMITMENT`, `SECRET`, `TOLD` and `NONCES`: in the root, as in a `Record`
* `TIME`: the times of a node's events: the event's number in the node from 0, seconds taken, seconds left, and stones
  or periods left, with `-` for unknown values; moves also have BL, WL, OB and OW

If a Go program would make different captures, a node that only sets stones follows the move. Readers that know VARIANT
skip this node. Tabs and other unusual blanks are read back as spaces, because SGF text cannot represent them.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.records.katago_rules import write_rules_name
from gtp_variants.records.notation import write_event, write_move
from gtp_variants.records.record import Record, Time, check_length, name_place, new_game, play_words, with_dice
from gtp_variants.records.sentences import announcements, draw_sentence
from gtp_variants.records.sgf import points
from gtp_variants.records.sgf.syntax import Node, property_text
from gtp_variants.rules import AS_IT_STANDS, GO, parse
from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, PASS, RED, WHITE
from gtp_variants.rules.boards.board import Board, rectangle
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.turn_rules import AreaRules

_TOLERATED = ("chance", "tolerate")
_SECONDS = r"\d{1,10}(\.\d{0,400})?"
_TIME = re.compile(rf"(\d{{1,5}}) (-|{_SECONDS}) (-|{_SECONDS}) (-|\d{{1,5}})", re.ASCII)
# Red stones as empty points, because Go programs do not show red stones.
_AS_SHOWN = bytes.maketrans(bytes((RED,)), bytes((EMPTY,)))


def sgf_pieces(record: Record) -> Iterator[str]:
    """Yield the text of `to_sgf` node by node. Raises RecordError for a game that is too long."""
    game = record.game
    check_length(game.events)
    yield f"(;{root_text(record)}"
    for node in nodes_of(record):
        yield f"\n;{node}"
    yield ")\n"


def root_text(record: Record) -> str:
    """Return the root of a record's file, without the semicolon."""
    game, rules = record.game, record.game.rules
    board = rules.board
    size = str(board.width) if board.width == board.height else f"{board.width}:{board.height}"
    found: list[tuple[str, str | None]] = [("GM", "1"), ("FF", "4"), ("CA", "UTF-8"), ("AP", "gtp-variants:1")]
    found.append(("SZ", size))
    handicap = game.positions[0].handicap
    if isinstance(rules, AreaRules):
        found.append(("KM", format_number(rules.komi_with(handicap))))
    found.append(("RU", write_rules_name(rules, handicap > 0) if rules.name == GO else rules.title))
    found += [(f"P{points.letter_of(colour)}", name) for colour, name in sorted(record.players.items())]
    found += [
        ("RE", record.result),
        ("TM", None if record.main_s is None else _seconds_text(record.main_s)),
        ("OT", record.overtime or None),
        *_root_setup(game),
        ("VARIANT", rules.spec),
        ("DICE", record.dice),
        ("COMMITMENT", record.commitment),
        ("SECRET", None if record.secret is None else record.secret.hex()),
    ]
    text = "".join(property_text(name, value) for name, value in found if value is not None)
    if record.told:
        text += property_text("TOLD", *map(str, sorted(record.told)))
    if record.nonces:
        text += property_text("NONCES", *map(str, record.nonces))
    return text + (property_text("C", record.comment) if record.comment else "")


def _root_setup(game: Game) -> list[tuple[str, str]]:
    start = game.positions[0]
    found: list[tuple[str, str]] = []
    if game.setup and set(game.setup.values()) == {BLACK} and start.mover == WHITE and game.rules.handicap != "none":
        found.append(("HA", str(len(game.setup))))
    board = game.rules.board
    for name, colour in points.SETUP.items():
        placed = board.in_order(point for point, there in game.setup.items() if there == colour)
        # Only the first value has the property name before it.
        found += [(name if index == 0 else "", points.coordinates(board, point)) for index, point in enumerate(placed)]
    if start.mover != BLACK or game.first is not None:
        found.append(("PL", points.letter_of(start.mover)))
    return found


def nodes_of(record: Record, start: int = 0) -> Iterable[str]:
    """Yield the nodes of a record after its first `start` events, each as text without the semicolon."""
    game = record.game
    rules, board = game.rules, game.rules.board
    shown = _ShownBoard(board, game.positions[start].stones)
    waiting: list[str] = []
    remarks: list[str] = []
    for index, event in enumerate(game.events[start:], start):
        before, after = game.positions[index], game.positions[index + 1]
        if event.actor != CHANCE and event.action >= PASS and game.is_turn(index):
            point = event.action if event.action >= 0 else None
            value = "" if point is None else points.coordinates(board, point)
            move = property_text(points.letter_of(event.actor), value)
            said = [*remarks, draw_sentence(rules, before), *announcements(rules, after)]
            clock = _clock_text(event.actor, record.times.get(index))
            times = _times_text(record, index - len(waiting), index + 1)
            # Add KO, which makes programs play the move even if their rules forbid it.
            forced = property_text("KO", "") if game.is_tolerated(index) else ""
            yield _event_text(waiting) + move + forced + clock + times + _comment(said)
            shown.play(event.actor, point)
            waiting, remarks = [], []
        else:
            waiting.append(" ".join(write_event(rules, before, event)))
            if game.is_refused(index):
                remarks += [f"{board.vertex(event.action)}: {text}" for text in announcements(rules, after)]
        if shown.differs(after.stones):
            if waiting:
                yield _event_text(waiting) + _times_text(record, index + 1 - len(waiting), index + 1)
                waiting = []
            yield shown.correct(after.stones) + property_text("PL", points.letter_of(after.mover))
    if waiting:
        outcome = game.outcome
        times = _times_text(record, len(game.events) - len(waiting), len(game.events))
        yield _event_text(waiting) + times + _comment([*remarks, outcome.sentence(rules.lang) if outcome else None])


def _times_text(record: Record, start: int, stop: int) -> str:
    """Return the TIME property for the node with the events from `start` to before `stop`, or "" without times."""
    known = ((number - start, record.times.get(number)) for number in range(start, stop))
    rows = [(number, time.took_s, time.left_s, time.left_count) for number, time in known if time is not None]
    values = [" ".join("-" if part is None else _seconds_text(part) for part in row) for row in rows]
    return property_text("TIME", *values) if values else ""


def _clock_text(colour: int, time: Time | None) -> str:
    """Return a side's remaining time after its move, as standard SGF properties; "" if unknown, or for Red."""
    if time is None or time.left_s is None or colour == RED:
        return ""
    letter = points.letter_of(colour)
    text = property_text(f"{letter}L", _seconds_text(time.left_s))
    return text + ("" if time.left_count is None else property_text(f"O{letter}", str(time.left_count)))


def _seconds_text(seconds: float) -> str:
    """Return the exact number without an exponent; a whole number has no decimal point."""
    text = repr(seconds)
    return (format(Decimal(text), "f") if "e" in text else text).removesuffix(".0")


def _event_text(events: list[str]) -> str:
    return property_text("EVENT", *events) if events else ""


def _comment(said: Iterable[str | None]) -> str:
    text = "\n".join(filter(None, said))
    return property_text("C", text) if text else ""


class _ShownBoard:
    """The board as a Go program would show it: two colours on a square grid, with Go's captures."""

    def __init__(self, board: Board, stones: bytes) -> None:
        self.board = board
        self.grid = rectangle(board.width, board.height)
        self.at = [y * board.width + x for x, y in board.cells]
        self.is_whole = self.at == list(range(len(self.grid)))  # every cell is a point, in the same order
        self.stones = bytes(len(self.grid))
        self.correct(stones)

    def play(self, colour: int, point: int | None) -> None:
        """Play a stone as a Go program would, with Go's captures."""
        if colour == RED or point is None:
            return
        self.stones = points.execute(self.grid, self.stones, colour, self.at[point])

    def differs(self, stones: bytes) -> bool:
        """Return True if the board shown differs from the real one, ignoring red stones."""
        shown = self.stones if self.is_whole else bytes(map(self.stones.__getitem__, self.at))
        return shown != stones.translate(_AS_SHOWN)

    def correct(self, stones: bytes) -> str:
        """Correct the board shown, and return the SGF properties for the correction."""
        changed = bytearray(self.stones)
        found: dict[int, list[str]] = {BLACK: [], WHITE: [], EMPTY: []}
        for point in self.board.order:
            there = stones[point] % RED
            if changed[self.at[point]] != there:
                changed[self.at[point]] = there
                found[there].append(points.coordinates(self.board, point))
        self.stones = bytes(changed)
        names = {BLACK: "AB", WHITE: "AW", EMPTY: "AE"}
        return "".join(property_text(names[colour], *placed) for colour, placed in found.items() if placed)


def read_own_game(nodes: list[Node], before_move: int | None) -> tuple[Record, list[int]]:
    """Return the record before move `before_move`, and the event count after each node. Raises RecordError if bad."""
    root = nodes[0]
    try:
        rules = parse(root["VARIANT"][0] if root["VARIANT"] else "", AS_IT_STANDS)
    except VariantsError as error:
        raise RecordError(f"VARIANT: {error}") from error
    game = new_game(rules, points.setup_of(rules, root, points.SETUP), points.player_to_move(rules, root))
    times: dict[int, Time] = {}
    counts: list[int] = []
    moves = 0
    for number, node in enumerate(nodes):
        happened = []
        for text in node.get("EVENT", ()):
            actor, blank, word = text.partition(" ")
            if not blank:
                raise RecordError(f"node {number}: EVENT[{text[:20]}]: expected two words such as chance 4")
            happened.append((actor, word))
        found = list(points.moves_of(rules.board, node, number))
        if len(found) > 1:
            raise RecordError(f"node {number}: expected at most one move, got {len(found)}")
        move = (COLOUR_LETTERS[found[0][0]], write_move(rules.board, found[0][1])) if found else None
        moves += move is not None
        if moves == before_move:
            # Keep the events before the position, but not the tries for this move or an event that permits it.
            is_try = [actor != "chance" and word[-1:].isdigit() and " " not in word for actor, word in happened]
            tries = (i for i, each in enumerate(happened) if each == _TOLERATED or is_try[i])
            happened, move = happened[: next(tries, len(happened))], None
        if move is not None:
            happened.append(move)
        times |= _own_times(node, number, len(game.events))
        play_words(game, happened, [f"node {number}"] * len(happened))
        if moves == before_move:
            break
        counts.append(len(game.events))
    times = {number: time for number, time in times.items() if number < len(game.events)}
    stated: dict[str, object] = {"told": root.get("TOLD"), "nonces": root.get("NONCES")}
    named = ((name, root.get(name.upper())) for name in ("dice", "commitment", "secret"))
    stated |= {name: values[0].strip() for name, values in named if values}
    return with_dice(Record(game, times=times), stated, str.upper), counts


def _own_times(node: Node, number: int, start: int) -> dict[int, Time]:
    """Return the times in a node whose first event is number `start` of the game. Raises RecordError if malformed."""
    found: dict[int, Time] = {}
    for value in node.get("TIME", ()):
        match = _TIME.fullmatch(value)
        if match is None:
            raise RecordError(f"node {number}: TIME[{value[:20]}]: expected four numbers such as 0 2.5 - -")
        index, *seconds, count = match.group(1, 2, 4, 6)
        took_s, left_s = (None if part == "-" else float(part) for part in seconds)
        with name_place(f"node {number}: TIME[{value[:20]}]"):
            found[start + int(index)] = Time(took_s, left_s, None if count == "-" else int(count))
    return found
