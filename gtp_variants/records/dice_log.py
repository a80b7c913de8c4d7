"""Logs of dice thrown for a game at a real board, with one JSON object on each line::

    {"format": "gtp-variants-dice", "version": 1, "dice": "1d6", "commitment": "..."}
    {"draw": 1, "faces": [4]}
    {"draw": 2, "faces": [1]}
    {"secret": "..."}

The first line is written before the first throw, and the last line when the session ends. Face i of draw k is
`rules.dice_stream.throw_face(secret, k, i, sides)`. During the session the secret is kept beside the log in
`FILE.secret`, a file that only its owner can read, so that the log can be continued after a crash.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError
from gtp_variants.lang import say
from gtp_variants.records.files import write
from gtp_variants.records.record import Verdict, name_place, read_bytes
from gtp_variants.rules.dice import DiceKind, read_dice
from gtp_variants.rules.dice_stream import DiceStream, throw_face

FORMAT = "gtp-variants-dice"
VERSION = 1


@dataclass(frozen=True, slots=True)
class DiceLog:
    """The content of a log; `secret` is None until it is revealed."""

    dice: DiceKind
    commitment: str
    throws: tuple[tuple[int, ...], ...] = ()
    secret: bytes | None = None


def throw(secret: bytes, dice: DiceKind, draw: int) -> tuple[int, ...]:
    """Return the faces of draw number `draw`, counted from 1."""
    return tuple(throw_face(secret, draw, index, dice.sides) for index in range(dice.count))


def is_dice_log(path: Path) -> bool:
    """Return True if a file begins like a dice log. Raises OSError if it cannot be opened."""
    with path.open("rb") as file:
        return FORMAT.encode() in file.readline(400)


def text(log: DiceLog) -> str:
    """Return the text of a log file. The file is complete if the log has its secret."""
    rows: list[Json] = [_first_row(log.dice, log.commitment)]
    rows += [{"draw": draw, "faces": list(faces)} for draw, faces in enumerate(log.throws, 1)]
    if log.secret is not None:
        rows.append({"secret": log.secret.hex()})
    return "".join(json.dumps(row) + "\n" for row in rows)


def _first_row(dice: DiceKind, commitment: str) -> Json:
    return {"format": FORMAT, "version": VERSION, "dice": str(dice), "commitment": commitment}


def load(path: Path, torn: bool = False) -> DiceLog:
    """Return the log in a file. With `torn` an incomplete last line, as after a crash, is ignored.

    Raises a RecordError that gives the file name and the line, or OSError if the file cannot be opened.
    """
    with name_place(path):
        return read(read_bytes(path), torn)


def read(content: bytes, torn: bool = False) -> DiceLog:
    """Return the log in the content of a file; for `torn` see `load`. Raises a RecordError that gives the line."""
    lines = content.split(b"\n")
    last = lines.pop()
    if last.strip() and not torn:
        lines.append(last)
    rows = [_row(line, number) for number, line in enumerate(lines, 1)]
    if not rows:
        raise RecordError("line 1: is missing")
    dice, commitment = _header(rows[0])
    throws: list[tuple[int, ...]] = []
    for number, row in enumerate(rows[1:], 2):
        if set(row) == {"secret"} and number == len(rows):
            return DiceLog(dice, commitment, tuple(throws), _secret(row["secret"], number))
        if row.get("draw") != len(throws) + 1 or set(row) != {"draw", "faces"}:
            raise RecordError(f'line {number}: expected {{"draw": {len(throws) + 1}, "faces": [...]}}')
        faces = row["faces"]
        if not isinstance(faces, list) or not all(type(face) is int for face in faces):
            raise RecordError(f"line {number}: expected the faces of {dice} as a list of numbers")
        throws.append(tuple(faces))
    return DiceLog(dice, commitment, tuple(throws))


def _row(line: bytes, number: int) -> Json:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError(f"line {number}: not JSON") from None
    if not isinstance(row, dict):
        raise RecordError(f"line {number}: expected an object")
    return row


def _header(row: Json) -> tuple[DiceKind, str]:
    if row.get("format") != FORMAT or row.get("version") != VERSION:
        raise RecordError(f"line 1: expected format {FORMAT!r}, version {VERSION}")
    try:
        dice = read_dice(str(row.get("dice")))
    except ValueError as error:
        raise RecordError(f"line 1: dice: expected {error}") from None
    commitment = row.get("commitment")
    if not isinstance(commitment, str) or len(commitment) != 64:
        raise RecordError("line 1: commitment: expected 64 hex digits")
    return dice, commitment


def _secret(text: object, number: int) -> bytes:
    if isinstance(text, str):
        with suppress(ValueError):
            return bytes.fromhex(text)
    raise RecordError(f"line {number}: secret: expected hex digits")


def verify(log: DiceLog, lang: str = "en", commitment: str | None = None) -> Verdict:
    """Check the secret against the commitment, and every throw against the secret.

    Without a secret nothing can be checked. A `commitment` that a player noted must be the same as in the log.
    """
    count = len(log.throws)
    if commitment not in (None, log.commitment):
        return Verdict((say("verify.other_commitment", lang, stated=log.commitment),), ())
    if log.secret is None:
        return Verdict((), (say("verify.throws_of_secret", lang, count=count, dice=log.dice),), ("dice",))
    faults, lines = [], []
    if DiceStream(log.secret).commitment == log.commitment:
        lines.append(say("verify.secret", lang))
    else:
        faults.append(say("verify.wrong_secret", lang))
    wrong = 0
    for draw, faces in enumerate(log.throws, 1):
        due = throw(log.secret, log.dice, draw)
        if due != faces:
            wrong += 1
            shown = [" ".join(map(str, each)) or say("verify.nothing", lang) for each in (due, faces)]
            faults.append(say("verify.wrong_throw", lang, draw=draw, due=shown[0], found=shown[1]))
    lines.append(say("verify.throws", lang, count=count, dice=log.dice, wrong=wrong))
    return Verdict(tuple(faults), tuple(lines))


class Thrower:
    """Dice that write every throw to a new or interrupted log before showing it."""

    def __init__(self, path: Path, dice: DiceKind, secret: bytes | None = None) -> None:
        """Begin a log of these dice at a path, or continue the log that is there.

        Raises RecordError if that log is complete or damaged, is for other dice, or lacks its secret.
        """
        self.path = path
        self.companion = path.with_name(path.name + ".secret")
        self.dice = dice
        self.log = self._resume(secret) if path.exists() and path.stat().st_size else self._begin(secret)

    @property
    def secret(self) -> bytes:
        """The secret that determines the throws."""
        assert self.log.secret is not None
        return self.log.secret

    def throw(self) -> tuple[int, ...]:
        """Return the next throw, which has been saved to disk before anybody sees it."""
        draw = len(self.log.throws) + 1
        faces = throw(self.secret, self.dice, draw)
        self._write({"draw": draw, "faces": list(faces)})
        self.log = DiceLog(self.dice, self.log.commitment, (*self.log.throws, faces), self.secret)
        return faces

    def reveal(self) -> bytes:
        """Complete the log with its secret, and return the secret."""
        self._write({"secret": self.secret.hex()})
        self.companion.unlink(missing_ok=True)
        return self.secret

    def _begin(self, secret: bytes | None) -> DiceLog:
        stream = DiceStream(secret)
        log = DiceLog(self.dice, stream.commitment, (), stream.secret)
        # A secret without a log belongs to dice that never rolled, so delete it.
        self.companion.unlink(missing_ok=True)
        write(self.companion, f"{stream.secret.hex()}\n".encode(), 0o600, durable=True)
        self._write(_first_row(self.dice, log.commitment))
        return log

    def _resume(self, secret: bytes | None) -> DiceLog:
        log = load(self.path, torn=True)
        if log.secret is not None:
            raise RecordError(f"{self.path}: the log is complete and its secret revealed; choose another file")
        if log.dice != self.dice:
            raise RecordError(f"{self.path}: expected a log of {self.dice}, got a log of {log.dice}")
        if secret is None:
            secret = self._kept_secret()
        found = DiceLog(log.dice, log.commitment, log.throws, secret)
        if faults := verify(found).faults:
            raise RecordError(f"{self.path}: cannot continue: {faults[0]}")
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.path, whole)
        return found

    def _kept_secret(self) -> bytes:
        with suppress(OSError, ValueError):
            return bytes.fromhex(self.companion.read_text(encoding="ascii"))
        raise RecordError(f"{self.path}: cannot continue: no secret in {self.companion.name}")

    def _write(self, row: Json) -> None:
        with self.path.open("ab") as file:
            file.write(json.dumps(row).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
