"""The `doctor` command: what works on this computer, what does not, and what to do about it."""

import importlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.cli.parser import CommandParser
from gtp_variants.errors import ConfigError
from gtp_variants.folders import state_folder
from gtp_variants.gtp.hosts.locations import (
    GOGUI_PAGE,
    SABAKI_PAGE,
    Computer,
    for_shell,
    gogui_command,
    our_command,
    sabaki_place,
)
from gtp_variants.nets.weights import instruction_set, judged_boards, why_on_no_board
from gtp_variants.rules import GAMES, parse
from gtp_variants.terminal.display.speech import speaker

_OLDEST_PYTHON = (3, 11)
_SLOW_S = 2.0
_DEADLINE_S = 60.0
_ASKED = b"1 protocol_version\n2 name\n3 known_command gogui-rules_game_id\n4 quit\n"
_ANSWERED = (b"=1 2", b"=2 GTP Variants", b"=3 true", b"=4")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: `kind` is ok, note (something is missing that one can do without) or WRONG."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Patient:
    """What is looked at, so that another computer can be imagined in a test."""

    computer: Computer = field(default_factory=Computer)
    encoding: str = field(default_factory=lambda: sys.stdout.encoding or "unknown")
    import_kernel: Callable[[], object] = lambda: importlib.import_module("gtp_variants.mcts._kernel")
    state_folder: Callable[[], Path] = state_folder
    clock: Callable[[], float] = time.monotonic


def main(arguments: Sequence[str], patient: Patient | None = None) -> int:
    """Print what was found; 1 if something is wrong, else 0."""
    parser().parse_args(arguments)
    patient = patient or Patient()
    sys.stdout.write(f"gtp-variants {__version__} on {patient.computer.platform}\n")
    is_well = True
    for finding in examine(patient):
        is_well = is_well and finding.kind != "WRONG"
        sys.stdout.write(f"{finding.kind:<6}{finding.text}\n")
        sys.stdout.flush()
    sys.stdout.write("Nothing is wrong.\n" if is_well else "Something is wrong: see above.\n")
    return 0 if is_well else 1


def parser() -> CommandParser:
    """The command's options."""
    return CommandParser("doctor")


def examine(patient: Patient) -> Iterator[Finding]:
    """Everything that is looked at, one after the other."""
    for look in (_python, _kernel, _networks, _encoding, _state, _engine, _java, _gogui, _sabaki, _speech):
        yield look(patient)


def _python(patient: Patient) -> Finding:
    version = ".".join(map(str, patient.computer.version))
    if patient.computer.version < _OLDEST_PYTHON:
        return Finding("WRONG", f"Python {version}: too old, install {'.'.join(map(str, _OLDEST_PYTHON))} or newer")
    return Finding("ok", f"Python {version}: {patient.computer.python}")


def _kernel(patient: Patient) -> Finding:
    told = patient.computer.environment.get("GTP_VARIANTS_FORM", "")
    if told not in ("", "native", "python"):
        return Finding("WRONG", f"search: GTP_VARIANTS_FORM={told[:40]}, expected native or python")
    if told == "python":
        return Finding("note", "search: plain Python, slow, because GTP_VARIANTS_FORM=python is set")
    try:
        patient.import_kernel()
    except ImportError as error:
        kind = "WRONG" if told == "native" else "note"
        how = "install a C++20 compiler and install the package again"
        return Finding(kind, f"search: plain Python, slow, because there is no kernel ({error}); {how}")
    return Finding("ok", "search: native kernel")


def _networks(patient: Patient) -> Finding:
    """Which games a network of the package judges."""
    try:
        reasons = {name: why_on_no_board(parse(name)) for name in GAMES}
    except ConfigError as error:
        return Finding("note", f"networks: none ({error})")
    told = patient.computer.environment.get("GTP_VARIANTS_INSTRUCTIONS", "")
    because = ", as GTP_VARIANTS_INSTRUCTIONS says" if told else ""
    judged = {name: judged_boards(parse(name)) for name, reason in reasons.items() if not reason}
    if not judged:
        return Finding("note", f"networks: none, all games are searched by playouts ({next(iter(reasons.values()))})")
    listed = ", ".join(f"{name} ({least} to {most} points)" if most else name for name, (least, most) in judged.items())
    return Finding("ok", f"networks: {listed}; with {instruction_set()}{because}")


def _encoding(patient: Patient) -> Finding:
    if patient.encoding.lower().replace("-", "") != "utf8":
        return Finding(
            "note", f"encoding: {patient.encoding} cannot show every letter; set PYTHONUTF8=1 in the environment"
        )
    return Finding("ok", "encoding: UTF-8")


def _state(patient: Patient) -> Finding:
    try:
        folder = patient.state_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError) as error:
        return Finding("WRONG", f"state: nothing can be kept between games ({error}); set XDG_STATE_HOME to a folder")
    return Finding("ok", f"state: {folder}")


def _engine(patient: Patient) -> Finding:
    """The engine as a Go program starts it: another folder, pipes on both sides."""
    command = [*our_command(patient.computer), "gtp"]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        begun = patient.clock()
        done = patient.computer.run(command, _ASKED, folder, _DEADLINE_S)
        took_s = patient.clock() - begun
    shown = for_shell(command, patient.computer.platform)
    if done.status is None:
        reason = done.complained.decode(errors="replace").strip() or f"no answer in {_DEADLINE_S:.0f} s"
        return Finding("WRONG", f"engine: {shown} does not run: {reason}")
    answers = tuple(line.rstrip() for line in done.said.replace(b"\r", b"").split(b"\n") if line)
    if done.status or answers != _ANSWERED:
        lines = done.complained.decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else f"exit status {done.status}, answers {done.said[:80]!r}"
        return Finding("WRONG", f"engine: {shown} does not answer over a pipe: {last}")
    if took_s > _SLOW_S:
        return Finding("note", f"engine: answers, but after {took_s:.1f} s; GoGui starts it four times for a window")
    return Finding("ok", f"engine: starts and answers in {took_s:.1f} s: {shown}")


def _java(patient: Patient) -> Finding:
    java = patient.computer.find("java")
    if java is None:
        return Finding("note", "Java: not found; GoGui needs it, from https://adoptium.net or your system's packages")
    done = patient.computer.run([java, "-version"], b"", None, _DEADLINE_S)
    lines = (done.complained + done.said).decode(errors="replace").strip().splitlines()
    if done.status != 0:
        return Finding("WRONG", f"Java: {java} does not run: {lines[-1] if lines else 'it says nothing'}")
    return Finding("ok", f"Java: {lines[0] if lines else java}")


def _gogui(patient: Patient) -> Finding:
    try:
        command = gogui_command(patient.computer)
    except ConfigError as error:
        kind = "WRONG" if patient.computer.environment.get("GOGUI") else "note"
        return Finding(kind, f"GoGui: {str(error).removeprefix('GoGui ')}")
    return Finding("ok", f"GoGui: {for_shell(command, patient.computer.platform)} (1.6 is wanted, from {GOGUI_PAGE})")


def _sabaki(patient: Patient) -> Finding:
    place = sabaki_place(patient.computer)
    if place is None:
        return Finding("note", f"Sabaki: not found on the PATH nor where it is usually installed ({SABAKI_PAGE})")
    return Finding("ok", f"Sabaki: {place}")


def _speech(patient: Patient) -> Finding:
    try:
        voice = speaker("en", patient.computer.find)
    except ConfigError as error:
        return Finding("note", f"speech: {str(error).removeprefix('--speak: ')}")
    return Finding("ok", f"speech: {voice.program}")
