"""The parser every command has: options in one style, `--lang`, examples, and at most four lines for what is wrong."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from gtp_variants.cli.commands import COMMANDS
from gtp_variants.cli.exit_status import WRONG
from gtp_variants.rules import words

_UNRECOGNIZED = "unrecognized arguments: "
_LONGEST = 400


class CommandParser(argparse.ArgumentParser):
    """The parser of one command by its name in the table.

    `suggested` says which words an argument commonly takes, by its `dest`: for completion only, nothing is refused.
    """

    def __init__(
        self,
        command: str,
        description: str,
        *,
        epilog: str = "",
        usage: str | None = None,
        languages: Sequence[str] = words.LANGUAGES,
    ) -> None:
        super().__init__(
            prog=f"gtp-variants {command}",
            usage=usage,
            description=description,
            epilog="\n\n".join(filter(None, (epilog.strip("\n"), _examples(command)))) or None,
            formatter_class=_HelpFormatter,
        )
        self.suggested: dict[str, Sequence[str]] = {}
        self.add_argument("--lang", choices=languages, help="language of what people read (default: the system's)")

    def error(self, message: str) -> NoReturn:
        """Say in two lines what is wrong and where more is told, instead of the whole usage."""
        if len(message) > _LONGEST:
            message = f"{message[: _LONGEST - 1]}…"
        near = self._did_you_mean(message.removeprefix(_UNRECOGNIZED)) if message.startswith(_UNRECOGNIZED) else ""
        command = " ".join(self.prog.split()[1:2])
        sys.stderr.write(f"{self.prog}: {message}{near}\n`gtp-variants help {command}` tells what can be given\n")
        raise SystemExit(WRONG)

    def _did_you_mean(self, given: str) -> str:
        option = given.split()[0].partition("=")[0]
        return words.did_you_mean(option, list(self._option_string_actions)) if option[:1] == "-" else ""


class _HelpFormatter(argparse.HelpFormatter):
    """A text with lines of its own keeps them, another is wrapped."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return "".join(f"{indent}{line}" for line in text.splitlines(keepends=True))
        return super()._fill_text(text, width, indent)


def _examples(command: str) -> str:
    name = command.split()[0]
    examples = COMMANDS[name].examples if name == command else ()
    return "\n".join(["examples:", *(f"  gtp-variants {example}" for example in examples)]) if examples else ""


def language_of(options: argparse.Namespace) -> str:
    """The language that was asked for, or the system's."""
    from gtp_variants.lang.system_language import system_language

    return options.lang or system_language()
