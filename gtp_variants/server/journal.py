"""A match as lines of JSON, of which none is ever written twice: what it began with, then every event.

The head is an object. An event is its two words, as in a record, and after a move the seconds it took and those its
player had left: `["b","D4",3.2,296.8]`, `["chance","4"]`, `["w","resign"]`. The secret of the dice is kept beside them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gtp_variants.errors import RecordError
from gtp_variants.players.table import Table
from gtp_variants.records.json import FORMAT, VERSION, from_json
from gtp_variants.records.notation import write_event
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.words import COLOUR_LETTERS, COLOUR_WORDS
from gtp_variants.server.accounts import is_name
from gtp_variants.server.server_game import Match, by_letter

_FORMAT, _VERSION = "gtp-variants server game", 2
_SECONDS = ("level_s", "gift_s")


@dataclass(frozen=True, slots=True)
class Kept:
    """A match as it is kept: the number it has, its head, its events, the secret of its dice, how it ended."""

    number: int
    head: str
    lines: Sequence[str]
    secret: bytes
    result: str = ""
    why: str = ""


def head_of(match: Match) -> str:
    """What a match began with."""
    fields = {
        "format": _FORMAT,
        "version": _VERSION,
        "spec": match.rules.spec,
        "players": by_letter(match.names),
        "ratings": by_letter(match.ratings),
        "level_s": match.level_s,
        "gift_s": match.gift_s,
        "commitment": match.dice.commitment,
    }
    return _line(fields)


def lines_of(match: Match, since: int) -> list[str]:
    """The events of a match from number `since` on."""
    game = match.table.game
    lines = []
    for number in range(since, len(game.events)):
        words: tuple[Any, ...] = write_event(game.rules, game.positions[number], game.events[number])
        time = match.times.get(number)
        lines.append(_line(words if time is None else (*words, time.took_s, time.left_s)))
    return lines


def match_of(kept: Kept) -> Match:
    """The match of its lines. Raises RecordError with the first fault for what is none."""
    head = _head(kept.head)
    dice = DiceStream(kept.secret if isinstance(kept.secret, bytes) else b"")
    if dice.commitment != head.get("commitment"):
        raise RecordError("the secret of its dice does not match the commitment")
    record = _record(head, [_event(number, line) for number, line in enumerate(kept.lines)])
    if not set(record.players) == set(record.game.rules.colours) == {BLACK, WHITE}:
        raise RecordError("expected a game of a Black and a White")
    if not all(map(is_name, record.players.values())):
        raise RecordError("players: expected names of accounts")
    table = Table.of(record.game, lambda: dice, {})
    if table.is_final and not kept.result:
        raise RecordError("the game is over and has no result")
    return Match(
        kept.number,
        dict(record.players),
        table,
        dice,
        head["level_s"],
        head["gift_s"],
        {colour: _left_s(record, colour, head["level_s"]) for colour in (BLACK, WHITE)},
        {COLOUR_WORDS[letter]: rating for letter, rating in head["ratings"].items()},
        dict(record.times),
        kept.result,
        kept.why,
        _refused_last(record.game),
    )


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _read(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError(f"{what}: {text[:40]!r} is no line of JSON") from None


def _head(text: str) -> dict[str, Any]:
    head = _read(text, "its first line")
    if not isinstance(head, dict) or (head.get("format"), head.get("version")) != (_FORMAT, _VERSION):
        raise RecordError(f"not a game of this version: {text[:40]!r}")
    for key in _SECONDS:
        if not isinstance(head.get(key), int | float) or not 0 <= head[key] < 10**9:
            raise RecordError(f"{key}: expected a number of seconds")
    ratings = head.get("ratings")
    if not isinstance(ratings, dict) or not set(ratings) <= {COLOUR_LETTERS[BLACK], COLOUR_LETTERS[WHITE]}:
        raise RecordError("ratings: expected those of b and w")
    return head


def _event(number: int, line: str) -> list[Any]:
    event = _read(line, f"event {number}")
    if not isinstance(event, list) or len(event) not in (2, 4):
        raise RecordError(f"event {number}: expected two words, and the time of a move")
    return event


def _record(head: dict[str, Any], events: list[list[Any]]) -> Record:
    """The record of these lines: its reader finds what is wrong with them."""
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "spec": head.get("spec"),
        "players": head.get("players"),
        "events": [event[:2] for event in events],
        "times": [[number, *event[2:], None] for number, event in enumerate(events) if event[2:]],
    }
    return from_json(json.dumps(fields))


def _left_s(record: Record, colour: int, level_s: float) -> float:
    """What the clock showed after the last move of a colour."""
    events = record.game.events
    shown = (record.times[i].left_s for i in sorted(record.times, reverse=True) if events[i].actor == colour)
    return next((left_s for left_s in shown if left_s is not None), level_s)


def _refused_last(game: Game) -> int:
    """How many refused tries came last, one after the other."""
    count = 0
    while count < len(game.events) and game.is_refused(len(game.events) - 1 - count):
        count += 1
    return count
