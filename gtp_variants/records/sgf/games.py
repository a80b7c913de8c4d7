"""Records as SGF FF[4].

Square games are ordinary SGF that any program reads; other boards use the letters a-zA-Z on their grid. Our own
properties:

* `VARIANT`: the SPEC, in the root
* `EVENT`: events before the node's move that are not ordinary stones or passes, as written by `notation.py`
* `R` and `ADDRED`: Red's moves, and Red's stones in the setup
* `DICE`, `COMMITMENT`, `SECRET` and `TOLD`: in the root, as in a `Record`
* `TIME`: the times of a node's events: the event's number in the node from 0, seconds taken, seconds left, and stones
  or periods left, with `-` for unknown values; moves also have BL, WL, OB and OW

If a Go program would make different captures, a node that only sets stones follows the move. Readers that know VARIANT
skip this node. Tabs and other unusual blanks are read back as spaces, because SGF text cannot represent them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal

from gtp_variants.errors import IllegalMove, RecordError, VariantsError
from gtp_variants.records.katago_rules import read_rules_name, write_rules_name
from gtp_variants.records.notation import write_event, write_move
from gtp_variants.records.record import (
    MAX_EVENTS,
    MAX_SECONDS,
    Record,
    Time,
    check_commitment,
    check_dice,
    check_length,
    describe_error,
    name_place,
    new_game,
    play_words,
    printable,
    read_secret,
)
from gtp_variants.records.sentences import announcements, draw_sentence
from gtp_variants.records.sgf.syntax import Node, games_of, property_text
from gtp_variants.rules import AS_IT_STANDS, GO, parse
from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, PASS, RED, RESUME, TURN, WHITE, Event
from gtp_variants.rules.boards.board import Board, rectangle
from gtp_variants.rules.boards.chains import place, sacrifice
from gtp_variants.rules.colour_names import COLOUR_LETTERS, COLOUR_WORDS
from gtp_variants.rules.game import Game
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import AreaRules

# A function that returns the CHANCE action for the throw that is due, given the game and the event that follows.
Draws = Callable[[Game, Event], int]
# Number of an event -> its times.
Times = dict[int, Time]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOVES = {"B": BLACK, "W": WHITE, "R": RED}
_SETUP = {"AB": BLACK, "AW": WHITE, "ADDRED": RED}
_EDITS = {"AE": EMPTY, "AB": BLACK, "AW": WHITE}
# The values of PL. Some programs write numbers, because a document about FF[3] had them.
_PLAYERS = {**COLOUR_WORDS, "1": BLACK, "2": WHITE}
_TT_LIMIT = 19
_MAX_SETUPS = 100
_TOLERATED = ("chance", "tolerate")
# Maximum number of characters shown of a file's rules.
_LONGEST_RULES = 40
_SIZE = re.compile(r"\s*([1-9][0-9]?)\s*(?::\s*([1-9][0-9]?)\s*)?")
# A komi with a unit, as people write it.
_POINTS = re.compile(r"([+-]?[0-9.,]+)\s*(?:points?|pts?\.?|moku|目|집)", re.IGNORECASE)
_SECONDS = re.compile(r"\d{1,10}(\.\d{0,400})?", re.ASCII)
_TIME = re.compile(rf"(\d{{1,5}}) (-|{_SECONDS.pattern}) (-|{_SECONDS.pattern}) (-|\d{{1,5}})", re.ASCII)
# Go programs do not show red stones.
_AS_SHOWN = bytes.maketrans(bytes((RED,)), bytes((EMPTY,)))


# -- writing ----------------------------------------------------------------------------------------------------------


def to_sgf(record: Record) -> str:
    """Return a record as SGF, with one node per line. Raises RecordError if no file can represent it."""
    text = "".join(sgf_pieces(record))
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RecordError("a name or comment holds half of a surrogate pair") from None
    return text


def sgf_pieces(record: Record) -> Iterator[str]:
    """Yield the text of `to_sgf` node by node. Raises RecordError for a game that is too long."""
    game = record.game
    check_length(game)
    yield f"(;{_root(record)}"
    for node in nodes_of(record):
        yield f"\n;{node}"
    yield ")\n"


def _root(record: Record) -> str:
    game, rules = record.game, record.game.rules
    board = rules.board
    size = str(board.width) if board.width == board.height else f"{board.width}:{board.height}"
    found: list[tuple[str, str | None]] = [("GM", "1"), ("FF", "4"), ("CA", "UTF-8"), ("AP", "gtp-variants:1")]
    found.append(("SZ", size))
    handicap = game.positions[0].handicap
    if isinstance(rules, AreaRules):
        found.append(("KM", format_number(rules.komi_with(handicap))))
    found.append(("RU", write_rules_name(rules, handicap > 0) if rules.name == GO else rules.title))
    found += [(f"P{_letter(colour)}", name) for colour, name in sorted(record.players.items())]
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
    return text + (property_text("C", record.comment) if record.comment else "")


def _root_setup(game: Game) -> list[tuple[str, str]]:
    start = game.positions[0]
    found: list[tuple[str, str]] = []
    if game.setup and set(game.setup.values()) == {BLACK} and start.mover == WHITE and game.rules.handicap != "none":
        found.append(("HA", str(len(game.setup))))
    board = game.rules.board
    for name, colour in _SETUP.items():
        points = board.in_order(point for point, there in game.setup.items() if there == colour)
        # Only the first value has the property name before it.
        found += [(name if index == 0 else "", _coordinates(board, point)) for index, point in enumerate(points)]
    if start.mover != BLACK or game.first is not None:
        found.append(("PL", _letter(start.mover)))
    return found


def nodes_of(record: Record) -> Iterable[str]:
    """Yield the nodes of a record after the root, each as text without the semicolon."""
    game = record.game
    rules, board = game.rules, game.rules.board
    shown = _ShownBoard(board, game.positions[0].stones)
    waiting: list[str] = []
    remarks: list[str] = []
    for index, event in enumerate(game.events):
        before, after = game.positions[index], game.positions[index + 1]
        if event.actor != CHANCE and event.action >= PASS and game.is_turn(index):
            point = event.action if event.action >= 0 else None
            move = property_text(_letter(event.actor), "" if point is None else _coordinates(board, point))
            said = [*remarks, draw_sentence(rules, before), *announcements(rules, after)]
            clock = _clock_text(event.actor, record.times.get(index))
            times = _times_text(record, index - len(waiting), index + 1)
            # KO makes programs play a move even if their rules forbid it.
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
            yield shown.correct(after.stones) + property_text("PL", _letter(after.mover))
    if waiting:
        outcome = game.outcome
        times = _times_text(record, len(game.events) - len(waiting), len(game.events))
        yield _event_text(waiting) + times + _comment([*remarks, outcome.sentence(rules.lang) if outcome else None])


def _times_text(record: Record, start: int, stop: int) -> str:
    """Return the TIME property for the node with the events from `start` up to but not including `stop`."""
    known = ((number - start, record.times.get(number)) for number in range(start, stop))
    rows = [(number, time.took_s, time.left_s, time.left_count) for number, time in known if time is not None]
    values = [" ".join("-" if part is None else _seconds_text(part) for part in row) for row in rows]
    return property_text("TIME", *values) if values else ""


def _clock_text(colour: int, time: Time | None) -> str:
    """Return a side's remaining time after its move, as standard SGF properties."""
    if time is None or time.left_s is None or colour == RED:
        return ""
    text = property_text(f"{_letter(colour)}L", _seconds_text(time.left_s))
    return text + ("" if time.left_count is None else property_text(f"O{_letter(colour)}", str(time.left_count)))


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
        where = self.at[point]
        placed = place(self.grid, self.stones, colour, where)
        placed = placed or sacrifice(self.grid, self.stones, colour, where)
        # A stone that is removed alone leaves no trace.
        self.stones = placed[0] if placed else self.stones

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
                found[there].append(_coordinates(self.board, point))
        self.stones = bytes(changed)
        names = {BLACK: "AB", WHITE: "AW", EMPTY: "AE"}
        return "".join(property_text(names[colour], *points) for colour, points in found.items() if points)


def _letter(colour: int) -> str:
    return COLOUR_LETTERS[colour].upper()


def _coordinates(board: Board, point: int) -> str:
    x, y = board.cells[point]
    return _LETTERS[x] + _LETTERS[board.height - 1 - y]


# -- reading ----------------------------------------------------------------------------------------------------------


def from_sgf(
    text: str | bytes,
    rules: Rules | None = None,
    before_move: int | None = None,
    draws: Draws | None = None,
    number: int = 1,
) -> Record:
    """Return the main line of game `number` of an SGF text, counted from 1. See `record_of`."""
    count = 0
    for count, nodes in enumerate(games_of(text), 1):
        if count == number:
            return record_of(nodes, rules, before_move, draws)
    raise RecordError(f"game {number}: expected 1 to {count}")


def read_collection(text: str | bytes, rules: Rules | None = None, draws: Draws | None = None) -> Iterator[Record]:
    """Yield every game of an SGF text. On reaching a faulty game, raises a RecordError with its number."""
    for number, nodes in enumerate(games_of(text), 1):
        with name_place(f"game {number}"):
            record = record_of(nodes, rules, None, draws)
        yield record


def record_of(
    nodes: list[Node],
    rules: Rules | None = None,
    before_move: int | None = None,
    draws: Draws | None = None,
    *,
    is_taken_in: bool = False,
) -> Record:
    """Return the record of a main line, in the form that `parse_sgf` returns.

    A file with VARIANT specifies its game and all events. Any other file is a game of `rules`, by default Go with the
    file's size, komi and rules; `draws` throws the dice if the game has any. With `is_taken_in`, the moves of
    such a file count as reported by a host, see `Game.take_in`. Reading stops before move number `before_move`, counted
    from 1. Raises a RecordError that gives the number of the node.
    """
    root = nodes[0]
    if "VARIANT" in root:
        game, times = _own_game(nodes, before_move)
    else:
        reader = _ForeignGame(rules or _go_rules(root), nodes, draws, is_taken_in)
        game, times = _read_foreign(reader, nodes, before_move)
    return Record(
        game,
        dice=check_dice("DICE", _first(root, "DICE")),
        commitment=check_commitment("COMMITMENT", _first(root, "COMMITMENT")),
        secret=read_secret("SECRET", root["SECRET"][0].strip() if root.get("SECRET") else None),
        told=_told_turns(root),
        players={
            colour: root[f"P{_letter(colour)}"][0] for colour in game.rules.colours if root.get(f"P{_letter(colour)}")
        },
        result=_first(root, "RE") if before_move is None else None,
        comment=(root.get("C") or [""])[0],
        main_s=_seconds(_first(root, "TM")),
        overtime=_first(root, "OT") or "",
        times={number: time for number, time in times.items() if number < len(game.events)},
        counted_by=None if "VARIANT" in root else _first(root, "RU") or "",
    )


def size_of(root: Node) -> tuple[int, int]:
    """Return the width and height of the board from SZ, by default 19 each. Raises RecordError."""
    text = _first(root, "SZ") or "19"
    match = _SIZE.fullmatch(text)
    if match is None:
        raise RecordError(f"SZ[{text[:20]}]: expected a size such as 19 or 13:9")
    return int(match[1]), int(match[2] or match[1])


def komi_of(root: Node) -> str | None:
    """Return the komi from KM as the text of an option, or None without KM."""
    text = _first(root, "KM")
    if text is None:
        return None
    match = _POINTS.fullmatch(text)
    return (match[1] if match else text).replace(",", ".")


def _seconds(text: str | None) -> float | None:
    """Return the seconds on a clock, or None for text that is not a time."""
    seconds = float(text) if text and _SECONDS.fullmatch(text) else None
    return None if seconds is None or seconds > MAX_SECONDS else seconds


def _go_rules(root: Node) -> Rules:
    width, height = size_of(root)
    size = {"size": str(width)} if width == height else {"width": str(width), "height": str(height)}
    told = {**size, "komi": komi_of(root), **go_rules_of(root)}
    try:
        return parse(f"{GO}:" + ",".join(f"{key}={text}" for key, text in told.items() if text is not None))
    except VariantsError as error:
        raise RecordError(str(error)) from error


def go_rules_of(root: Node) -> Mapping[str, str]:
    """Return the rules of Go from RU as options, {} if RU is missing."""
    return read_rules_name(_first(root, "RU") or "")


def _first(node: Node, name: str) -> str | None:
    """Return the first value of a property without surrounding blanks, or None if there is none."""
    values = node.get(name)
    return values[0].strip() or None if values else None


def _told_turns(root: Node) -> frozenset[int]:
    given = root.get("TOLD", [])
    if not all(turn.isascii() and turn.isdigit() and len(turn) < 7 for turn in given):
        raise RecordError("TOLD: expected turn numbers")
    return frozenset(map(int, given))


# -- our own files ----------------------------------------------------------------------------------------------------


def _own_game(nodes: list[Node], before_move: int | None) -> tuple[Game, Times]:
    root = nodes[0]
    try:
        rules = parse(root["VARIANT"][0] if root["VARIANT"] else "", AS_IT_STANDS)
    except VariantsError as error:
        raise RecordError(f"VARIANT: {error}") from error
    game = new_game(rules, _setup_of(rules, root, _SETUP), _player_to_move(rules, root))
    times: Times = {}
    moves = 0
    for number, node in enumerate(nodes):
        happened = [_two_words(text, number) for text in node.get("EVENT", ())]
        move = _own_move(rules, node, number)
        moves += move is not None
        if moves == before_move:
            # Keep the events before the position, but not the tries for this move or an event that permits it.
            tries = (i for i, each in enumerate(happened) if each == _TOLERATED or _is_try(*each))
            happened, move = happened[: next(tries, len(happened))], None
        if move is not None:
            happened.append(move)
        times |= _own_times(node, number, len(game.events))
        play_words(game, happened, [f"node {number}"] * len(happened))
        if moves == before_move:
            break
    return game, times


def _own_times(node: Node, number: int, start: int) -> Times:
    """Return the times in a node whose first event is number `start` of the game."""
    found: Times = {}
    for value in node.get("TIME", ()):
        match = _TIME.fullmatch(value)
        if match is None:
            raise RecordError(f"node {number}: TIME[{value[:20]}]: expected four numbers such as 0 2.5 - -")
        index, *seconds, count = match.group(1, 2, 4, 6)
        took_s, left_s = (None if part == "-" else float(part) for part in seconds)
        with name_place(f"node {number}: TIME[{value[:20]}]"):
            found[start + int(index)] = Time(took_s, left_s, None if count == "-" else int(count))
    return found


def _is_try(actor: str, word: str) -> bool:
    return actor != "chance" and word[-1:].isdigit() and " " not in word


def _two_words(text: str, number: int) -> tuple[str, str]:
    actor, blank, word = text.partition(" ")
    if not blank:
        raise RecordError(f"node {number}: EVENT[{text[:20]}]: expected two words such as chance 4")
    return actor, word


def _own_move(rules: Rules, node: Node, number: int) -> tuple[str, str] | None:
    found = list(_moves_of(rules.board, node, number))
    if len(found) > 1:
        raise RecordError(f"node {number}: expected at most one move, got {len(found)}")
    return (COLOUR_LETTERS[found[0][0]], write_move(rules.board, found[0][1])) if found else None


def _moves_of(board: Board, node: Node, number: int) -> Iterator[tuple[int, int]]:
    for name, colour in _MOVES.items():
        for value in node.get(name, ()):
            yield colour, _action(board, name, value, number)


def move_of(board: Board, node: Node) -> tuple[int, int] | None:
    """Return the colour and the point (or PASS) of a node's first move, or None without a move. Raises RecordError."""
    return next(_moves_of(board, node, 0), None)


def _player_to_move(rules: Rules, node: Node) -> int | None:
    text = _first(node, "PL")
    if text is None:
        return None
    colour = _PLAYERS.get(text.lower().split()[0])
    if colour not in rules.colours:
        raise RecordError(f"PL[{text[:20]}]: expected a colour of this game")
    return colour


def _action(board: Board, name: str, value: str, number: int) -> int:
    """Return the point of a move, or PASS for a pass."""
    if _is_pass(board, value):
        return PASS
    with name_place(f"node {number}"):
        return _point(board, name, value.strip())


def _is_pass(board: Board, value: str) -> bool:
    text = value.strip()
    return not text or (text == "tt" and max(board.width, board.height) <= _TT_LIMIT)


def _point(board: Board, name: str, text: str) -> int:
    if len(text) == 2 and text[0] in _LETTERS and text[1] in _LETTERS:
        point = board.at(_LETTERS.index(text[0]), board.height - 1 - _LETTERS.index(text[1]))
        if point is not None:
            return point
    raise RecordError(f"{name}[{text[:20]}]: expected a point of a board of {board.width} by {board.height}")


def points_of(board: Board, name: str, value: str) -> list[int]:
    """Return the points of a property value: one point, or a rectangle given by two corners."""
    start, colon, end = value.strip().partition(":")
    if not colon:
        return [_point(board, name, start)]
    (x1, y1), (x2, y2) = (board.cells[_point(board, name, corner)] for corner in (start, end))
    cells = [(x, y) for x in range(min(x1, x2), max(x1, x2) + 1) for y in range(min(y1, y2), max(y1, y2) + 1)]
    return [point for point in (board.at(x, y) for x, y in cells) if point is not None]


def _setup_of(rules: Rules, node: Node, names: Mapping[str, int]) -> dict[int, int]:
    """Return the colours that a node's setup properties put on points."""
    found: dict[int, int] = {}
    for name, colour in names.items():
        values = node.get(name, [])
        if len(values) > len(rules.board):
            raise RecordError(f"{name}: more values than the board has points")
        for value in values:
            found.update(dict.fromkeys(points_of(rules.board, name, value), colour))
    return found


# -- files from other programs ----------------------------------------------------------------------------------------


def _read_foreign(reader: "_ForeignGame", nodes: list[Node], before_move: int | None) -> tuple[Game, Times]:
    board, size = reader.game.rules.board, size_of(nodes[0])
    kind = _first(nodes[0], "GM")
    if kind not in (None, "1"):
        raise RecordError(f"GM[{kind[:20]}]: expected 1, the game of Go")
    if size != (board.width, board.height):
        raise RecordError(f"SZ[{size[0]}:{size[1]}]: the board of this game is {board.width}:{board.height}")
    moves = 0
    for number, node in enumerate(nodes):
        reader.set_up(node, number)
        for name in ("B", "W"):
            for value in node.get(name, ()):
                moves += 1
                event = Event(_MOVES[name], _action(board, name, value, number))
                reader.begin(event.actor)
                if moves == before_move:
                    return reader.game, reader.times
                reader.play(event, number)
                reader.note_time(node, name)
    reader.begin(None)
    return reader.game, reader.times


def _foreign_time(node: Node, letter: str) -> Time | None:
    left_s, count = _seconds(_first(node, f"{letter}L")), _first(node, f"O{letter}")
    if left_s is None:
        return None
    return Time(left_s=left_s, left_count=int(count) if count and re.fullmatch("[0-9]{1,4}", count) else None)


def _whose_rules(error: VariantsError, rules: Rules, root: Node) -> str:
    """Return a phrase that names the rules if they forbid a move that other rules may allow, or else ""."""
    if not isinstance(error, IllegalMove) or error.reason not in ("suicide", "repetition"):
        return ""
    named = _first(root, "RU")
    own = f" and not {printable(named[:_LONGEST_RULES])}, as the file says" if named else ""
    return f", by the rules of {rules.short_spec}{own}"


class _ForeignGame:
    """A game from another program, as it is read. If stones are set up after moves, a new game begins with them."""

    def __init__(self, rules: Rules, nodes: list[Node], draws: Draws | None, is_taken_in: bool) -> None:
        self.game = Game(rules)
        self.draws = draws
        self.is_taken_in = is_taken_in
        self.root = nodes[0]
        # The number of the last node that plays a stone.
        self.last_stone = 0
        for number, node in enumerate(nodes):
            if not all(_is_pass(rules.board, value) for name in ("B", "W") for value in node.get(name, ())):
                self.last_stone = number
        self.times: Times = {}
        self.setups = 0
        self.setup: dict[int, int] | None = None
        self.first: int | None = None
        self.number = 0

    def set_up(self, node: Node, number: int) -> None:
        """Note the stones that a node sets up, and the player that it names as next to move."""
        rules = self.game.rules
        # In a node with a move, PL names the next player, not the mover.
        begins = "PL" in node and not self.game.events and not _MOVES.keys() & node.keys()
        if not (begins or _EDITS.keys() & node.keys()):
            return
        self.number = number
        if self.setup is None:
            self.setup = {point: colour for point, colour in enumerate(self.game.position.stones) if colour}
        with name_place(f"node {number}"):
            self.first = _player_to_move(rules, node) or self.first
            self.setup |= _setup_of(rules, node, _EDITS)

    def begin(self, mover: int | None) -> None:
        """Start the game from the stones that were set up.

        The player named by PL plays first, or else the mover, or else White after a handicap.
        """
        if self.setup is None:
            return
        self.setups += 1
        if self.setups > _MAX_SETUPS:
            raise RecordError(f"node {self.number}: more than {_MAX_SETUPS} setups")
        rules = self.game.rules
        stones = {point: colour for point, colour in self.setup.items() if colour}
        handicap = WHITE if set(stones.values()) == {BLACK} and WHITE in rules.colours else None
        with name_place(f"node {self.number}"):
            self.game = new_game(rules, stones, self.first or mover or handicap)
        self.times = {}
        self.setup = self.first = None

    def note_time(self, node: Node, letter: str) -> None:
        """Note the time that a node states after a colour's move."""
        time = _foreign_time(node, letter)
        if time is not None and self.game.events:
            self.times[len(self.game.events) - 1] = time

    def play(self, event: Event, number: int) -> None:
        """Play a move from a file whose format has no skipped turns, resumed games or dice."""
        game, rules = self.game, self.game.rules
        if len(game.events) >= MAX_EVENTS:
            raise RecordError(f"node {number}: more than {MAX_EVENTS} events")
        if event.action == PASS and rules.is_final(game.position):
            return
        try:
            # A later stone shows that the end by passes was not final.
            if number <= self.last_stone and rules.is_suspended(game.position):
                game.play(game.position.mover, RESUME)
            if event.actor != game.position.mover:
                game.play(event.actor, TURN)
            while game.position.to_play == CHANCE:
                if self.draws is None:
                    raise RecordError("the file lacks the draws of this game")
                game.play(CHANCE, self.draws(game, event))
            carry_out = game.take_in if self.is_taken_in else game.play
            carry_out(event.actor, event.action)
        except RecordError as error:
            raise RecordError(f"node {number}: {error}") from None
        except VariantsError as error:
            told = f"{describe_error(error)}{_whose_rules(error, rules, self.root)}"
            raise RecordError(f"node {number}: {told}") from error
