"""Records as SGF: reading games of any program, and writing them without loss."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, takewhile

from gtp_variants.errors import RecordError
from gtp_variants.records.katago_rules import read_rules_name, write_rules_name
from gtp_variants.records.record import Caveat, Record, name_place
from gtp_variants.records.sgf.dialects import first_value, komi_of, overtime_of, seconds_of
from gtp_variants.records.sgf.foreign_games import Draws, ForeignGame, go_rules
from gtp_variants.records.sgf.own_format import nodes_of, read_own_game, root_text, sgf_pieces
from gtp_variants.records.sgf.points import letter_of
from gtp_variants.records.sgf.syntax import GameTree, Node, SgfGame, games_of, properties_of, read_node, set_property
from gtp_variants.rules import GO
from gtp_variants.rules.actions import Event
from gtp_variants.rules.game import Game
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import AreaRules

# The properties that a JSON record holds or does not need.
_HELD_BY_JSON = frozenset(
    "GM FF CA AP ST SZ KM KO HA RU PB PW PR RE TM OT VARIANT DICE COMMITMENT SECRET TOLD NONCES EVENT TIME B W R AB AW "
    "AE ADDRED PL BL WL OB OW".split()
)
# The facts of a game that a record of another program's file may change.
_FACTS = ("PB", "PW", "RE", "TM", "OT", "C")
_UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class _Source:
    """The tree from which a game was read, the game's events at that time, and the number of events after each node.

    The number is -1 before the last setup, where another game begins. `record` holds the facts of the file.
    """

    tree: GameTree
    events: tuple[Event, ...]
    counts: tuple[int, ...]
    record: Record

    @property
    def root(self) -> Node:
        """The root that we would have written."""
        return read_node(root_text(self.record))


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
    root, written = read_node(source.tree.nodes[0]), source.root
    is_same, facts = tuple(game.events) == source.events, read_node(root_text(record))
    if "VARIANT" in root or game.rules.name != GO:
        is_said = facts == written or not record.is_of_file
        is_kept = is_same and is_said and all(root.get(name) == values for name, values in facts.items())
        return source.tree if is_kept and "VARIANT" in root else None
    # A record of the game alone may hold defaults, which are no changes.
    known = [written] if record.is_of_file else [written, read_node(root_text(Record(game)))]
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
    # The rules that the file names, as we write them.
    rules, handicap = go_rules(root, True, []), game.positions[0].handicap
    assert isinstance(rules, AreaRules)
    as_named = {"KM": format_number(rules.komi_with(handicap)), "RU": write_rules_name(rules, handicap > 0)}
    told = {name: facts[name][0] for name, value in as_named.items() if [value] != facts[name]}
    for name, value in [*changed.items(), *told.items(), ("CA", "UTF-8")]:
        tree.nodes[0] = set_property(tree.nodes[0], name, value)
    return tree


def record_of_file(game: Game) -> Record:
    """Return the record of a game with the facts of its file, but the result and times only of an unchanged game."""
    source = game.source
    if not isinstance(source, _Source):
        return Record(game)
    told = source.record
    if tuple(game.events) == source.events:
        return replace(told, game=game)
    return Record(game, players=told.players, comment=told.comment, main_s=told.main_s, overtime=told.overtime)


def left_out_of_json(record: Record) -> Caveat | None:
    """Return a caveat about parts of a game's file that a JSON record cannot hold, or None without such parts."""
    source = record.game.source
    if not isinstance(source, _Source):
        return None
    held = _HELD_BY_JSON | ({"C"} if "VARIANT" in read_node(source.tree.nodes[0]) else set())
    if record.main_s is None:
        held -= {"TM"}
    names: dict[str, None] = {}
    lines = 1
    for tree in source.tree.all_trees():
        names |= dict.fromkeys(name for node in tree.nodes for name, _ in properties_of(node) if name not in held)
        lines += max(0, len(tree.trees) - 1)
    if record.before:
        names["AB"] = None
    return Caveat("json", {"names": " ".join(names) or "-", "count": lines - 1}) if names or lines > 1 else None


def from_sgf(
    text: str | bytes,
    rules: Rules | None = None,
    before_move: int | None = None,
    draws: Draws | None = None,
    number: int = 1,
    *,
    is_lenient: bool = False,
) -> Record:
    """Return the main line of game `number` of an SGF text, from 1; see `record_of`. Raises RecordError without it."""
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
    FF[4] requires. Caveats tell this and unknown rules. Reading stops before move number `before_move`, counted from 1.
    The game keeps the file as its source, see `to_sgf`. Raises RecordError, with the number of the node, for a fault;
    our own files must not be damaged.
    """
    nodes = file.main_line()
    root = nodes[0]
    caveats = list(file.caveats)
    if is_ours := "VARIANT" in root:
        if damage := [caveat for caveat in caveats if "place" in caveat.parts]:
            raise RecordError(damage[0].sentence())
        record, counts = read_own_game(nodes, before_move)
    else:
        _, guessed = komi_of(root)
        caveats += [] if guessed is None else [guessed]
        reader = ForeignGame(rules or go_rules(root, is_lenient, caveats), nodes, draws, is_taken_in, is_lenient)
        used, named = reader.game.rules, first_value(root, "RU") or ""
        if used.profile.is_go and read_rules_name(named) is None:
            caveats.append(Caveat("rules", {"text": named[:40], "rules": used.short_spec}))
        reader.read(before_move)
        record, counts = Record(reader.game, times=reader.times, before=reader.before), reader.counts
        caveats += reader.caveats
    game, tree = record.game, file.tree if before_move is None else file.tree.cut(len(counts))[0]
    record = replace(
        record,
        players={
            colour: name for colour in game.rules.colours if (name := _name_of(root, letter_of(colour))) is not None
        },
        result=_clean(first_value(root, "RE") or "") or None if before_move is None else None,
        comment=_clean(next(iter(root.get("C", ())), "")),
        main_s=seconds_of(first_value(root, "TM")),
        overtime=_clean(overtime_of(root)),
        counted_by=None if is_ours else _clean(first_value(root, "RU") or ""),
        caveats=caveats,
        is_of_file=True,
    )
    game.source = _Source(tree, tuple(game.events), tuple(counts), record)
    return record


def _name_of(root: Node, letter: str) -> str | None:
    """Return a side's name, its names in rengo or its team; None without one. In our own files an empty name counts."""
    if "VARIANT" in root:
        return _clean(root[f"P{letter}"][0]) if root.get(f"P{letter}") else None
    values = (filter(None, root.get(name, ())) for name in (f"P{letter}", f"{letter}T"))
    return _clean(next(filter(None, map(", ".join, values)), "")) or None


def _clean(text: str) -> str:
    """Return a text in which bytes that could not be decoded are shown as U+FFFD."""
    return _UNDECODED.sub("\ufffd", text)
