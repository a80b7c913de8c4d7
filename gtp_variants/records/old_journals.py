"""Converts saved games in the formats of older versions (terminal, page, server, bridge) to journals."""

import json
from collections.abc import Callable, Sequence

from gtp_variants.errors import RecordError
from gtp_variants.json_values import Json

_FORMAT, _VERSION = "gtp-variants-journal", 1


def upgrade(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a journal from those of any version. Raises RecordError for what no version wrote."""
    head = _object(lines[0]) if lines else None
    change = _FORMATS.get(str(head.get("format"))) if head is not None else None
    if head is None or change is None:
        return lines
    try:
        return change(head, lines)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"{head['format']}: a damaged game of an older version ({error!r})") from error


def _object(text: str) -> Json | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _of_terminal(head: Json, lines: Sequence[str]) -> list[str]:
    """`gtp-variants play` and `referee`: one object, the bots by colour."""
    _expect(head, 1)
    bots = head["bots"]
    seats = {
        letter: {"kind": "bot", "name": bots[letter]} if letter in bots else {"kind": "person"} for letter in "bwr"
    }
    if not set(bots) <= set(seats) or not all(isinstance(name, str) for name in bots.values()):
        raise RecordError("bots: expected names by colour")
    return _from_record(head["record"], {"kind": head["kind"], "seats": seats}, counting=head["counting"])


def _of_page(head: Json, lines: Sequence[str]) -> list[str]:
    """`gtp-variants serve`: one object, who sits where as lists."""
    _expect(head, 1)
    seats = {}
    for letter, (kind, key, name, level) in head["chairs"].items():
        seats[letter] = _drop_empty({"kind": kind, "key": key, "name": name, "level": level})
    kind, main_s, increment_s = head["control"]
    notes = {"seats": seats, "referee": head["referee"]}
    if kind != "none":
        notes["control"] = {"kind": kind, "main_s": main_s, "increment_s": increment_s}
    return _from_record(
        head["record"], notes, counting=head["counting"], clocks=head["clocks"] if kind != "none" else {}
    )


def _of_server(head: Json, lines: Sequence[str]) -> list[str]:
    """`gtp-variants server`: events as they are written today; the secret of the dice is kept beside them."""
    _expect(head, 2)
    head = dict(head)
    players, level_s, free_s = head.pop("players"), head.pop("level_s"), head.pop("gift_s")
    head |= {"format": _FORMAT, "version": _VERSION, "dice": "secret"}
    head["seats"] = {letter: {"kind": "account", "name": name} for letter, name in players.items()}
    head["control"] = {"kind": "absolute", "main_s": level_s}
    return [_line(head | {"free_s": free_s}), *lines[1:]]


def _of_record(head: Json, lines: Sequence[str]) -> list[str]:
    """A private game of a bridge: its record, with the secret and the languages kept beside it."""
    return _from_record(
        head, {"seats": {key: {"kind": "person", "name": each} for key, each in head["players"].items()}}
    )


def _expect(head: Json, version: int) -> None:
    if head.get("version") != version:
        raise RecordError(f"version: this program reads version {version} of {head['format']}")


def _from_record(record: Json, notes: Json, **state: object) -> list[str]:
    """The lines of a game whose events are in a record; `state` is what came of it."""
    left_out = ("format", "version", "events", "times", "result", "reason")
    start = {key: value for key, value in record.items() if key not in left_out}
    times = {number: row for number, *row in record.get("times", ())}
    lines = [_line({"format": _FORMAT, "version": _VERSION, **start, **_drop_empty(notes)})]
    for number, words in enumerate(record["events"]):
        took_s, left_s, count = times.get(number, (None, None, None))
        time = [] if number not in times else [took_s, left_s] if count is None else [took_s, left_s, count]
        lines.append(_line([*words, *time]))
    return lines + ([_line(_drop_empty(state))] if _drop_empty(state) else [])


def _drop_empty(fields: Json) -> Json:
    return {key: value for key, value in fields.items() if value not in (None, "", False, {})}


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_FORMATS: dict[str, Callable[[Json, Sequence[str]], list[str]]] = {
    "gtp-variants-kept": _of_terminal,
    "gtp-variants-room": _of_page,
    "gtp-variants server game": _of_server,
    "gtp-variants": _of_record,
}
