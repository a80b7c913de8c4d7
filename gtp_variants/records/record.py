"""Records: a game with its dice, players, times and result, and checks that these are consistent."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from gtp_variants.base.folders import open_file
from gtp_variants.errors import RecordError, VariantsError
from gtp_variants.lang import say
from gtp_variants.records.notation import read_event, write_faces
from gtp_variants.records.sgf.results import is_counted, is_ff4, read_result
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import COLOUR_WORDS
from gtp_variants.rules.dice_stream import DiceStream, Nonce
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import faces_of

# Limits for files, above the length of any finished game. A file with more bytes is rejected unread.
MAX_EVENTS = 50_000
MAX_BYTES = 16 * 2**20
MAX_SECONDS = 10**9
# Maximum number of bytes of a nonce.
MAX_NONCE = 64

# The caveats about what decides a result: an uncertain komi, or moves or stones that may be missing.
_DECISIVE = frozenset("komi no_komi no_point ends no_semicolon misplaced moves stray line head".split())
# The only rules whose count can be checked: they count area, with every stone alive. Under other rules a file does not
# say which stones were called dead. Source: tromp.github.io/go.html.
_COUNTED_AS_HERE = re.compile(r"tromp.?taylor", re.IGNORECASE)
_DICE_FACTS = {
    "dice": ("secret|shared", "secret or shared"),
    "commitment": ("[0-9a-f]{64}", "64 lower-case hex digits"),
    "secret": ("([0-9a-f]{2}){0,1024}", "pairs of lower-case hex digits"),
}
_TURN = re.compile("[0-9]{1,6}|1000000")
_NONCE = re.compile(rf"([1-9]\d{{0,5}}) ([bwr]) ((?:[0-9a-f]{{2}}){{1,{MAX_NONCE}}})", re.ASCII)
# Maximum number of characters shown of a file's rules or result.
_MOST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Time:
    """The times of one event. Unknown values are None.

    `took_s`      the player's thinking time
    `left_s`      the player's remaining main time, or the rest of the current period
    `left_count`  stones or periods left, once the main time is over

    Raises RecordError for values out of range.
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
class Caveat:
    """A note on something guessed, mended or left out in a file: a key in `lang/caveats.toml`, and its placeholders."""

    key: str
    parts: Mapping[str, object] = field(default_factory=dict)

    def sentence(self, lang: str = "en") -> str:
        """Return the caveat as a sentence, safe to print."""
        parts = {name: printable(str(part)).replace("\u00a0", " ") for name, part in self.parts.items()}
        return say(f"caveats.{self.key}", lang, **parts)


@dataclass(frozen=True, slots=True)
class Record:
    """A game and the facts that a file gives about it. Raises RecordError for impossible times.

    `dice`        "secret" (thrown from a secret), "shared" (from the host's key), or None (no dice, or unknown)
    `commitment`  SHA-256 of the secret in lower-case hex, published before the game
    `secret`      the secret itself, once it is revealed
    `nonces`      what the players added to the dice after the commitment, at most one for each colour
    `told`        numbers of the turns whose draw was given by the host instead of being thrown
    `players`     colour -> name
    `result`      as in an SGF `RE`; by default the game's own result
    `counted_by`  the rules named in another program's file, "" if it names none, None in our own files
    `main_s`      seconds of main time for each side; `overtime` describes the time after it, as in an SGF `OT`
    `times`       number of the event, from 0 -> its times
    `before`      the games that ended where a file sets up stones or has an illegal move, each with the reason
    `caveats`     what was guessed, mended or left out when the file was read
    `is_of_file`  True for the record of an SGF file: what it no longer says is removed when the file is written
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
    nonces: Sequence[Nonce] = ()
    counted_by: str | None = None
    before: Sequence[tuple[Game, Caveat]] = field(default=(), compare=False)
    caveats: Sequence[Caveat] = field(default=(), compare=False)
    is_of_file: bool = field(default=False, compare=False)

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
    """Play the events that pairs of words stand for. Raises RecordError with the place of the first faulty event."""
    for place, (actor, word) in zip(places, words, strict=False):
        if len(game.events) >= MAX_EVENTS:
            raise RecordError(f"{place}: more than {MAX_EVENTS} events")
        try:
            event = read_event(game.rules, game.position, actor, word)
            game.play(event.actor, event.action)
        except VariantsError as error:
            raise RecordError(f"{place}: {describe_error(error)}") from error


def check_length(events: Sequence[object]) -> None:
    """Raise RecordError for more events than a file may have."""
    if len(events) > MAX_EVENTS:
        raise RecordError(f"events: expected at most {MAX_EVENTS}, got {len(events)}")


def with_dice(record: Record, stated: Mapping[str, object], spell: Callable[[str], str] = str) -> Record:
    """Return a record with the `dice`, `commitment`, `secret`, `told` and `nonces` that a file states.

    The first three are texts, the others lists. Raises RecordError for other values, and for a second nonce of a
    colour, with the name as the file spells it.
    """
    texts: dict[str, str | None] = {}
    for name, (form, expected) in _DICE_FACTS.items():
        value = stated.get(name)
        if value is not None and not (isinstance(value, str) and re.fullmatch(form, value)):
            raise RecordError(f"{spell(name)}: expected {expected}")
        texts[name] = None if value is None else str(value)
    told, given = (stated.get(name) or [] for name in ("told", "nonces"))
    if not isinstance(told, list) or not all(type(turn) is not bool and _TURN.fullmatch(str(turn)) for turn in told):
        raise RecordError(f"{spell('told')}: expected a list of turn numbers")
    matches = [_NONCE.fullmatch(str(each)) for each in given] if isinstance(given, list) else [None]
    nonces = [Nonce(int(each[1]), COLOUR_WORDS[each[2]], bytes.fromhex(each[3])) for each in matches if each]
    if len({nonce.colour for nonce in nonces}) < len(matches):
        raise RecordError(
            f"{spell('nonces')}: expected a first draw, a colour and hex such as 1 b 00ff, once for each colour"
        )
    secret = None if texts["secret"] is None else bytes.fromhex(texts["secret"])
    thrown = replace(record, dice=texts["dice"], commitment=texts["commitment"], secret=secret)
    return replace(thrown, told=frozenset(map(int, told)), nonces=tuple(sorted(nonces)))


def describe_error(error: VariantsError) -> str:
    """Return the error as a sentence, with "illegal move" before the text of an IllegalMove."""
    text = str(error)
    return f"illegal move {text}" if text.startswith("(") else text


def check_size(size: int) -> None:
    """Raise RecordError for more bytes than a file may have."""
    if size > MAX_BYTES:
        raise RecordError(f"{size} bytes: expected at most {MAX_BYTES}")


def check_text(text: str) -> None:
    """Raise RecordError for a text that is too long or contains half of a surrogate pair."""
    check_size(len(text))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RecordError(f"{place_of(text, error.start)}: half of a surrogate pair") from None


def read_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises OSError, or RecordError for a file that is too large."""
    with open_file(path) as file:
        check_size(os.fstat(file.fileno()).st_size)
        return file.read()


def place_of(text: str, offset: int) -> str:
    """Return the position of an offset in a text, such as "line 2, column 5"."""
    line_start = text.rfind("\n", 0, offset) + 1
    return f"line {text.count(chr(10), 0, offset) + 1}, column {offset - line_start + 1}"


def printable(text: str) -> str:
    """Return a text as one line that is safe to print on a terminal. Blanks replace unprintable characters."""
    return "".join(letter if letter.isprintable() or letter == "\u00a0" else " " for letter in text)


@contextmanager
def name_place(place: object) -> Iterator[None]:
    """Put a place, such as a file name, before the message of a RecordError."""
    try:
        yield
    except RecordError as error:
        # Make the message printable, because it quotes the file, which may contain any characters.
        raise RecordError(printable(f"{place}: {error}")) from error


def new_game(rules: Rules, setup: Mapping[int, int], first: int | None) -> Game:
    """Return a game before its first event. Raises RecordError for an impossible setup."""
    try:
        return Game(rules, setup, first)
    except VariantsError as error:
        raise RecordError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a record: its faults and other findings, one sentence each, and what cannot be proved.

    `unproved` has "dice" if draws cannot be checked against a commitment, "result" if the result cannot be checked.
    """

    faults: tuple[str, ...]
    lines: tuple[str, ...]
    unproved: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True unless the record is false."""
        return not self.faults

    @property
    def kind(self) -> str:
        """The verdict in a word: "false", "consistent" (nothing is false, but something is unproved) or "proven"."""
        return "false" if self.faults else "consistent" if self.unproved else "proven"


def verify(record: Record, lang: str = "en", commitment: str | None = None) -> Verdict:
    """Replay a record, and check the secret against its commitment, the draws against the secret, and the result.

    A `commitment` that a player noted before the game counts instead of the record's, which must not differ. Items
    that cannot be checked are reported, but do not fail. Raises RecordError if the game cannot be replayed.
    """
    faults = [caveat.sentence(lang) for caveat in record.caveats if caveat.key == "illegal"]
    lines = [caveat.sentence(lang) for caveat in record.caveats if caveat.key != "illegal"]
    if commitment not in (None, record.commitment):
        if record.commitment is not None:
            faults.append(say("verify.other_commitment", lang, stated=record.commitment))
        record = replace(record, commitment=commitment)
    wrong_secret, secret = _check_secret(record, lang)
    wrong, counts, unknown = _check_draws(record, lang)
    wrong_result, result, is_proved = _check_result(record, lang)
    if record.result is not None and any(caveat.key in _DECISIVE for caveat in record.caveats):
        # A guess can neither prove nor contradict the result, so leave it unproved and report no fault.
        wrong_result, result, is_proved = [], [*wrong_result, *result], False
    unproved = [*["dice"] * (unknown > 0), *["result"] * (not is_proved)]
    faults += wrong_secret + wrong + wrong_result
    return Verdict(tuple(faults), (*lines, *secret, *counts, *result), tuple(unproved))


def _check_secret(record: Record, lang: str) -> tuple[list[str], list[str]]:
    """Return sentences about faults of the secret, and sentences about its correct parts."""
    if record.dice == "shared" and (record.secret or record.commitment):
        return [say("verify.secret_of_shared", lang)], []
    if record.secret is not None and record.commitment is None:
        return [say("verify.no_commitment", lang)], []
    if record.secret is None or record.commitment is None:
        return [], []
    if DiceStream(record.secret).commitment != record.commitment:
        return [say("verify.wrong_secret", lang)], []
    return [], [say("verify.secret", lang)]


def _check_draws(record: Record, lang: str) -> tuple[list[str], list[str], int]:
    """Return sentences on wrong draws and on all draws, and the number unchecked. Raises RecordError in a bad game."""
    has_key = record.secret is not None and record.dice != "shared"
    stream = DiceStream(record.secret, record.nonces) if has_key else None
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
    lines = [say("verify.nonces", lang, nonces=", ".join(map(str, record.nonces)))] if record.nonces else []
    lines += [say("verify.draws", lang, count=checked, wrong=len(faults))] if checked else []
    lines += [say("verify.draws_told", lang, count=told)] if told else []
    lines += [say(why, lang, count=unknown)] if unknown else []
    return faults, lines, told + unknown


def _check_result(record: Record, lang: str) -> tuple[list[str], list[str], bool]:
    """Return sentences about a fault of the stated result and other findings, and whether the result is proved."""
    outcome, stated = record.game.outcome, record.result
    if stated is None:
        return [], [say("verify.not_over", lang)], True
    read = read_result(stated)
    is_foreign = record.counted_by is not None
    # In our own files only a counted result may be spelt differently, so other spellings are unknown.
    is_known = read is not None and (is_foreign or is_counted(read))
    if outcome is not None and outcome.sgf in (stated, read if is_known else None):
        return [], [say("verify.result", lang, result=outcome.sgf, sentence=outcome.sentence(lang))], True
    shown = printable(stated)[:_MOST_SHOWN].strip() or say("verify.no_result", lang)
    if read is not None and stated.strip() and not is_ff4(stated):
        # The spelling is unusual, so say what it means.
        shown = f"{shown} ({read})"
    if read is None and (is_foreign or outcome is None):
        return [], [say("verify.unreadable", lang, stated=shown)], False
    if outcome is None:
        return [], [say("verify.open", lang, stated=shown)], False
    if read is not None and is_foreign:
        if not is_counted(read):
            return [], [say("verify.after_passes", lang, stated=shown)], False
        if _COUNTED_AS_HERE.search(record.counted_by or "") is None:
            named = printable(record.counted_by or "")[:_MOST_SHOWN] or say("verify.rules_not_named", lang)
            return [], [say("verify.other_count", lang, stated=shown, rules=named, result=outcome.sgf)], False
    return [say("verify.wrong_result", lang, stated=shown, result=outcome.sgf)], [], True
