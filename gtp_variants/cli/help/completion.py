"""The command `gtp-variants completion`, which prints scripts to complete our command lines in bash, zsh and fish."""

import re
import sys
from collections.abc import Iterable, Sequence
from importlib.resources import files
from shlex import quote

from gtp_variants.cli.commands import COMMANDS, DONE, CommandLoader
from gtp_variants.cli.help.description import (
    FILE,
    FOLDER,
    PROGRAM,
    SPEC,
    Argument,
    CommandDescription,
    describe_commands,
    spec_table,
)
from gtp_variants.cli.help.page import does
from gtp_variants.cli.parser import CommandParser, language_of


def _fill(shell: str, **parts: str) -> str:
    """Return the script for a shell, with its `@placeholders@` filled."""
    script = (files("gtp_variants.cli.help") / f"completion.{shell}").read_text(encoding="utf-8")
    for place, text in parts.items():
        script = script.replace(f"@{place}@", text)
    return script


_FISH_ACTIONS = {
    SPEC: "(__gtp_variants_specs)",
    FILE: "(__fish_complete_path)",
    FOLDER: "(__fish_complete_directories)",
    PROGRAM: "(__fish_complete_command)",
}


def write_fish(load: CommandLoader, lang: str = "en") -> str:
    """Return the script for fish, to be sourced."""
    table = spec_table()
    cases = [
        f"        case '{name}:*'\n            printf \"$head%s\\n\" {' '.join(map(_fish_quote, keys))}"
        for name, keys in table.items()
    ]
    names = [
        f"complete -c gtp-variants -n __fish_use_subcommand -a {name} -d {_fish_quote(does(name, lang))}"
        for name in COMMANDS
    ]
    arguments = [line for command in describe_commands(load, lang) for line in _fish_lines(command)]
    commands = "\n".join([*names, *arguments])
    return _fill("fish", spec_cases="\n".join(cases), games=" ".join(table), commands=commands)


def _fish_lines(command: CommandDescription) -> list[str]:
    begin = f"complete -c gtp-variants -n '__fish_seen_subcommand_from {' '.join(command.names)}'"
    lines = []
    for option in command.options:
        flags = " ".join(map(_fish_flag, option.flags))
        value = f" -r{_fish_values(option)}" if option.metavar else ""
        lines.append(f"{begin} {flags}{value} -d {_fish_quote(option.help)}")
    return [*lines, *(f"{begin}{values}" for word in command.words if (values := _fish_values(word)))]


def _fish_flag(flag: str) -> str:
    return f"-l {flag[2:]}" if flag[:2] == "--" else f"-s {flag[1:]}" if len(flag) == 2 else f"-o {flag[1:]}"


def _fish_values(argument: Argument) -> str:
    words = " ".join(filter(None, (*argument.words, _FISH_ACTIONS.get(argument.kind))))
    return f" -a {_fish_quote(words)}" if words else ""


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_ZSH_ACTIONS = {SPEC: "_gtp_variants_spec", FILE: "_files", FOLDER: "_files -/", PROGRAM: "_command_names -e"}


def write_zsh(load: CommandLoader, lang: str = "en") -> str:
    """Return the script for zsh. It can be sourced, or saved as `_gtp-variants` in a folder on the `fpath`."""
    table = spec_table()
    return _fill(
        "zsh",
        spec_cases="\n".join(
            f"    {name}:*) found=({' '.join(map(_zsh_quote, keys))}) ;;" for name, keys in table.items()
        ),
        games=" ".join(table),
        commands="\n".join(f"      {_zsh_quote(f'{name}:{does(name, lang)}')}" for name in COMMANDS),
        commands_cases="\n".join(map(_zsh_case, describe_commands(load, lang))),
    )


def _zsh_case(command: CommandDescription) -> str:
    arguments = [each for option in command.options for each in _option(option)]
    arguments += [
        f"{'*' if word.repeats else place}:{_escape(word.help or word.metavar)}:{_action(word)}"
        for place, word in enumerate(command.words, 1)
    ]
    listed = " \\\n        ".join(map(_zsh_quote, arguments))
    return f"    {'|'.join(command.names)})\n      _arguments -s {listed} ;;"


def _option(option: Argument) -> list[str]:
    """Return an entry of `_arguments` for each flag of an option."""
    value = f":{_escape(option.metavar)}:{_action(option)}" if option.metavar else ""
    return [f"{'*' if option.repeats else ''}{flag}[{_escape(option.help)}]{value}" for flag in option.flags]


def _action(argument: Argument) -> str:
    words = f"({' '.join(argument.words)})" if argument.words else ""
    path = _ZSH_ACTIONS.get(argument.kind, "")
    if words and path:
        # `_alternative` tries both alternatives, and requires a name for each.
        return f'_alternative "words:word:{words}" "paths:path:{path}"'
    return words or path or " "


def _escape(text: str) -> str:
    return re.sub(r"([\\\[\]:])", r"\\\1", text)


def _zsh_quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_BASH_ACTIONS = {
    SPEC: "_gtp_variants_spec",
    FILE: "_gtp_variants_path -f",
    FOLDER: "_gtp_variants_path -d",
    PROGRAM: "_gtp_variants_path -c",
}


def write_bash(load: CommandLoader, lang: str = "en") -> str:
    """Return the script for bash, to be sourced. It is the same in every language, because it has no descriptions."""
    table = spec_table()
    specs = [f"    {name}:*) _gtp_variants_keys {_bash_quote(keys)} ;;" for name, keys in table.items()]
    return _fill(
        "bash",
        spec_cases="\n".join(specs),
        games=_bash_quote(table),
        commands=_bash_quote([*COMMANDS, "--help", "--version", "--lang"]),
        commands_cases="\n".join(map(_bash_case, describe_commands(load, lang))),
    )


def _bash_case(command: CommandDescription) -> str:
    options = _bash_quote([flag for option in command.options for flag in option.flags])
    values = [f"            {'|'.join(each.flags)}) {_bash_value(each)} ;;" for each in command.options if each.metavar]
    words = "; ".join(dict.fromkeys(map(_bash_value, command.words))) or ":"
    rest = f"            *) if [[ $cur == -* ]]; then _gtp_variants_words {options}; else {words}; fi ;;"
    head = [f"        {'|'.join(command.names)})", "            case $previous in"]
    return "\n".join([*head, *values, rest, "            esac ;;"])


def _bash_value(argument: Argument) -> str:
    """Return the shell commands that complete the value of an argument."""
    words = f"_gtp_variants_words {_bash_quote(argument.words)}" if argument.words else ""
    return "; ".join(filter(None, (words, _BASH_ACTIONS.get(argument.kind)))) or ":"


def _bash_quote(words: Iterable[str]) -> str:
    return quote(" ".join(words))


SHELLS = {"bash": write_bash, "zsh": write_zsh, "fish": write_fish}


def main(arguments: Sequence[str], load: CommandLoader) -> int:
    """Print the script for a shell."""
    options = parser().parse_args(arguments)
    sys.stdout.write(SHELLS[options.shell](load, language_of(options)))
    return DONE


def parser() -> CommandParser:
    made = CommandParser("completion")
    made.add_argument("shell", choices=tuple(SHELLS))
    return made
