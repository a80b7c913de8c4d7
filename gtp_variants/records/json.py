"""Records as one line of JSON. The only error for a faulty record is a RecordError that gives the place of the fault.

The keys are, in this order, `format`, `version`, `spec`, `players`, `setup` (if there is one), `dice`, `commitment`,
`secret` (hex), `told`, `events` (pairs of words, see `notation.py`), `result` and `reason` (for people). Then come
`main_s`, `overtime`, `times`, `nonces` and `comment`, but only if they have a value. `times` has a list for each event:
its number from 0, seconds taken, seconds left, and stones or periods left, with null for unknown values. A nonce is a
text such as "1 b 00ff": the first draw that it counts for, a colour and hex.
"""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.records.notation import ACTORS, write_game
from gtp_variants.records.record import (
    Record,
    Time,
    check_length,
    check_text,
    describe_error,
    name_place,
    new_game,
    place_of,
    play_words,
    with_dice,
)
from gtp_variants.rules import AS_IT_STANDS, parse
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules

FORMAT = "gtp-variants"
VERSION = 1

_REQUIRED = ("format", "version", "spec", "events")
KEYS = (
    *(*_REQUIRED, "players", "setup", "dice", "commitment", "secret", "told", "result", "reason"),
    *("main_s", "overtime", "times", "nonces", "comment"),
)
_MAX_SPEC = 10_000


def to_json(record: Record) -> str:
    """Return a record as one line of JSON, without a line feed. Raises RecordError if no file can represent it."""
    game = record.game
    check_length(game.events)
    outcome = game.outcome
    fields: Json = {
        "format": FORMAT,
        "version": VERSION,
        "spec": game.rules.spec,
        "players": {COLOUR_LETTERS[colour]: name for colour, name in sorted(record.players.items())},
    }
    if game.setup or game.first is not None:
        fields["setup"] = _setup_fields(game)
    fields |= {
        "dice": record.dice,
        "commitment": record.commitment,
        "secret": None if record.secret is None else record.secret.hex(),
        "told": sorted(record.told),
        "events": write_game(game),
        "result": record.result,
        "reason": None if outcome is None else outcome.sentence(game.rules.lang),
    }
    times = [[number, time.took_s, time.left_s, time.left_count] for number, time in sorted(record.times.items())]
    further: Json = {"main_s": record.main_s, "overtime": record.overtime, "times": times}
    further |= {"nonces": list(map(str, record.nonces)), "comment": record.comment}
    fields |= {key: value for key, value in further.items() if value not in (None, "", [])}
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    check_text(text)
    return text


def _setup_fields(game: Game) -> Json:
    board = game.rules.board
    fields: Json = {}
    for colour in sorted(set(game.setup.values())):
        points = board.in_order(point for point, there in game.setup.items() if there == colour)
        fields[COLOUR_LETTERS[colour]] = [board.vertex(point) for point in points]
    if game.first is not None:
        fields["to_play"] = COLOUR_LETTERS[game.first]
    return fields


def from_json(text: str) -> Record:
    """Return the record in a line of JSON. Raises a RecordError that gives the place of the first fault."""
    fields = read_json(text)
    if not isinstance(fields, dict):
        raise RecordError("expected an object with the keys of a record")
    if fields.get("format") != FORMAT:
        raise RecordError(f"format: expected {FORMAT!r}; save a game of another program as SGF")
    version = fields.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise RecordError(f"version: expected {VERSION}, got {version!r:.20}")
    for key in fields:
        if key not in KEYS:
            raise RecordError(f"unknown key {key[:40]!r}, known: {' '.join(KEYS)}")
    for key in _REQUIRED:
        if key not in fields:
            raise RecordError(f"{key}: is missing")
    _text(fields, "reason")
    rules = _rules(fields["spec"])
    game = _game(rules, fields)
    with name_place("main_s"):
        main_s = _seconds(fields.get("main_s"))
    record = Record(
        game,
        players=_players(rules, fields.get("players")),
        result=_text(fields, "result"),
        comment=_text(fields, "comment") or "",
        main_s=main_s,
        overtime=_text(fields, "overtime") or "",
        times=_times(game, fields.get("times")),
    )
    return with_dice(record, fields)


def read_json(text: str) -> object:
    """Return a JSON value. Raises RecordError with the place of a fault, such as a key given twice."""
    check_text(text)
    try:
        found = json.loads(text, object_pairs_hook=_object, parse_constant=partial(_no_constant, text))
        if "\\u" in text:
            check_text(json.dumps(found, ensure_ascii=False))
    except json.JSONDecodeError as error:
        raise RecordError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise RecordError(f"{_deep_place(text)}: nested too deeply") from None
    except ValueError:
        raise RecordError(f"{_place_of(text, str.isdigit)}: a number has too many digits") from None
    return found


# Tokens that `json` rejects without saying where they are, and strings, which may contain the same characters.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]|NaN|-?Infinity|[0-9]{4301,}', re.DOTALL)
_DEEPEST = 100


def _place_of(text: str, is_fault: Callable[[str], bool]) -> str:
    """Return the line and column of the first token for which `is_fault` returns True, or of the start."""
    return place_of(text, next((token.start() for token in _TOKEN.finditer(text) if is_fault(token[0])), 0))


def _deep_place(text: str) -> str:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > _DEEPEST:
            return place_of(text, token.start())
    return place_of(text, len(text))


def _object(pairs: list[tuple[str, object]]) -> Json:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise RecordError(f"{twice[:40]!r}: given twice")
    return found


def _no_constant(text: str, word: str) -> NoReturn:
    raise RecordError(f"{_place_of(text, word.__eq__)}: {word} is not a number in JSON")


def _rules(spec: object) -> Rules:
    if not isinstance(spec, str) or len(spec) > _MAX_SPEC:
        raise RecordError("spec: expected a string such as aleago:size=9")
    try:
        return parse(spec, AS_IT_STANDS)
    except VariantsError as error:
        raise RecordError(f"spec: {error}") from error


def _game(rules: Rules, fields: Json) -> Game:
    events = fields["events"]
    if not isinstance(events, list):
        raise RecordError("events: expected a list")
    check_length(events)
    for index, pair in enumerate(events):
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(word, str) for word in pair)):
            raise RecordError(f'events[{index}]: expected two words such as ["b","D4"]')
    game = new_game(rules, *_setup(rules, fields.get("setup")))
    play_words(game, events, (f"events[{index}]" for index in range(len(events))))
    return game


def _setup(rules: Rules, given: object) -> tuple[dict[int, int], int | None]:
    """Return the stones of a setup, and the colour that plays first or None. Raises RecordError if invalid."""
    if given is None:
        return {}, None
    if not isinstance(given, dict):
        raise RecordError("setup: expected an object")
    stones: dict[int, int] = {}
    first = None
    for key, value in given.items():
        if key == "to_play":
            first = _colour(rules, value, "setup.to_play")
            continue
        colour = _colour(rules, key, f"setup.{key[:10]}")
        for point in _points(rules, value, f"setup.{key}"):
            if point in stones:
                raise RecordError(f"setup.{key}: {rules.board.vertex(point)} is given twice")
            stones[point] = colour
    return stones, first


def _points(rules: Rules, value: object, place: str) -> list[int]:
    if not isinstance(value, list) or not all(isinstance(vertex, str) for vertex in value):
        raise RecordError(f"{place}: expected a list of vertices")
    try:
        return [rules.board.point(vertex) for vertex in value]
    except VariantsError as error:
        raise RecordError(f"{place}: {describe_error(error)}") from error


def _colour(rules: Rules, word: object, place: str) -> int:
    colour = ACTORS.get(word) if isinstance(word, str) else None
    if colour is None or colour == CHANCE or colour not in rules.colours:
        known = " ".join(COLOUR_LETTERS[colour] for colour in sorted(rules.colours))
        raise RecordError(f"{place}: expected a colour of this game: {known}")
    return colour


def _players(rules: Rules, given: object) -> dict[int, str]:
    if given is None:
        return {}
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given.values()):
        raise RecordError("players: expected an object of colours and names")
    return {_colour(rules, key, f"players.{key[:10]}"): name for key, name in given.items()}


def _times(game: Game, given: object) -> dict[int, Time]:
    if given is None:
        return {}
    if not isinstance(given, list) or len(given) > len(game.events):
        raise RecordError("times: expected a list with at most one time per event")
    found: dict[int, Time] = {}
    for index, row in enumerate(given):
        place = f"times[{index}]"
        if not isinstance(row, list) or len(row) != 4:
            raise RecordError(f"{place}: expected event, seconds taken, seconds left, stones or periods left")
        number, took_s, left_s, count = row
        if type(number) is not int or not 0 <= number < len(game.events) or number in found:
            raise RecordError(f"{place}: expected the number of an event that is not listed above")
        if count is not None and type(count) is not int:
            raise RecordError(f"{place}: expected stones or periods left as a whole number or null")
        with name_place(place):
            found[number] = Time(_seconds(took_s), _seconds(left_s), count)
    return found


def _seconds(value: object) -> float | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise RecordError("expected seconds as a number or null")
    return value


def _text(fields: Json, key: str) -> str | None:
    text = fields.get(key)
    if text is not None and not isinstance(text, str):
        raise RecordError(f"{key}: expected a string or null")
    return text
