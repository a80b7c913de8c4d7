"""The commands of `gtp-variants`, which combine all the other parts of the package.

Only the module of the command that is called is imported, because a GUI starts `gtp` several times for one window.
"""

import codecs
import os
import sys
import unicodedata
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

from gtp_variants._version import __version__
from gtp_variants.cli.commands import COMMANDS, DONE, INTERRUPTED, WRONG, CommandFunctions, complete_name, run_command
from gtp_variants.errors import VariantsError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. Without arguments, print the list of commands."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    try:
        status = _run(words)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader, such as `head`, has closed the pipe, because it has read enough.
        return DONE
    except (OSError, VariantsError) as error:
        from gtp_variants.records.files import complain

        return complain(" ".join(complete_name(word) or word for word in words[:1]), error, _language(words))
    finally:
        _finish_output()


def _finish_output() -> None:
    """Flush standard output, and discard output that cannot be written, which Python would try to write at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        from gtp_variants.records.files import drop_output

        drop_output()


def _prepare_streams() -> None:
    """Open the null device for closed standard streams, and replace characters that an encoding lacks."""
    codecs.register_error("plain", _write_plainly)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open until the program ends
        elif name != "stderr" and isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="plain" if name == "stdout" else "replace")


def _write_plainly(error: UnicodeError) -> tuple[str, int]:
    """Return letters without their accents, `?` for other characters, and the place at which to continue."""
    assert isinstance(error, UnicodeEncodeError)
    letters = unicodedata.normalize("NFKD", error.object[error.start : error.end])
    return "".join(each if each.isascii() else "?" for each in letters if not unicodedata.combining(each)), error.end


def _run(words: list[str]) -> int:
    if words in (["--version"], ["-V"]):
        from gtp_variants.ai.backend import search_backend

        sys.stdout.write(f"gtp-variants {__version__}, {search_backend()} search\n")
        return DONE
    if words[:1] == ["--lang"]:
        # Every command understands `COMMAND --lang fr`, so put the command first.
        words = [*(words[2:3] or ["help"]), *words[:2], *words[3:]]
    if words[:1] in (["--help"], ["-h"]):
        words = ["help", *words[1:]]
    if not words:
        from gtp_variants.cli.help.page import overview

        sys.stderr.write(overview(_language(words)))
        return WRONG
    name = complete_name(words[0])
    if name is None:
        from gtp_variants.cli.help.page import unknown_command

        sys.stderr.write(unknown_command(words[0], _language(words)))
        return WRONG
    return run_command(name, words[1:], load_command)


def _language(words: Sequence[str]) -> str:
    """Return the language for an error message: the language after `--lang`, or else the system language."""
    from gtp_variants.cli.parser import asked_language
    from gtp_variants.lang import system_language

    return asked_language(words) or system_language()


def load_command(name: str) -> CommandFunctions:
    """Import the module of a command, and return the command's functions."""
    module, _, inside = COMMANDS[name].place.partition(":")
    found = import_module(f"gtp_variants.cli.{module}")
    if inside:
        command: CommandFunctions = getattr(found, inside)
        return command
    return CommandFunctions(found.main, found.parser)
