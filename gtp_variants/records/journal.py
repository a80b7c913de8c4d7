"""Journals: a game that goes on, as lines of JSON that are only added to, so that who is killed loses nothing.

The first line is an object: `format`, `version`, `spec`, what else a record says before the first event (`setup`,
`players`, `dice`, `commitment`, `secret` where nobody else reads the lines), and what the host must know of the game,
such as `seats` and `control`. Then there is a line for every event, its two words as in a record, and after a move the
seconds it took, those its player had left and their stones or periods to go: `["b","D4",3.2,296.8]`, `["chance","4"]`,
`["w","resign",1.5,null]`. Objects between them say what happened to the game besides: `{"cut": 12}`, only the first 12
events stand; any other key has a new value from there on, such as `{"counting": true}` or `{"clocks": {"b": 12.5}}`.
A last line without its end was torn and does not count. Games that older versions kept are read, too.

Converts saved games in the formats of older versions (terminal, page, server, bridge) to journals.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError
from gtp_variants.records.files import write
from gtp_variants.records.json import FORMAT as RECORD_FORMAT, VERSION as RECORD_VERSION, from_json, to_json
from gtp_variants.records.notation import write_event
from gtp_variants.records.record import Record, Time, read_bytes
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game

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


FORMAT, VERSION = "gtp-variants-journal", 1
CUT, CLOCKS = "cut", "clocks"

_OF_RECORD = ("spec", "players", "setup", "dice", "commitment", "secret", "told", "main_s", "overtime", "comment")
_PRIVATE = 0o600


@dataclass(frozen=True, slots=True)
class Journal:
    """What the lines of a journal come to: the game, and what its host must know besides, as values of JSON.

    `lines` are those of the present format. Under `clocks` there is what each clock showed last, by letter of colour.
    """

    lines: Sequence[str]
    record: Record
    notes: Json


def line_of(value: object) -> str:
    """A value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def head_line(record: Record, notes: Json) -> str:
    """The first line: what a record says before its first event, and the notes of the host."""
    game = record.game
    start = replace(record, game=Game(game.rules, game.setup, game.first), times={}, result=None)
    fields = json.loads(to_json(start))
    return line_of({"format": FORMAT, "version": VERSION, **_record_fields(fields), **notes})


def event_line(game: Game, index: int, time: Time | None) -> str:
    """The line of event number `index`."""
    words: list[object] = [*write_event(game.rules, game.positions[index], game.events[index])]
    if time is not None:
        words += [time.took_s, time.left_s]
        if time.left_count is not None:
            words.append(time.left_count)
    return line_of(words)


def read_journal(lines: Sequence[str], secret: bytes | None = None) -> Journal:
    """The game of these lines; `secret` is that of its dice where it is kept beside them.

    Raises RecordError with the first fault for what is none.
    """
    lines = upgrade(lines)
    head = _head(lines)
    notes = {key: value for key, value in head.items() if key not in (*_OF_RECORD, "format", "version")}
    events: list[list[object]] = []
    for number, line in enumerate(lines[1:], 2):
        value = _read(line, f"line {number}")
        if isinstance(value, dict):
            del events[_cut(value.pop(CUT, len(events)), len(events), number) :]
            notes.update(value)
        elif isinstance(value, list) and len(value) in (2, 4, 5):
            events.append(value)
            if value[3:] and value[3] is not None:
                notes[CLOCKS] = {**_clocks(notes), str(value[0]): value[3]}
        else:
            raise RecordError(f"line {number}: expected an event of two words, and the time of a move")
    return Journal(lines, _record(head, events, secret), notes)


def _head(lines: Sequence[str]) -> Json:
    head = _read(lines[0], "line 1") if lines else None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise RecordError(f"not a kept game: expected format {FORMAT!r}")
    if head.get("version") != VERSION:
        raise RecordError(f"version: this program reads version {VERSION}")
    return head


def _cut(count: object, most: int, number: int) -> int:
    if type(count) is not int or not 0 <= count <= most:
        raise RecordError(f"line {number}: cut: expected a number of events up to {most}")
    return count


def _clocks(notes: Json) -> Json:
    clocks = notes.get(CLOCKS) or {}
    if not isinstance(clocks, dict):
        raise RecordError("clocks: expected seconds by colour")
    return clocks


def _read(text: str, place: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError(f"{place}: {text[:40]!r} is no line of JSON") from None


def _record(head: Json, events: Sequence[Sequence[object]], secret: bytes | None) -> Record:
    """The record of a head and its events: the reader of records finds what is wrong with them."""
    times = [[number, *event[2:4], *(event[4:] or [None])] for number, event in enumerate(events) if event[2:]]
    fields = {"format": RECORD_FORMAT, "version": RECORD_VERSION, **_record_fields(head)}
    if secret is not None:
        if DiceStream(secret).commitment != head.get("commitment"):
            raise RecordError("the secret of its dice does not match the commitment")
        fields["secret"] = secret.hex()
    return from_json(line_of({**fields, "events": [event[:2] for event in events], "times": times}))


def _record_fields(fields: Json) -> Json:
    return {key: fields[key] for key in _OF_RECORD if fields.get(key) not in (None, {}, [])}


class JournalFile:
    """A journal in a file that only its user can read; what is new is added at its end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # The lines that are in the file and how many bytes they are; None where it has to be written anew.
        self._lines: list[str] | None = None
        self._size = 0

    def load(self) -> list[str]:
        """The lines in the file, in the present format. Raises RecordError, OSError."""
        content = read_bytes(self.path)
        end = content.rfind(b"\n") + 1
        if not end:
            raise RecordError("not a kept game: it has no whole line")
        try:
            found = content[:end].decode().splitlines()
        except UnicodeDecodeError as error:
            raise RecordError(f"byte {error.start}: not UTF-8") from None
        lines = upgrade(found)
        self._lines, self._size = (found, end) if lines == found else (None, 0)
        return list(lines)

    def write(self, lines: Sequence[str]) -> None:
        """Add what is new of a journal to the file; one that is another is written anew. Raises OSError."""
        before = self._lines
        if before is None or list(lines[: len(before)]) != before:
            content = _content(lines)
            write(self.path, content, _PRIVATE)
            self._size = len(content)
        elif len(lines) > len(before):
            content = _content(lines[len(before) :])
            with self.path.open("r+b") as file:
                # What is left of a line that could not be written whole is overwritten.
                file.truncate(self._size)
                file.seek(self._size)
                file.write(content)
            self._size += len(content)
        self._lines = list(lines)


def _content(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
