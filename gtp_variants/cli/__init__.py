"""The commands of `gtp-variants`: the only place that wires everything together.

A GUI starts `gtp` several times for one window, so a command's module is imported when it is called, and no other.
"""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.errors import VariantsError

# Name -> the module whose `main(arguments)` runs it and answers the exit status, how it is called, what it does.
COMMANDS = {
    "gtp": (
        "cli.engines.gtp",
        "[SPEC] [--bot NAME] [--seed TEXT] ...",
        "speak the Go Text Protocol on standard input and output",
    ),
    "gui": (
        "cli.play.gui",
        "[SPEC] [--level N] [--run] ...",
        "say how to play in GoGui and Sabaki, or start GoGui",
    ),
    "doctor": ("cli.play.doctor", "", "say what is wrong on this computer"),
    "adapt": ("cli.engines.adapt", "SPEC -- COMMAND...", "make an engine that knows only Go play Aléago or Alter Igo"),
    "check": (
        "cli.engines.check",
        "COMMAND...",
        "tell what a GTP engine can do here, how fast it is and what is wrong with it",
    ),
    "match": (
        "cli.compete.match",
        "FILE [ACTION] | --variant SPEC --player A --player B",
        "let bots and programs meet, as a YAML file or the command line says",
    ),
    "play": (
        "cli.play.play",
        "[SPEC] [--bot NAME] [--as COLOUR] [--two] ...",
        "play a game in the terminal",
    ),
    "serve": ("cli.play.serve", "[SPEC] [--host HOST] [--port PORT] ...", "open a page to play and watch in a browser"),
    "referee": (
        "cli.play.referee",
        "[phantom] [--speak] ...",
        "referee Go Fantôme for two people with real boards",
    ),
    "bridge": (
        "cli.compete.bridge",
        "FILE [check] [--watch]",
        "log a bot in on a Go server (CGOS, NNGS, IGS, KGS) and keep it playing",
    ),
    "server": (
        "cli.compete.server",
        "[SPEC...] [--host HOST] [--port PORT] ...",
        "let bots play over the network, as on CGOS",
    ),
    "verify": ("cli.records.verify", "RECORD", "check a game's moves, dice and commitment"),
    "rules": ("cli.play.rules", "SPEC [--lang fr]", "the rules of a game with its options, in words"),
    "show": ("cli.records.show", "RECORD [--move N] [--svg FILE] ...", "show a position of a recorded game"),
    "replay": ("cli.records.replay", "RECORD", "step through a recorded game in the terminal"),
    "dice": ("cli.play.dice", "DICE", "throw dice for a game at a real board, with a log anybody can check"),
    "bench": ("cli.engines.bench", "", "measure how fast the search thinks on this computer"),
}

_USAGE = """\
usage: gtp-variants COMMAND ...

{commands}

gtp-variants COMMAND --help tells more; --version prints the version.
A SPEC names a game and its options: aleago:size=9,dice=1d4
"""
_COLUMN = 44
# The exit status of a program that Ctrl-C ended, as shells have it.
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status, 2 where it raises why it cannot do it. Without arguments, print the usage."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    try:
        status = _run(words)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Nobody need read to the end.
        return 0
    except (OSError, VariantsError) as error:
        from gtp_variants.records.files import complain

        return complain(" ".join(words[:1]), error)
    finally:
        _finish_output()


def _finish_output() -> None:
    """Write what waits; what standard output does not take is dropped, or Python would try again when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        from gtp_variants.records.files import drop_output

        drop_output()


def _prepare_streams() -> None:
    """A standard stream that is closed gives nothing and takes everything; a letter that one does not know is a `?`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for as long as we run
        elif name != "stderr" and isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _run(words: list[str]) -> int:
    if words in (["--version"], ["-V"]):
        from gtp_variants.backend import search_backend

        sys.stdout.write(f"gtp-variants {__version__}, {search_backend()} search\n")
        return 0
    if words and words[0] in COMMANDS:
        return _main_of(words[0])(words[1:])
    asked = words in (["--help"], ["-h"], ["help"])
    if words and not asked:
        sys.stderr.write(f"gtp-variants: unknown command {words[0][:40]!r}\n")
    (sys.stdout if asked else sys.stderr).write(usage())
    return 0 if asked else 2


def usage() -> str:
    """All commands, a line each."""
    lines = []
    for name, (_, form, does) in COMMANDS.items():
        called = f"  {name} {form}".rstrip()
        lines.append(f"{called:<{_COLUMN}}  {does}" if len(called) <= _COLUMN else f"{called}\n{'':<{_COLUMN}}  {does}")
    return _USAGE.format(commands="\n".join(lines))


def _main_of(command: str) -> Callable[[Sequence[str]], int]:
    try:
        main: Callable[[Sequence[str]], int] = import_module(f"gtp_variants.{COMMANDS[command][0]}").main
    except KeyboardInterrupt:
        # As if it had come a moment later: nothing was begun.
        raise SystemExit(2) from None
    return main
