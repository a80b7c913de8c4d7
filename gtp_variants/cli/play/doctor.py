"""The command `gtp-variants doctor`, which checks what works on this computer, and gives advice on the rest."""

import importlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.ai.nets.weight_choice import board_range, instruction_set, reason_on_every_board
from gtp_variants.base.folders import state_folder
from gtp_variants.base.installation import clone_folder, editable_command, find_hidden_kernel
from gtp_variants.base.processes.wall import JOB_OBJECT, NONE, OPEN, wall_kind
from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.gtp.hosts import HOSTS, Computer, for_shell, gogui_command, our_command
from gtp_variants.lang import RequestRefused, say
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.languages import format_number
from gtp_variants.terminal.speech import speaker

# Kinds of findings: the item is all right; it is missing, but not needed; it needs to be fixed.
OK, NOTE, WRONG = "ok", "note", "wrong"

_OLDEST_PYTHON = (3, 11)
_SLOW_S = 2.0
_DEADLINE_S = 60.0
_ASKED = b"1 protocol_version\n2 name\n3 known_command gogui-rules_game_id\n4 quit\n"
_ANSWERED = (b"=1 2", b"=2 GTP Variants", b"=3 true", b"=4")


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check; `kind` is `OK`, `NOTE` or `WRONG`."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Patient:
    """The computer to be examined. Tests use invented computers."""

    computer: Computer = field(default_factory=Computer)
    encoding: str = field(default_factory=lambda: sys.stdout.encoding or "unknown")
    import_kernel: Callable[[], object] = lambda: importlib.import_module("gtp_variants.ai.kernel._kernel")
    find_hidden_kernel: Callable[[], Path | None] = find_hidden_kernel
    state_folder: Callable[[], Path] = state_folder
    clock: Callable[[], float] = time.monotonic
    wall_kind: Callable[[], str] = wall_kind


def main(arguments: Sequence[str], patient: Patient | None = None) -> int:
    """Print the findings. Return 1 if something is wrong, else 0."""
    lang = language_of(parser().parse_args(arguments))
    patient = patient or Patient()
    title = say("doctor.title", lang, version=__version__, platform=patient.computer.platform)
    sys.stdout.write(f"{title}\n")
    is_well = True
    for finding in examine(patient, lang):
        is_well = is_well and finding.kind != WRONG
        sys.stdout.write(f"{say(f'doctor.kind_{finding.kind}', lang):<6}{finding.text}\n")
        sys.stdout.flush()
    sys.stdout.write(say("doctor.healthy" if is_well else "doctor.ill", lang) + "\n")
    return 0 if is_well else 1


def parser() -> CommandParser:
    return CommandParser("doctor")


def examine(patient: Patient, lang: str = "en") -> Iterator[Finding]:
    """Yield the result of each check."""
    for look in (_python, _kernel, _networks, _encoding, _state, _wall, _engine, _java, _gogui, _sabaki, _speech):
        yield look(patient, lang)


def _python(patient: Patient, lang: str) -> Finding:
    version = ".".join(map(str, patient.computer.version))
    if patient.computer.version < _OLDEST_PYTHON:
        least = ".".join(map(str, _OLDEST_PYTHON))
        return Finding(WRONG, say("doctor.python_old", lang, version=version, least=least))
    return Finding(OK, say("doctor.python", lang, version=version, place=patient.computer.python))


def _kernel(patient: Patient, lang: str) -> Finding:
    told = patient.computer.environment.get("GTP_VARIANTS_FORM", "")
    if told not in ("", "native", "python"):
        return Finding(WRONG, say("doctor.search_unknown", lang, form=told[:40]))
    if told == "python":
        return Finding(NOTE, say("doctor.search_asked", lang))
    try:
        patient.import_kernel()
    except ImportError as error:
        kind, hidden = WRONG if told == "native" else NOTE, patient.find_hidden_kernel()
        if hidden is None:
            return Finding(kind, say("doctor.search_plain", lang, error=error))
        details = {"clone": clone_folder(), "kernel": hidden, "command": editable_command()}
        return Finding(kind, say("doctor.search_hidden", lang, **details))
    return Finding(OK, say("doctor.search", lang))


def _networks(patient: Patient, lang: str) -> Finding:
    """Report the games for which the package has a network."""
    try:
        reasons = {name: reason_on_every_board(parse(name), lang) for name in GAMES}
    except ConfigError as error:
        return Finding(NOTE, say("doctor.networks_none", lang, error=error))
    judged = {name: board_range(parse(name)) for name, reason in reasons.items() if not reason}
    if not judged:
        return Finding(NOTE, say("doctor.networks_unused", lang, reason=next(iter(reasons.values()))))
    listed = ", ".join(
        say("doctor.boards", lang, game=name, least=least, most=most) if most else name
        for name, (least, most) in judged.items()
    )
    told = patient.computer.environment.get("GTP_VARIANTS_INSTRUCTIONS", "")
    key = "doctor.networks_told" if told else "doctor.networks"
    return Finding(OK, say(key, lang, games=listed, instructions=instruction_set()))


def _encoding(patient: Patient, lang: str) -> Finding:
    if patient.encoding.lower().replace("-", "") != "utf8":
        return Finding(NOTE, say("doctor.encoding_poor", lang, encoding=patient.encoding))
    return Finding(OK, say("doctor.encoding", lang))


def _state(patient: Patient, lang: str) -> Finding:
    try:
        folder = patient.state_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except (OSError, NotationError) as error:
        return Finding(WRONG, say("doctor.state_none", lang, error=error))
    return Finding(OK, say("doctor.state", lang, folder=folder))


def _wall(patient: Patient, lang: str) -> Finding:
    """Find the wall around other people's engines and bots."""
    try:
        kind = patient.wall_kind()
    except ConfigError as error:
        return Finding(WRONG, str(error))
    key = {NONE: "wall_none", JOB_OBJECT: "wall_job_object"}.get(kind, "wall")
    return Finding(NOTE if kind in OPEN else OK, say(f"doctor.{key}", lang, kind=kind))


def _engine(patient: Patient, lang: str) -> Finding:
    """Start the engine as a Go program does: from another folder, with pipes for its input and output."""
    command = [*our_command(patient.computer), "gtp"]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        begun = patient.clock()
        done = patient.computer.run(command, _ASKED, folder, _DEADLINE_S)
        took_s = patient.clock() - begun
    shown = for_shell(command, patient.computer.platform)
    if done.status is None:
        silence = say("doctor.no_answer", lang, seconds=f"{_DEADLINE_S:.0f}")
        reason = done.complained.decode(errors="replace").strip() or silence
        return Finding(WRONG, say("doctor.engine_dead", lang, command=shown, reason=reason))
    answers = tuple(line.rstrip() for line in done.said.replace(b"\r", b"").split(b"\n") if line)
    if done.status or answers != _ANSWERED:
        lines = done.complained.decode(errors="replace").strip().splitlines()
        answered = say("doctor.wrong_answers", lang, status=done.status, answers=f"{done.said[:80]!r}")
        last = lines[-1] if lines else answered
        return Finding(WRONG, say("doctor.engine_mute", lang, command=shown, reason=last))
    seconds = format_number(round(took_s, 1), lang)
    if took_s > _SLOW_S:
        return Finding(NOTE, say("doctor.engine_slow", lang, seconds=seconds))
    return Finding(OK, say("doctor.engine", lang, seconds=seconds, command=shown))


def _java(patient: Patient, lang: str) -> Finding:
    java = patient.computer.find("java")
    if java is None:
        return Finding(NOTE, say("doctor.java_none", lang))
    done = patient.computer.run([java, "-version"], b"", None, _DEADLINE_S)
    lines = (done.complained + done.said).decode(errors="replace").strip().splitlines()
    if done.status != 0:
        reason = lines[-1] if lines else say("doctor.says_nothing", lang)
        return Finding(WRONG, say("doctor.java_dead", lang, place=java, reason=reason))
    return Finding(OK, say("doctor.java", lang, version=lines[0] if lines else java))


def _gogui(patient: Patient, lang: str) -> Finding:
    try:
        command = gogui_command(patient.computer)
    except RequestRefused as error:
        kind = WRONG if patient.computer.environment.get("GOGUI") else NOTE
        return Finding(kind, say("doctor.gogui_none", lang, reason=error.reason(lang).removeprefix("GoGui ")))
    shown = for_shell(command, patient.computer.platform)
    return Finding(OK, say("doctor.gogui", lang, command=shown, page=HOSTS["gogui"].page))


def _sabaki(patient: Patient, lang: str) -> Finding:
    place = HOSTS["sabaki"].find_program(patient.computer)
    if place is None:
        return Finding(NOTE, say("doctor.sabaki_none", lang, page=HOSTS["sabaki"].page))
    return Finding(OK, say("doctor.sabaki", lang, place=place))


def _speech(patient: Patient, lang: str) -> Finding:
    try:
        voice = speaker(lang, patient.computer.find)
    except RequestRefused as error:
        return Finding(NOTE, say("doctor.speech_none", lang, reason=error.reason(lang).partition(": ")[2]))
    return Finding(OK, say("doctor.speech", lang, program=voice.program))
