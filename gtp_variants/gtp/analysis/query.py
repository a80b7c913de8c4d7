"""The reader of queries in KataGo's JSON protocol: the game, the turns, and the requested information."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from gtp_variants.ai.mcts.settings import AvoidedMove, find_moves_to_avoid
from gtp_variants.ai.mcts.tree_search import without_draws
from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError, VariantsError
from gtp_variants.gtp.analysis.fields import FLAGS, AnalysisFields, leave_out
from gtp_variants.players.table import Table
from gtp_variants.records.katago_rules import BONUS, check_katago_values, expand_katago_rules, read_katago_rules
from gtp_variants.records.notation import read_move
from gtp_variants.rules import GO, split_spec
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, WHITE
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import colour_name, read_colour
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules

# The side for which win rates, leads and ownership are reported. None means the side to play.
PERSPECTIVES: Mapping[str, int | None] = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": None}
_MOST_VISITS, _MOST_SECONDS = 2**40, 1e9
_LONGEST_LINE = 1000
_MOST_PRIORITY = 2**62
_MOST_KOMI = 400
# KataGo's fields that have no effect here.
_WITHOUT_EFFECT = ("rootPolicyTemperature", "rootFpuReductionMax")
_BOARD_SIZE = ("boardXSize", "boardYSize")
_WINRATES_AS = "reportAnalysisWinratesAs"
_NUMBERS = ("maxVisits", "reportDuringSearchEvery", "firstReportDuringSearchAfter", "priority", "analysisPVLen")
_READ = (
    *("id", "action", "rules", "komi", "moves", "initialStones", "initialPlayer", "boardXSize", "boardYSize"),
    *("analyzeTurns", "avoidMoves", "allowMoves", "overrideSettings", "priorities", BONUS, *_NUMBERS, *FLAGS["json"]),
    *_WITHOUT_EFFECT,
)
# KataGo's two names of one setting, a setting of our own, one that our networks cannot follow, and all that are known.
# `rootSymmetryPruning` never has an effect, as every move is searched.
_WIDE_NOISE = ("wideRootNoise", "analysisWideRootNoise")
_CALIBRATION = "calibration"
_ADVANTAGE = "playoutDoublingAdvantage"
_SETTINGS = (_WINRATES_AS, "maxTime", "maxVisits", _ADVANTAGE, _CALIBRATION, "rootSymmetryPruning", *_WIDE_NOISE)
_CELL = re.compile(r"\((\d{1,3}), *(\d{1,3})\)")
Value = TypeVar("Value")


class QueryRefused(VariantsError):
    """An error for a query that cannot be answered: the faulty field and the reason."""

    def __init__(self, field_name: str, why: str) -> None:
        super().__init__(why)
        self.field = field_name


@dataclass(frozen=True, slots=True)
class AnalysisQuery:
    """One query about positions in a game.

    `turns` are move numbers, and `positions` are the positions at those turns before any dice are thrown. `report_s` is
    the number of seconds between reports during the search, 0 for no reports. `priorities` are by turn, and the highest
    is searched first. `longest_line` is the maximum number of moves in a line after its first, 0 for no limit.
    `network_settings` are fields of `PuctSettings`.
    """

    id: str
    rules: Rules
    turns: tuple[int, ...]
    positions: Mapping[int, Position]
    fields: AnalysisFields
    avoided: tuple[AvoidedMove, ...] = ()
    most_visits: int = 0
    most_seconds: float = 0.0
    report_s: float = 0.0
    first_report_s: float = 0.0
    priorities: Mapping[int, int] = field(default_factory=dict)
    longest_line: int = 0
    perspective: int | None = BLACK
    network_settings: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class QueryDefaults:
    """The values for settings that a query leaves out."""

    most_visits: int = 2000
    perspective: int | None = BLACK


def read_query(given: Json, defaults: QueryDefaults) -> AnalysisQuery:
    """Read a query. Raises QueryRefused if it is invalid or its game hides stones."""
    warnings = [(key, "Unexpected or unused field") for key in given if key not in _READ]
    warnings += [(key, "Has no effect here") for key in given if key in _WITHOUT_EFFECT]
    rules = _read_rules(given)
    if not rules.is_open:
        raise QueryRefused("rules", f"expected an open game; {rules.title} hides stones")
    settings: Json = _field(given, "overrideSettings", dict, {})
    warnings += [(f"overrideSettings.{key}", "Unknown setting") for key in settings if key not in _SETTINGS]
    if settings.get(_ADVANTAGE, 0) != 0:
        raise QueryRefused("overrideSettings", f"{_ADVANTAGE}: expected 0, as networks here judge equal players only")
    played = _replay(given, rules)
    turns = _read_turns(given, len(played) - 1)
    positions = {turn: played[turn] for turn in turns}
    # The query's own fields take precedence over its settings.
    limited = given if "maxVisits" in given else settings
    default_visits = 0 if "maxTime" in settings else defaults.most_visits
    return AnalysisQuery(
        id=str(given["id"]),
        rules=rules,
        turns=turns,
        positions=positions,
        avoided=_read_moves_to_avoid(given, rules, positions),
        most_visits=_whole(limited, "maxVisits", default_visits, least=1 if "maxVisits" in limited else 0),
        most_seconds=_number(settings, "maxTime", 0.0, most=_MOST_SECONDS),
        report_s=_number(given, "reportDuringSearchEvery", 0.0),
        first_report_s=_number(given, "firstReportDuringSearchAfter", 0.0),
        priorities=_read_priorities(given, turns),
        longest_line=_whole(given, "analysisPVLen", 1, most=_LONGEST_LINE, least=1) if "analysisPVLen" in given else 0,
        perspective=_read_perspective(settings, defaults.perspective),
        network_settings=_read_network_settings(settings),
        fields=AnalysisFields(**{name: _field(given, key, bool, False) for key, name in FLAGS["json"].items()}),
        warnings=tuple(warnings),
    )


def _read_rules(given: Json) -> Rules:
    """Return the rules for a SPEC, or for Go with KataGo's rules (a name or object). Raises QueryRefused if invalid."""
    named = given.get("rules", GO)
    if not isinstance(named, str | dict):
        raise QueryRefused("rules", "Must be a string or an object")
    if BONUS in given:
        try:
            check_katago_values({BONUS: given[BONUS]})
        except NotationError as error:
            raise QueryRefused(BONUS, str(error)) from None
    try:
        wanted = expand_katago_rules(named) if isinstance(named, str) else Json(named)
        cls, options = split_spec(wanted if isinstance(wanted, str) else GO)
        sizes = _read_size(given, cls, options)
        rules = cls({**sizes, **options})
        if isinstance(wanted, dict):
            # The query's field takes precedence over its rules.
            wanted |= {BONUS: given[BONUS]} if BONUS in given else {}
            check_katago_values(wanted)
            changed, faults = read_katago_rules(rules, wanted)
            if faults:
                raise QueryRefused("rules", f"not supported here: {', '.join(faults)}")
            rules = cls({**sizes, **options, **changed})
        if "komi" in given and "komi" in rules.values:
            komi = given["komi"]
            if type(komi) not in (int, float) or not abs(komi) <= _MOST_KOMI or 2 * komi != int(2 * komi):
                raise QueryRefused("komi", f"Must be an integer or half-integer from {-_MOST_KOMI} to {_MOST_KOMI}")
            rules = cls(split_spec(rules.spec)[1] | {"komi": format_number(float(komi))})
    except NotationError as error:
        raise QueryRefused("rules", f"Could not parse rules: {error}") from None
    board = rules.board
    for key, size in (("boardXSize", board.width), ("boardYSize", board.height)):
        if key in given and given[key] != size:
            raise QueryRefused(key, f"Must be {size} for {rules.short_spec}")
    return rules


def _read_size(given: Json, cls: type[Rules], options: Collection[str]) -> dict[str, str]:
    """Return the query's size as options, or {}; `options` has the SPEC's keys. Raises QueryRefused for a bad size."""
    known = {option.key: option for option in cls.options}
    keys = ("width", "height") if "width" in known else ("size", "size")
    if not known.keys() >= set(keys):
        return {}
    asks_for_both = {"size", *keys}.isdisjoint(options) and any(name in given for name in _BOARD_SIZE)
    told: dict[str, int] = {}
    for name, option in zip(_BOARD_SIZE, (known[key] for key in keys), strict=True):
        if asks_for_both or name in given:
            told[name] = _whole(given, name, 0, least=option.low or 1, most=option.high or _MOST_VISITS)
    width, height = told.get("boardXSize", 0), told.get("boardYSize", 0)
    if "size" in keys and width and height and width != height:
        raise QueryRefused("boardXSize", f"Must equal boardYSize ({height}): a board of {cls.title} is square")
    return {key: str(size) for key, size in zip(keys, (width, height), strict=True) if width and height}


def _replay(given: Json, rules: Rules) -> list[Position]:
    """Return the positions before and after the moves, with unthrown dice. Raises QueryRefused for an illegal move."""
    placed = _pairs(given, "initialStones", rules)
    moves = _pairs(given, "moves", rules)
    first = _colour("initialPlayer", given["initialPlayer"], rules) if "initialPlayer" in given else None
    if first is None and moves and len(rules.colours) == 2:
        first = moves[0][0]
    elif first is None and rules.handicap != "none" and len(placed) > 1 and {colour for colour, _ in placed} == {BLACK}:
        # Two or more stones, all of them Black's, are a handicap, after which White moves first.
        first = WHITE
    stones = {point: colour for colour, point in placed}
    try:
        table = Table(rules, lambda: DiceStream(""), stones or None, first)
    except VariantsError as error:
        raise QueryRefused("initialStones", f"Illegal stones: {error}") from None
    positions = [without_draws(rules, table.position)]
    before_end = table.mark()
    for number, (colour, move) in enumerate(moves):
        # If passes have ended the game by our rules, ignore a further pass, and let a stone replace the last pass.
        if rules.is_final(table.position) and table.position.passes:
            if move == PASS:
                positions.append(positions[-1])
                continue
            table.go_back(before_end)
        before_end = table.mark()
        try:
            # A query contains no draws of the dice, so assume a draw that opens the point of the move.
            table.play_for_host(colour, move)
        except VariantsError as error:
            raise QueryRefused("moves", f"Illegal move {number}: {error}, by the rules of {rules.short_spec}") from None
        positions.append(without_draws(rules, table.position))
    return positions


def _pairs(given: Json, key: str, rules: Rules) -> list[tuple[int, int]]:
    """Read a list of pairs of colour and vertex, such as [["B", "Q4"]]. Raises QueryRefused if it is invalid."""
    pairs: list[object] = _field(given, key, list, [])
    found = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(word, str) for word in pair):
            raise QueryRefused(key, 'Must be a list of pairs like ["B", "D4"]')
        try:
            found.append((_colour(key, pair[0], rules), _read_move(rules.board, pair[1])))
        except NotationError as error:
            raise QueryRefused(key, str(error)) from None
    return found


def _read_move(board: Board, word: str) -> int:
    """Return the action for a vertex, or KataGo's `(x,y)` from the upper left. Raises NotationError if invalid."""
    cell = _CELL.fullmatch(word.strip())
    if cell is None:
        return read_move(board, word)
    point = board.at(int(cell[1]), board.height - 1 - int(cell[2]))
    return len(board) if point is None else point


def _colour(key: str, word: object, rules: Rules) -> int:
    try:
        colour = read_colour(str(word))
    except NotationError as error:
        raise QueryRefused(key, str(error)) from None
    if colour not in rules.colours:
        raise QueryRefused(key, f"Must be a colour of {rules.title}, got {colour_name(colour)}")
    return colour


def _read_turns(given: Json, last: int) -> tuple[int, ...]:
    turns = _field(given, "analyzeTurns", list, [last])
    if not turns or not all(type(turn) is int and 0 <= turn <= last for turn in turns):
        raise QueryRefused("analyzeTurns", f"Must be a list of turns from 0 to {last}, the number of moves")
    return tuple(dict.fromkeys(turns))


def _read_priorities(given: Json, turns: tuple[int, ...]) -> dict[int, int]:
    """Return the priority of each turn, from `priority` or `priorities`. Raises QueryRefused if they are invalid."""
    if "priorities" not in given:
        return dict.fromkeys(turns, _whole(given, "priority", 0, least=-_MOST_PRIORITY, most=_MOST_PRIORITY))
    if "priority" in given:
        raise QueryRefused("priority", "Cannot be combined with priorities")
    if "analyzeTurns" not in given:
        raise QueryRefused("priorities", "Requires analyzeTurns")
    told: list[object] = _field(given, "priorities", list, [])
    numbers = [number for number in told if type(number) is int and abs(number) <= _MOST_PRIORITY]
    if len(numbers) < len(told):
        raise QueryRefused("priorities", "Must be a list of integers between -2^62 and 2^62")
    if len(numbers) != len(given["analyzeTurns"]):
        raise QueryRefused("priorities", f"Must have as many items as analyzeTurns ({len(given['analyzeTurns'])})")
    return dict(zip(given["analyzeTurns"], numbers, strict=True))


def _read_network_settings(settings: Json) -> dict[str, float]:
    noise = max(_number(settings, key, 0.0, most=5) for key in _WIDE_NOISE)
    found = {"wide_root_noise": noise} if noise else {}
    if _CALIBRATION in settings:
        found[_CALIBRATION] = _number(settings, _CALIBRATION, 1.0, least=0.001, most=1000)
    return found


def _read_perspective(settings: Json, default: int | None) -> int | None:
    if _WINRATES_AS not in settings:
        return default
    word = str(settings[_WINRATES_AS]).upper()
    name = {"B": "BLACK", "W": "WHITE"}.get(word, word)
    if name not in PERSPECTIVES:
        raise QueryRefused("overrideSettings", f"{_WINRATES_AS}: Must be {' or '.join(PERSPECTIVES)}")
    return PERSPECTIVES[name]


def _read_moves_to_avoid(given: Json, rules: Rules, positions: Mapping[int, Position]) -> tuple[AvoidedMove, ...]:
    """Return the moves excluded by `avoidMoves` or `allowMoves`. Raises QueryRefused if invalid or no move is left."""
    keys = [key for key in ("allowMoves", "avoidMoves") if key in given]
    if not keys:
        return ()
    key = keys[0]
    if len(keys) > 1:
        raise QueryRefused(key, "Cannot be combined with avoidMoves")
    avoided: list[AvoidedMove] = []
    allowing: set[int] = set()
    several: list[object] = _field(given, key, list, [])
    for each in several:
        if not isinstance(each, dict) or not isinstance(each.get("moves"), list):
            raise QueryRefused(key, "Must be a list of objects with player, moves and untilDepth")
        colour = _colour(key, each.get("player"), rules)
        if colour in allowing:
            raise QueryRefused(key, "Must name each player once")
        allowing |= {colour} if key == "allowMoves" else set()
        depth = _whole(each, "untilDepth", 1, least=1)
        try:
            moves = {_read_move(rules.board, str(word)) for word in each["moves"]}
            avoided += leave_out(rules, colour, moves, depth, are_allowed=key == "allowMoves")
        except VariantsError as error:
            raise QueryRefused(key, str(error)) from None
    for turn, position in positions.items():
        unwanted = find_moves_to_avoid(avoided, position.mover)
        if unwanted and not rules.is_final(position) and unwanted.issuperset(_legal(rules, position)):
            raise QueryRefused(key, f"Must leave a legal move at turn {turn}")
    return tuple(avoided)


def _legal(rules: Rules, position: Position) -> Iterator[int]:
    """Yield the moves that the side to play may make under any draw."""
    if position.to_play != CHANCE:
        yield from rules.legal(position)
    else:
        for throw in rules.actions(position):
            yield from _legal(rules, rules.play(position, throw))


def _field(given: Json, key: str, kind: type[Value], default: Value) -> Value:
    """Return the value of a field, or `default` if it is missing. Raises QueryRefused if its type is wrong."""
    value: Value = given.get(key, default)
    if not isinstance(value, kind):
        raise QueryRefused(key, f"Must be a {kind.__name__}")
    return value


def _number(given: Json, key: str, default: float, *, least: float = 0, most: float = _MOST_VISITS) -> float:
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise QueryRefused(key, f"Must be a number from {least:g} to {most:g}")
    return value


def _whole(given: Json, key: str, default: int, *, least: int = 0, most: int = _MOST_VISITS) -> int:
    value = given.get(key, default)
    if type(value) is not int or not least <= value <= most:
        raise QueryRefused(key, f"Must be an integer from {least} to {most}")
    return value
