"""Descriptions of commands, taken from their parsers, for completion, man pages and the reference."""

import argparse
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gtp_variants.cli.commands import COMMANDS, CommandLoader
from gtp_variants.cli.help.page import does
from gtp_variants.cli.parser import CommandParser
from gtp_variants.rules import GAMES, game_class
from gtp_variants.rules.rules import Rules

# Kinds of values, and the kind that each metavar stands for.
SPEC, FILE, FOLDER, PROGRAM, TEXT = "spec", "file", "folder", "program", "text"
_KINDS = {
    "SPEC": SPEC,
    **dict.fromkeys(("FILE", "RECORD", "MATCH", "PAGE", "GAME"), FILE),
    **dict.fromkeys(("FOLDER", "DIR"), FOLDER),
    **dict.fromkeys(("COMMAND...", "COMMAND"), PROGRAM),
}


class Argument(NamedTuple):
    """An option, or a positional argument, which has no `flags`.

    The `metavar` is "" for a switch. `words` are the accepted or the most common values, and `kind` is the kind of any
    other values. `repeats` is True if the argument may be given several times.
    """

    flags: tuple[str, ...]
    metavar: str
    help: str
    words: tuple[str, ...]
    kind: str
    repeats: bool


class CommandDescription(NamedTuple):
    """A command with its texts and arguments."""

    name: str
    does: str
    about: str
    usage: tuple[str, ...]
    epilog: str
    options: tuple[Argument, ...]
    words: tuple[Argument, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The command's name and its former names."""
        return self.name, *COMMANDS[self.name].aliases


def describe_command(load: CommandLoader, name: str, lang: str = "en") -> CommandDescription:
    """Describe one command in a language."""
    parser = load(name).parser()
    assert isinstance(parser, CommandParser)
    kinds = {id(action): _KINDS.get(str(action.metavar), TEXT) for action in parser._actions}
    parser.translate(lang)
    shown = (action for action in parser._actions if action.help != argparse.SUPPRESS)
    found = [_argument(action, parser, kinds[id(action)]) for action in shown]
    return CommandDescription(
        name,
        does(name, lang),
        parser.description or "",
        tuple(_usage(parser)),
        parser.epilog or "",
        tuple(each for each in found if each.flags),
        tuple(each for each in found if not each.flags),
    )


def spec_keys(game: type[Rules]) -> list[str]:
    """Return the items that may follow `NAME:` in a SPEC: `key=value` for words, and `key=` before other values."""
    found = []
    for option in game.options:
        words = option.words()
        takes_more = option.kind not in ("bool", "choice")
        found += [f"{option.key}={word}" for word in words] + ([f"{option.key}="] if takes_more else [])
    shorthands = [f"{key}=" for key in game.options.shorthands]
    return [*found, *shorthands, *(f"rules={name}" for name in game.options.rule_sets)]


def spec_table() -> dict[str, list[str]]:
    """Return, for each game by its name, the items that may follow the name in a SPEC."""
    return {name: spec_keys(game_class(name)) for name in GAMES}


def _usage(parser: CommandParser) -> Iterator[str]:
    """Yield the lines of the usage. The text from argparse would differ between Python versions."""
    if parser.usage is not None:
        yield from (line.strip() for line in (parser.usage % {"prog": parser.prog}).splitlines())
        return
    words = [_place(action) for action in parser._actions if not action.option_strings]
    yield " ".join([parser.prog, "[OPTIONS]", *words])


def _place(action: argparse.Action) -> str:
    word = str(action.metavar or "|".join(map(str, action.choices or ())))
    return {"?": f"[{word}]", "*": f"[{word}...]", "+": f"{word}..."}.get(str(action.nargs), word)


def _argument(action: argparse.Action, parser: CommandParser, kind: str) -> Argument:
    takes = action.nargs != 0
    choices: Sequence[str] = [str(each) for each in action.choices or ()]
    words = tuple(dict.fromkeys([*choices, *parser.suggested.get(action.dest, ())]))
    repeats = action.nargs in ("*", "+", argparse.REMAINDER) or isinstance(action, argparse._AppendAction)
    about = (action.help or "") % vars(action) if "%" in (action.help or "") else action.help or ""
    metavar = str(action.metavar or "|".join(choices)) if takes else ""
    return Argument(tuple(action.option_strings), metavar, about, words, TEXT if choices else kind, repeats)
