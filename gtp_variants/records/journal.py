"""Journals: games in progress as lines of JSON. Lines are only ever appended, so that a crash loses nothing.

The first line is an object with `format`, `version`, `spec`, the fields that a record has before its events (`setup`,
`players`, `dice`, `commitment`, and `secret` if nobody else reads the file), and the host's notes, such as `seats` and
`control`. Each event then has a line with its two words as in a record. After a move the line adds the seconds it took,
the seconds its player had left, and the stones or periods left: `["b","D4",3.2,296.8]`, `["chance","4"]`.

An object between the events reports a change: `{"cut": 12}` keeps only the first 12 events, and any other key gets a
new value, such as `{"counting": true}` or `{"clocks": {"b": 12.5}}`. An incomplete last line is ignored. The formats of
older versions (terminal, page, server, bridge) are converted.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError
from gtp_variants.records.files import write
from gtp_variants.records.json import FORMAT as RECORD_FORMAT, KEYS, VERSION as RECORD_VERSION, from_json, to_json
from gtp_variants.records.notation import write_event
from gtp_variants.records.record import Record, Time, read_bytes
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game

FORMAT, VERSION = "gtp-variants-journal", 1
CUT, CLOCKS, NONCES = "cut", "clocks", "nonces"

# The keys of a record as JSON that the first line of a journal does not take from it, and those that it does.
_NOT_OF_RECORD = ("format", "version", "events", "times", "result", "reason")
_OF_RECORD = tuple(key for key in KEYS if key not in _NOT_OF_RECORD)
_PRIVATE = 0o600


@dataclass(frozen=True, slots=True)
class Journal:
    """The content of a journal: the game, and the host's notes as JSON values.

    The `lines` are in the current format. The note `clocks` has the last reading of each clock, by colour letter.
    """

    lines: Sequence[str]
    record: Record
    notes: Json


def line_of(value: object) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def head_line(record: Record, notes: Json) -> str:
    """Return the first line: the fields that a record has before its events, and the host's notes."""
    game = record.game
    start = replace(record, game=Game(game.rules, game.setup, game.first), times={}, result=None)
    fields = json.loads(to_json(start))
    return line_of({"format": FORMAT, "version": VERSION, **_record_fields(fields), **notes})


def event_line(game: Game, index: int, time: Time | None) -> str:
    """Return the line of event number `index`, with its times if given."""
    words: list[object] = [*write_event(game.rules, game.positions[index], game.events[index])]
    if time is not None:
        words += [time.took_s, time.left_s]
        if time.left_count is not None:
            words.append(time.left_count)
    return line_of(words)


def read_journal(lines: Sequence[str], secret: bytes | None = None) -> Journal:
    """Return the content of a journal. `secret` is the secret of the dice, if it is kept elsewhere.

    Raises RecordError if the lines are faulty, with the first fault.
    """
    lines = upgrade(lines)
    head = _head(lines)
    notes = {key: value for key, value in head.items() if key not in (*_OF_RECORD, "format", "version")}
    events: list[list[object]] = []
    for number, line in enumerate(lines[1:], 2):
        value = _read(line, f"line {number}")
        if isinstance(value, dict):
            kept = value.pop(CUT, len(events))
            if type(kept) is not int or not 0 <= kept <= len(events):
                raise RecordError(f"line {number}: cut: expected a number of events up to {len(events)}")
            del events[kept:]
            notes.update(value)
        elif isinstance(value, list) and len(value) in (2, 4, 5):
            events.append(value)
            if value[3:] and value[3] is not None:
                if not isinstance(notes.get(CLOCKS) or {}, dict):
                    raise RecordError("clocks: expected seconds by colour")
                notes[CLOCKS] = {**(notes.get(CLOCKS) or {}), str(value[0]): value[3]}
        else:
            raise RecordError(f"line {number}: expected the two words of an event, with or without times")
    head[NONCES] = notes.get(NONCES, head.get(NONCES))
    return Journal(lines, _record(head, events, secret), notes)


def _head(lines: Sequence[str]) -> Json:
    head = _read(lines[0], "line 1") if lines else None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise RecordError(f"not a saved game: expected format {FORMAT!r}")
    if head.get("version") != VERSION:
        raise RecordError(f"version: expected {VERSION}, got {head.get('version')!r:.20}")
    return head


def _read(text: str, place: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError(f"{place}: expected JSON, got {text[:40]!r}") from None


def _record(head: Json, events: Sequence[Sequence[object]], secret: bytes | None) -> Record:
    """Return the record with this head and these events, read as a JSON record. Raises RecordError if invalid."""
    times = [[number, *event[2:4], *(event[4:] or [None])] for number, event in enumerate(events) if event[2:]]
    fields = {"format": RECORD_FORMAT, "version": RECORD_VERSION, **_record_fields(head)}
    if secret is not None:
        if DiceStream(secret).commitment != head.get("commitment"):
            raise RecordError("the secret of the dice does not match the commitment")
        fields["secret"] = secret.hex()
    return from_json(line_of({**fields, "events": [event[:2] for event in events], "times": times}))


def _record_fields(fields: Json) -> Json:
    return {key: fields[key] for key in _OF_RECORD if fields.get(key) not in (None, {}, [])}


class JournalFile:
    """A journal in a file that only its owner can read. New lines are appended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # The lines in the file, and their size in bytes. The lines are None if the file must be rewritten.
        self._lines: list[str] | None = None
        self._size = 0

    def load(self) -> list[str]:
        """Return the lines in the file, in the current format. Raises RecordError or OSError if they cannot be read."""
        content = read_bytes(self.path)
        end = content.rfind(b"\n") + 1
        if not end:
            raise RecordError("not a saved game: expected at least one whole line")
        try:
            found = content[:end].decode().splitlines()
        except UnicodeDecodeError as error:
            raise RecordError(f"byte {error.start}: not UTF-8") from None
        lines = upgrade(found)
        self._lines, self._size = (found, end) if lines == found else (None, 0)
        return list(lines)

    def write(self, lines: Sequence[str]) -> None:
        """Append the new lines of a journal, or rewrite the file if earlier lines differ. Raises OSError on failure."""
        before = self._lines
        if before is None or list(lines[: len(before)]) != before:
            content = _content(lines)
            write(self.path, content, _PRIVATE)
            self._size = len(content)
        elif len(lines) > len(before):
            content = _content(lines[len(before) :])
            with self.path.open("r+b") as file:
                # Overwrite the rest of an incomplete line.
                file.truncate(self._size)
                file.seek(self._size)
                file.write(content)
            self._size += len(content)
        self._lines = list(lines)


def _content(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


# -- games from older versions -----------------------------------------------------------------------------------------


def upgrade(lines: Sequence[str]) -> Sequence[str]:
    """Convert lines of any version to the current format. Raises RecordError for damaged lines of an older version."""
    try:
        head = json.loads(lines[0]) if lines else None
    except (ValueError, RecursionError):
        return lines
    if not isinstance(head, dict) or (change := _FORMATS.get(str(head.get("format")))) is None:
        return lines
    try:
        return change(head, lines)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"{head['format']}: a damaged game of an older version ({error!r})") from error


def _of_terminal(head: Json, lines: Sequence[str]) -> list[str]:
    """Convert a game of `gtp-variants play` or `referee`, which is one object that lists the bots by colour."""
    _expect(head, 1)
    bots = head["bots"]
    person = {"kind": "person"}
    seats = {letter: {"kind": "bot", "name": bots[letter]} if letter in bots else person for letter in "bwr"}
    if not set(bots) <= set(seats) or not all(isinstance(name, str) for name in bots.values()):
        raise RecordError("bots: expected names by colour")
    return _from_record(head["record"], {"kind": head["kind"], "seats": seats}, counting=head["counting"])


def _of_page(head: Json, lines: Sequence[str]) -> list[str]:
    """Convert a game of `gtp-variants serve`, which is one object with the seats as lists."""
    _expect(head, 1)
    keys = ("kind", "key", "name", "level")
    seats = {letter: _drop_empty(dict(zip(keys, chair, strict=True))) for letter, chair in head["chairs"].items()}
    kind, main_s, increment_s = head["control"]
    notes = {"seats": seats, "referee": head["referee"]}
    if kind != "none":
        notes["control"] = {"kind": kind, "main_s": main_s, "increment_s": increment_s}
    clocks = head["clocks"] if kind != "none" else {}
    return _from_record(head["record"], notes, counting=head["counting"], clocks=clocks)


def _of_server(head: Json, lines: Sequence[str]) -> list[str]:
    """Convert a game of `gtp-variants server`: only its head is old, and the dice secret is kept elsewhere."""
    _expect(head, 2)
    head = dict(head)
    players, level_s, free_s = head.pop("players"), head.pop("level_s"), head.pop("gift_s")
    head |= {"format": FORMAT, "version": VERSION, "dice": "secret"}
    head["seats"] = {letter: {"kind": "account", "name": name} for letter, name in players.items()}
    head["control"] = {"kind": "absolute", "main_s": level_s}
    return [line_of(head | {"free_s": free_s}), *lines[1:]]


def _of_record(head: Json, lines: Sequence[str]) -> list[str]:
    """Convert a bridge's private game, which is a record whose secret and languages are kept elsewhere."""
    seats = {letter: {"kind": "person", "name": name} for letter, name in head["players"].items()}
    return _from_record(head, {"seats": seats})


def _expect(head: Json, version: int) -> None:
    if head.get("version") != version:
        raise RecordError(f"version: expected {version} of {head['format']}, got {head.get('version')!r:.20}")


def _from_record(record: Json, notes: Json, **state: object) -> list[str]:
    """Return the lines of a game whose events are in a record; `state` has the changes after the last event."""
    start = {key: value for key, value in record.items() if key not in _NOT_OF_RECORD}
    times = {number: row for number, *row in record.get("times", ())}
    lines = [line_of({"format": FORMAT, "version": VERSION, **start, **_drop_empty(notes)})]
    for number, words in enumerate(record["events"]):
        took_s, left_s, count = times.get(number, (None, None, None))
        time = [] if number not in times else [took_s, left_s] if count is None else [took_s, left_s, count]
        lines.append(line_of([*words, *time]))
    return lines + ([line_of(_drop_empty(state))] if _drop_empty(state) else [])


def _drop_empty(fields: Json) -> Json:
    return {key: value for key, value in fields.items() if value not in (None, "", False, {})}


_FORMATS: dict[str, Callable[[Json, Sequence[str]], list[str]]] = {
    "gtp-variants-kept": _of_terminal,
    "gtp-variants-room": _of_page,
    "gtp-variants server game": _of_server,
    "gtp-variants": _of_record,
}
