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
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import count, takewhile

from gtp_variants.errors import IllegalMove, RecordError, VariantsError
from gtp_variants.records.katago_rules import write_rules_name
from gtp_variants.records.notation import write_event, write_move
from gtp_variants.records.record import (
    MAX_EVENTS,
    Caveat,
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
from gtp_variants.records.sgf.dialects import (
    count_of,
    first_value,
    komi_of,
    options_of,
    overtime_of,
    seconds_of,
    size_of,
)
from gtp_variants.records.sgf.syntax import (
    GameTree,
    Node,
    SgfGame,
    games_of,
    properties_of,
    property_text,
    read_node,
    set_property,
)
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
# The properties that a JSON record holds or does not need.
_HELD_BY_JSON = frozenset(
    "GM FF CA AP ST SZ KM KO HA RU PB PW PR RE TM OT VARIANT DICE COMMITMENT SECRET TOLD EVENT TIME B W R AB AW AE "
    "ADDRED PL BL WL OB OW".split()
)
# The facts of a game that a record of another program's file may change.
_FACTS = ("PB", "PW", "RE", "TM", "OT", "C")
_MAX_SETUPS = 100
# The points that a game may set up, and those that it may mark, each counted as often as it is named.
_MAX_POINTS = 200_000
_MAX_CAVEATS = 200
_TOLERATED = ("chance", "tolerate")
# Maximum number of characters shown of a file's rules.
_LONGEST_RULES = 40
_SECONDS = r"\d{1,10}(\.\d{0,400})?"
_TIME = re.compile(rf"(\d{{1,5}}) (-|{_SECONDS}) (-|{_SECONDS}) (-|\d{{1,5}})", re.ASCII)
_UNDECODED = re.compile("[\udc80-\udcff]")
# Red stones as empty points, because Go programs do not show red stones.
_AS_SHOWN = bytes.maketrans(bytes((RED,)), bytes((EMPTY,)))


# -- writing ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Source:
    """The tree from which a game was read, its events then, and the number of events after each node that was read.

    The number is -1 before the last setup, where another game begins. `root` is the root that we would have written.
    """

    tree: GameTree
    events: tuple[Event, ...]
    counts: tuple[int, ...]
    root: Node


def to_sgf(record: Record) -> str:
    """Return a record as SGF, with one node per line. Raises RecordError if no file can represent it.

    A game that was read from SGF is written with everything in its file. If it was continued or taken back since, the
    moves that followed in the file become a variation. Undecodable bytes of the file are halves of surrogate pairs.
    """
    tree = _tree_of_source(record)
    if tree is not None:
        return tree.write()
    text = "".join(sgf_pieces(record))
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RecordError("a name or comment holds half of a surrogate pair") from None
    return text


def _tree_of_source(record: Record) -> GameTree | None:
    """Return the tree of a game's file, updated to the game as it is now, or None if no file fits the game."""
    game, source = record.game, record.game.source
    if not isinstance(source, _Source):
        return None
    root = read_node(source.tree.nodes[0])
    is_same, facts = tuple(game.events) == source.events, read_node(_root(record))
    if "VARIANT" in root or game.rules.name != GO:
        is_said = facts == source.root or not record.is_of_file
        is_kept = is_same and is_said and all(root.get(name) == values for name, values in facts.items())
        return source.tree if is_kept and "VARIANT" in root else None
    # A record of the game alone says nothing new by its defaults.
    known = [source.root] if record.is_of_file else [source.root, read_node(_root(Record(game)))]
    differing = (name for name in _FACTS if all(facts.get(name) != each.get(name) for each in known))
    changed = {name: facts[name][0] if name in facts else None for name in differing}
    if "OT" in changed:
        changed |= {"TC": None, "TT": None}  # Fox's words for the same
    if is_same:
        tree = GameTree(list(source.tree.nodes), source.tree.trees)
    else:
        pairs = zip(game.events, source.events, strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        kept = max((i for i, number in enumerate(source.counts, 1) if 0 <= number <= common), default=0)
        if not kept:
            return None
        tree, end, rest = source.tree.cut(kept)
        new = list(nodes_of(record, source.counts[kept - 1]))
        if rest is None and not end.trees:
            end.nodes += new
        else:
            # Without new nodes, an empty node ends the main line, so that the old moves become a variation.
            end.trees[:0] = [GameTree(new or [""]), *([] if rest is None else [rest])]
        changed["RE"] = record.result
    told = {name: facts[name][0] for name, value in _write_rules(root, game).items() if [value] != facts[name]}
    for name, value in [*changed.items(), *told.items(), ("CA", "UTF-8")]:
        tree.nodes[0] = set_property(tree.nodes[0], name, value)
    return tree


def _write_rules(root: Node, game: Game) -> dict[str, str]:
    """Return KM and RU as `to_sgf` writes them for the rules that a file of another program names."""
    rules, handicap = _go_rules(root, True, []), game.positions[0].handicap
    assert isinstance(rules, AreaRules)
    return {"KM": format_number(rules.komi_with(handicap)), "RU": write_rules_name(rules, handicap > 0)}


def left_out_of_json(record: Record) -> Caveat | None:
    """Return a caveat about parts of a game's file that a JSON record cannot hold, or None without such parts."""
    source = record.game.source
    if not isinstance(source, _Source):
        return None
    held = _HELD_BY_JSON | ({"C"} if "VARIANT" in read_node(source.tree.nodes[0]) else set())
    names: dict[str, None] = {}
    lines = 1
    for tree in source.tree.all_trees():
        names |= dict.fromkeys(name for node in tree.nodes for name, _ in properties_of(node) if name not in held)
        lines += max(0, len(tree.trees) - 1)
    if record.before:
        names["AB"] = None
    return Caveat("json", {"names": " ".join(names) or "-", "count": lines - 1}) if names or lines > 1 else None


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
            move = property_text(_letter(event.actor), "" if point is None else _coordinates(board, point))
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
        # Without `placed`, only the new stone was removed, so other stones stay.
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
    *,
    is_lenient: bool = False,
) -> Record:
    """Return the main line of game `number` of an SGF text, counted from 1. See `record_of`."""
    count = 0
    for count, game in enumerate(games_of(text), 1):
        if count == number:
            return record_of(game, rules, before_move, draws, is_lenient=is_lenient)
    raise RecordError(f"game {number}: expected 1 to {count}")


def read_collection(
    text: str | bytes, rules: Rules | None = None, draws: Draws | None = None, *, is_lenient: bool = False
) -> Iterator[Record | RecordError]:
    """Yield every game of an SGF text, or for a faulty game a RecordError with its number."""
    games = games_of(text)
    for number in count(1):
        try:
            with name_place(f"game {number}"):
                game = next(games, None)
                found = None if game is None else record_of(game, rules, None, draws, is_lenient=is_lenient)
        except RecordError as error:
            yield error
        else:
            if found is None:
                return
            yield found


def record_of(
    file: SgfGame,
    rules: Rules | None = None,
    before_move: int | None = None,
    draws: Draws | None = None,
    *,
    is_taken_in: bool = False,
    is_lenient: bool = False,
) -> Record:
    """Return the record of the main line of a game.

    A file with VARIANT specifies its game and all events. Any other file is a game of `rules`, by default Go with the
    file's size, komi and rules; `draws` throws the dice if the game has any. With `is_taken_in`, the moves of
    such a file count as reported by a host, see `Game.take_in`. With `is_lenient`, an illegal move is carried out as
    FF[4] requires, with a caveat. Reading stops before move number `before_move`, counted from 1. The game keeps the
    file as its source, see `to_sgf`. Raises RecordError, with the number of the node, for a fault; our own files must
    not be damaged.
    """
    nodes = file.main_line()
    root = nodes[0]
    caveats, before = list(file.caveats), []
    if "VARIANT" in root:
        if damage := [caveat for caveat in caveats if "place" in caveat.parts]:
            raise RecordError(damage[0].sentence())
        game, times, counts = _own_game(nodes, before_move)
    else:
        _, guessed = komi_of(root)
        caveats += [] if guessed is None else [guessed]
        reader = _ForeignGame(rules or _go_rules(root, is_lenient, caveats), nodes, draws, is_taken_in, is_lenient)
        counts = _read_foreign(reader, nodes, before_move)
        game, times, before = reader.game, reader.times, reader.before
        caveats += reader.caveats
    tree = file.tree if before_move is None else file.tree.cut(len(counts))[0]
    said = {name: _clean(root[name][0]) for name in ("PB", "PW", "PR", "C") if root.get(name)}
    record = Record(
        game,
        dice=check_dice("DICE", first_value(root, "DICE")),
        commitment=check_commitment("COMMITMENT", first_value(root, "COMMITMENT")),
        secret=read_secret("SECRET", root["SECRET"][0].strip() if root.get("SECRET") else None),
        told=_told_turns(root),
        # In our own files an empty name is a name; in others it says that there is none.
        players={
            colour: said[name]
            for colour in game.rules.colours
            if (name := f"P{_letter(colour)}") in said and (said[name] or "VARIANT" in root)
        },
        result=_clean(first_value(root, "RE") or "") or None if before_move is None else None,
        comment=said.get("C", ""),
        main_s=seconds_of(first_value(root, "TM")),
        overtime=_clean(overtime_of(root)),
        times={number: time for number, time in times.items() if number < len(game.events)},
        counted_by=None if "VARIANT" in root else _clean(first_value(root, "RU") or ""),
        before=before,
        caveats=caveats,
        is_of_file=True,
    )
    game.source = _Source(tree, tuple(game.events), tuple(counts), read_node(_root(record)))
    return record


def _clean(text: str) -> str:
    """Return a text in which bytes that could not be decoded are shown as U+FFFD."""
    return _UNDECODED.sub("\ufffd", text)


def _go_rules(root: Node, is_lenient: bool, caveats: list[Caveat]) -> Rules:
    """Return Go with a file's size, komi and rules. If `is_lenient`, an invalid komi is left out with a caveat."""
    width, height = size_of(root)
    told = options_of(root, width != height)
    try:
        return parse(f"{GO}:" + ",".join(f"{key}={text}" for key, text in told.items()))
    except VariantsError as error:
        if is_lenient and "komi" in told and str(error).startswith("komi="):
            caveats.append(Caveat("no_komi", {"text": first_value(root, "KM")}))
            return _go_rules({name: values for name, values in root.items() if name not in ("KM", "KO")}, False, [])
        raise RecordError(str(error)) from error


def _told_turns(root: Node) -> frozenset[int]:
    given = root.get("TOLD", [])
    if not all(turn.isascii() and turn.isdigit() and len(turn) < 7 for turn in given):
        raise RecordError("TOLD: expected turn numbers")
    return frozenset(map(int, given))


# -- our own files ----------------------------------------------------------------------------------------------------


def _own_game(nodes: list[Node], before_move: int | None) -> tuple[Game, Times, list[int]]:
    """Return the game, its times, and the number of events after each node that was read."""
    root = nodes[0]
    try:
        rules = parse(root["VARIANT"][0] if root["VARIANT"] else "", AS_IT_STANDS)
    except VariantsError as error:
        raise RecordError(f"VARIANT: {error}") from error
    game = new_game(rules, _setup_of(rules, root, _SETUP), _player_to_move(rules, root))
    times: Times = {}
    counts: list[int] = []
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
        counts.append(len(game.events))
    return game, times, counts


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
    """Return the colour and the point (or PASS) of a node's first move, or None. Raises RecordError if unreadable."""
    return next(_moves_of(board, node, 0), None)


def _player_to_move(rules: Rules, node: Node) -> int | None:
    text = first_value(node, "PL")
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


def check_points(count: int) -> None:
    """Raise RecordError if a game names too many points."""
    if count > _MAX_POINTS:
        raise RecordError(f"more than {_MAX_POINTS} points set up or marked in one game")


def _setup_of(
    rules: Rules, node: Node, names: Mapping[str, int], read: Callable[[str, str], list[int]] | None = None
) -> dict[int, int]:
    """Return the colours that a node's setup properties put on points; `read` has the points of a value."""
    found: dict[int, int] = {}
    read = read or partial(points_of, rules.board)
    for name, colour in names.items():
        values = node.get(name, [])
        if len(values) > len(rules.board):
            raise RecordError(f"{name}: more values than the board has points")
        for value in values:
            found.update(dict.fromkeys(read(name, value), colour))
    return found


# -- files from other programs ----------------------------------------------------------------------------------------


def _read_foreign(reader: "_ForeignGame", nodes: list[Node], before_move: int | None) -> list[int]:
    """Read the nodes. Return the number of the game's events after each node, -1 for nodes of earlier games."""
    board, size = reader.game.rules.board, size_of(nodes[0])
    kind = first_value(nodes[0], "GM")
    if kind not in (None, "1"):
        raise RecordError(f"GM[{kind[:20]}]: expected 1, the game of Go")
    if size != (board.width, board.height):
        raise RecordError(f"SZ[{size[0]}:{size[1]}]: expected {board.width}:{board.height}, the size of this board")
    moves = 0
    for number, node in enumerate(nodes):
        reader.set_up(node, number)
        for name in ("B", "W"):
            for value in node.get(name, ()):
                moves += 1
                with reader.bearing_faults(number, name, value):
                    event = Event(_MOVES[name], _action(board, name, value, number))
                    reader.begin(event.actor)
                    if moves == before_move:
                        return reader.counts
                    reader.play(event, number)
                    reader.note_time(node, name)
        reader.counts.append(len(reader.game.events))
    reader.begin(None)
    return reader.counts


def _foreign_time(node: Node, letter: str) -> Time | None:
    left_s = seconds_of(first_value(node, f"{letter}L"))
    return None if left_s is None else Time(left_s=left_s, left_count=count_of(node, f"O{letter}"))


def _whose_rules(error: VariantsError, rules: Rules, root: Node) -> str:
    """Return a phrase that names the rules if they forbid a move that other rules may allow, or else ""."""
    if not isinstance(error, IllegalMove) or error.reason not in ("suicide", "repetition"):
        return ""
    named = first_value(root, "RU")
    own = f" and not {printable(named[:_LONGEST_RULES])}, as the file says" if named else ""
    return f", by the rules of {rules.short_spec}{own}"


class _ForeignGame:
    """A game from another program, as it is read. If stones are set up after moves, a new game begins with them.

    If `is_lenient`, a new game also begins after an illegal move, which is carried out as FF[4] requires: the stone
    replaces any stone on its point, and captures.
    """

    def __init__(
        self, rules: Rules, nodes: list[Node], draws: Draws | None, is_taken_in: bool, is_lenient: bool
    ) -> None:
        self.game = Game(rules)
        self.draws = draws
        self.is_taken_in = is_taken_in
        self.is_lenient = is_lenient
        self.root = nodes[0]
        # The number of the last node that plays a stone.
        self.last_stone = 0
        for number, node in enumerate(nodes):
            if not all(_is_pass(rules.board, value) for name in ("B", "W") for value in node.get(name, ())):
                self.last_stone = number
        self.times: Times = {}
        self.before: list[tuple[Game, Caveat]] = []
        self.caveats: list[Caveat] = []
        self.counts: list[int] = []
        self.setup: dict[int, int] | None = None
        self.first: int | None = None
        self.reason = Caveat("setup")
        self.number = self.point_count = 0

    def set_up(self, node: Node, number: int) -> None:
        """Note the stones that a node sets up, and the player that it names as next to move."""
        rules = self.game.rules
        # PL begins a game only in a node without a move: beside a move it names the next player.
        begins = "PL" in node and not self.game.events and not _MOVES.keys() & node.keys()
        if not (begins or _EDITS.keys() & node.keys()):
            return
        self.number = number
        with name_place(f"node {number}"):
            first = _player_to_move(rules, node)
            found = _setup_of(rules, node, _EDITS, self._points_of)
        if found or begins:
            self._change(found, first, Caveat("setup", {"number": number}))

    def _points_of(self, name: str, value: str) -> list[int]:
        """Return the points of a value of a setup property, or none and note a caveat. Raises RecordError."""
        found: list[int] = []
        try:
            found = points_of(self.game.rules.board, name, value) if value.strip() else []
        except RecordError:
            if not self.is_lenient:
                raise
        if not found:
            self._note(Caveat("no_point", {"number": self.number, "text": f"{name}[{value[:20]}]"}))
        self.point_count += len(found)
        check_points(self.point_count)
        return found

    def _note(self, caveat: Caveat) -> None:
        if len(self.caveats) >= _MAX_CAVEATS:
            raise RecordError(f"more than {_MAX_CAVEATS} faults; the last is: {caveat.sentence()}")
        self.caveats.append(caveat)

    def _change(self, stones: Mapping[int, int], first: int | None, reason: Caveat) -> None:
        if self.setup is None:
            self.setup = {point: colour for point, colour in enumerate(self.game.position.stones) if colour}
        self.first, self.reason = first or self.first, reason
        self.setup |= stones

    def begin(self, mover: int | None) -> None:
        """Start the game from the stones that were set up.

        The player named by PL plays first, or else the mover, or else White after a handicap.
        """
        if self.setup is None:
            return
        if len(self.before) >= _MAX_SETUPS:
            raise RecordError(f"node {self.number}: more than {_MAX_SETUPS} setups")
        rules = self.game.rules
        stones = {point: colour for point, colour in self.setup.items() if colour}
        handicap = WHITE if set(stones.values()) == {BLACK} and WHITE in rules.colours else None
        with name_place(f"node {self.number}"):
            fresh = new_game(rules, stones, self.first or mover or handicap)
        if self.game.events or self.before or self.reason.key == "illegal":
            self.before.append((self.game, self.reason))
        self.game = fresh
        self.counts = [-1 if number < self.number else 0 for number in range(len(self.counts))]
        self.times = {}
        self.setup = self.first = None

    def note_time(self, node: Node, letter: str) -> None:
        """Note the time that a node states after a colour's move."""
        time = _foreign_time(node, letter)
        if time is not None and self.game.events:
            self.times[len(self.game.events) - 1] = time

    @contextmanager
    def bearing_faults(self, number: int, name: str, value: str) -> Iterator[None]:
        """If `is_lenient`, turn the error of a move into a caveat, and put its stone on the board."""
        try:
            yield
        except RecordError as error:
            if not self.is_lenient:
                raise
            fault = Caveat("illegal", {"why": str(error)})
            self._note(fault)
            board, colour = self.game.rules.board, _MOVES[name]
            if self.setup is not None or not isinstance(error.__cause__, IllegalMove) or _is_pass(board, value):
                return
            point = _point(board, name, value.strip())
            try:
                self.game.take_in(colour, point)
            except VariantsError:
                self.number = number
                stones = _execute(board, self.game.position.stones, colour, point)
                self._change(dict(enumerate(stones)), BLACK + WHITE - colour, fault)
                self.begin(None)

    def play(self, event: Event, number: int) -> None:
        """Play a move from a file whose format has no skipped turns, resumed games or dice."""
        game, rules = self.game, self.game.rules
        if len(game.events) >= MAX_EVENTS:
            raise RecordError(f"node {number}: more than {MAX_EVENTS} events")
        if event.action == PASS and rules.is_final(game.position):
            return
        try:
            # A later stone shows that the end by passes was not final, so resume the game.
            if number <= self.last_stone and rules.is_suspended(game.position):
                game.play(game.position.mover, RESUME)
            if event.actor != game.position.mover:
                game.play(event.actor, TURN)
            while game.position.to_play == CHANCE:
                if self.draws is None:
                    raise RecordError("the file lacks the dice throws of this game")
                game.play(CHANCE, self.draws(game, event))
            carry_out = game.take_in if self.is_taken_in else game.play
            carry_out(event.actor, event.action)
        except RecordError as error:
            raise RecordError(f"node {number}: {error}") from None
        except VariantsError as error:
            told = f"{describe_error(error)}{_whose_rules(error, rules, self.root)}"
            raise RecordError(f"node {number}: {told}") from error


def _execute(board: Board, stones: bytes, colour: int, point: int) -> bytes:
    """Return the stones after a move that is carried out although it is illegal, as FF[4] requires."""
    bare = bytes(0 if each == point else there for each, there in enumerate(stones))
    placed = place(board, bare, colour, point) or sacrifice(board, bare, colour, point)
    # Without `placed`, only the new stone was removed, so other stones stay.
    return placed[0] if placed else bare
