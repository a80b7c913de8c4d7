"""A game with what belongs to it in a file: its dice, its players, its times, its result; and whether it holds true."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.lang import say
from gtp_variants.records.notation import read_event, write_faces
from gtp_variants.records.sgf.results import is_counted, is_ff4, read_result
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import faces_of

# A game may go on for ever; a file that is longer than any game people or programs finish is refused unread.
MAX_EVENTS = 50_000
MAX_BYTES = 16 * 2**20
MAX_SECONDS = 10**9

# How others count is not in a file, nor which stones they called dead. Only of these rules it is known: by area, every
# stone as it stands. Source: tromp.github.io/go.html.
_COUNTED_AS_HERE = re.compile(r"tromp.?taylor", re.IGNORECASE)
# Letters shown of a file's name for its rules, and of its result.
_MOST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Time:
    """What the clock showed of one event; None where nobody says.

    `took_s`      how long its player thought
    `left_s`      what the player then had left: of the main time, or of the present period
    `left_count`  stones or periods to go, when the main time is over

    Raises RecordError for seconds or a count that no clock shows.
    """

    took_s: float | None = None
    left_s: float | None = None
    left_count: int | None = None

    def __post_init__(self) -> None:
        for value in (self.took_s, self.left_s):
            if value is not None and not 0 <= value <= MAX_SECONDS:
                raise RecordError(f"{value} seconds: expected 0 to {MAX_SECONDS}")
        if self.left_count is not None and not 0 <= self.left_count <= MAX_EVENTS:
            raise RecordError(f"{self.left_count} stones or periods left: expected 0 to {MAX_EVENTS}")


@dataclass(frozen=True, slots=True)
class Record:
    """A game and what a file says about it. Raises RecordError for times of events that did not happen.

    `dice`        "secret" (thrown from a secret), "shared" (from a key of the host), None (none, or nobody says)
    `commitment`  SHA-256 of the secret, lower-case hex, as it was given before the game
    `secret`      the secret itself once it is revealed
    `told`        numbers of the turns whose draw the host told instead of it being thrown
    `players`     colour -> name
    `result`      as in an SGF `RE`; if None, that of the game when the record is made
    `counted_by`  the rules by which another program counted, "" where its file does not name them; None in our own
    `main_s`      seconds of main time a side; `overtime` what follows it, in words, as in an SGF `OT`
    `times`       number of the event, from 0 -> what the clock showed
    """

    game: Game
    dice: str | None = None
    commitment: str | None = None
    secret: bytes | None = None
    told: frozenset[int] = frozenset()
    players: Mapping[int, str] = field(default_factory=dict)
    result: str | None = None
    comment: str = ""
    main_s: float | None = None
    overtime: str = ""
    times: Mapping[int, Time] = field(default_factory=dict)
    counted_by: str | None = None

    def __post_init__(self) -> None:
        if self.result is None:
            outcome = self.game.outcome
            object.__setattr__(self, "result", None if outcome is None else outcome.sgf)
        if self.main_s is not None and not 0 <= self.main_s <= MAX_SECONDS:
            raise RecordError(f"{self.main_s} seconds of main time: expected 0 to {MAX_SECONDS}")
        lost = next((number for number in self.times if not 0 <= number < len(self.game.events)), None)
        if lost is not None:
            raise RecordError(f"the time of event {lost}: there are {len(self.game.events)} events, counted from 0")


def play_words(game: Game, words: Iterable[Sequence[str]], places: Iterable[str]) -> None:
    """Play the events that words stand for. Raises RecordError that begins with the place of the one that cannot be."""
    for place, (actor, word) in zip(places, words, strict=False):
        if len(game.events) >= MAX_EVENTS:
            raise RecordError(f"{place}: more than {MAX_EVENTS} events")
        try:
            event = read_event(game.rules, game.position, actor, word)
            game.play(event.actor, event.action)
        except VariantsError as error:
            raise RecordError(f"{place}: {describe_error(error)}") from error


def describe_error(error: VariantsError) -> str:
    """The error as a sentence; an IllegalMove alone does not say that it is one."""
    text = str(error)
    return f"illegal move {text}" if text.startswith("(") else text


def check_size(size: int) -> None:
    """Check that a file or text has no more bytes than are read. Raises RecordError."""
    if size > MAX_BYTES:
        raise RecordError(f"{size} bytes, longer than {MAX_BYTES} bytes")


def read_bytes(path: Path) -> bytes:
    """What is in a file. Raises RecordError, before it is read, if that is more than MAX_BYTES; OSError."""
    with path.open("rb") as file:
        check_size(os.fstat(file.fileno()).st_size)
        # A pipe does not say how much comes.
        content = file.read(MAX_BYTES + 1)
    check_size(len(content))
    return content


def place_of(text: str, offset: int) -> str:
    """Where in a text an offset is, in words."""
    line_start = text.rfind("\n", 0, offset) + 1
    return f"line {text.count(chr(10), 0, offset) + 1}, column {offset - line_start + 1}"


def printable(text: str) -> str:
    """A text of a file as one line that may be written to a terminal: whatever is no letter is a blank."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def new_game(rules: Rules, setup: Mapping[int, int], first: int | None) -> Game:
    """A game before its first event. Raises RecordError for a setup that cannot stand."""
    try:
        return Game(rules, setup, first)
    except VariantsError as error:
        raise RecordError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a record holds true, and what was found, a sentence a line."""

    ok: bool
    lines: tuple[str, ...]


def verify(record: Record, lang: str = "en") -> Verdict:
    """Play a record again: check secret against commitment, draws against the secret, the result against the board.

    What cannot be checked is said and counts as true. Raises RecordError if the game cannot be replayed.
    """
    faults, lines = _check_secret(record, lang)
    wrong, counts = _check_draws(record, lang)
    wrong_result, result = _check_result(record, lang)
    faults += wrong + wrong_result
    return Verdict(not faults, (*faults, *lines, *counts, *result))


def _check_secret(record: Record, lang: str) -> tuple[list[str], list[str]]:
    """What is wrong with the secret, and what is well."""
    from gtp_variants.rules.dice_stream import DiceStream

    if record.dice == "shared" and (record.secret or record.commitment):
        return [say("verify.secret_of_shared", lang)], []
    if record.secret is not None and record.commitment is None:
        return [say("verify.no_commitment", lang)], []
    if record.secret is None or record.commitment is None:
        return [], []
    if DiceStream(record.secret).commitment != record.commitment:
        return [say("verify.wrong_secret", lang)], []
    return [], [say("verify.secret", lang)]


def _check_draws(record: Record, lang: str) -> tuple[list[str], list[str]]:
    """The draws the secret contradicts, and how many were checked."""
    from gtp_variants.rules.dice_stream import DiceStream

    stream = None if record.secret is None or record.dice == "shared" else DiceStream(record.secret)
    faults: list[str] = []
    checked = told = unknown = 0
    game = Game(record.game.rules, record.game.setup, record.game.first)
    for number, event in enumerate(record.game.events, 1):
        if event.actor == CHANCE and event.action >= 0 and game.position.to_play == CHANCE:
            turn = game.position.turn + len(game.position.draws)
            if turn in record.told:
                told += 1
            elif stream is None:
                unknown += 1
            else:
                checked += 1
                due = stream.draw(game)
                if due != event.action:
                    shown = [write_faces(faces_of(game.rules, game.position, n)) for n in (due, event.action)]
                    faults.append(say("verify.wrong_draw", lang, turn=turn, due=shown[0], found=shown[1]))
        try:
            game.play(event.actor, event.action)
        except VariantsError as error:
            raise RecordError(f"event {number}: {describe_error(error)}") from error
    why = "verify.draws_of_shared" if record.dice == "shared" else "verify.draws_of_secret"
    lines = [say("verify.draws", lang, count=checked, wrong=len(faults))] if checked else []
    lines += [say("verify.draws_told", lang, count=told)] if told else []
    lines += [say(why, lang, count=unknown)] if unknown else []
    return faults, lines


def _check_result(record: Record, lang: str) -> tuple[list[str], list[str]]:
    """Return the fault of the stated result, and what is well or cannot be checked."""
    outcome, stated = record.game.outcome, record.result
    if stated is None:
        return [], [say("verify.not_over", lang)]
    read = read_result(stated)
    is_foreign = record.counted_by is not None
    # Our own program spells every result but a count in one way.
    is_known = read is not None and (is_foreign or is_counted(read))
    if outcome is not None and outcome.sgf in (stated, read if is_known else None):
        return [], [say("verify.result", lang, result=outcome.sgf, sentence=outcome.sentence(lang))]
    shown = _show_result(stated, read, lang)
    if read is None and (is_foreign or outcome is None):
        return [], [say("verify.unreadable", lang, stated=shown)]
    if outcome is None:
        return [], [say("verify.open", lang, stated=shown)]
    if read is not None and is_foreign:
        if not is_counted(read):
            return [], [say("verify.after_passes", lang, stated=shown)]
        if _COUNTED_AS_HERE.search(record.counted_by or "") is None:
            named = printable(record.counted_by or "")[:_MOST_SHOWN] or say("verify.rules_not_named", lang)
            return [], [say("verify.other_count", lang, stated=shown, rules=named, result=outcome.sgf)]
    return [say("verify.wrong_result", lang, stated=shown, result=outcome.sgf)], []


def _show_result(stated: str, read: str | None, lang: str) -> str:
    """Return a stated result with its meaning where the spelling is unusual."""
    shown = printable(stated)[:_MOST_SHOWN].strip() or say("verify.no_result", lang)
    return shown if read is None or is_ff4(stated) or not stated.strip() else f"{shown} ({read})"
