"""Completion in fish."""

from gtp_variants.cli.commands import ALIASES, COMMANDS, CommandLoader
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

_ACTIONS = {
    SPEC: "(__gtp_variants_specs)",
    FILE: "(__fish_complete_path)",
    FOLDER: "(__fish_complete_directories)",
    PROGRAM: "(__fish_complete_command)",
}

_SCRIPT = """\
# fish completion of gtp-variants; written by `gtp-variants completion fish`
function __gtp_variants_specs
    set -l word (commandline -ct)
    set -l head (string replace -r '[^:,]*$' '' -- $word)
    switch $word
{spec_cases}
        case '*'
            printf '%s\\n' {games}
    end
end
complete -c gtp-variants -f
complete -c gtp-variants -n __fish_use_subcommand -s V -l version -d 'print the version'
complete -c gtp-variants -n __fish_use_subcommand -s h -l help -d 'say what the commands are'
{commands}
"""


def write_completion(load: CommandLoader, lang: str = "en") -> str:
    """The script to be sourced."""
    cases = [
        f"        case '{name}:*'\n            printf \"$head%s\\n\" {' '.join(map(_quote, keys))}"
        for name, keys in spec_table().items()
    ]
    names = [
        f"complete -c gtp-variants -n __fish_use_subcommand -a {name} -d {_quote(does(name, lang))}"
        for name in COMMANDS
    ]
    arguments = [line for command in describe_commands(load, lang) for line in _lines(command)]
    return _SCRIPT.format(
        spec_cases="\n".join(cases), games=" ".join(spec_table()), commands="\n".join([*names, *arguments])
    )


def _lines(command: CommandDescription) -> list[str]:
    names = [command.name, *(alias for alias, name in ALIASES.items() if name == command.name)]
    begin = f"complete -c gtp-variants -n '__fish_seen_subcommand_from {' '.join(names)}'"
    options = [f"{begin} {_flags(option)}{_value(option)} -d {_quote(option.help)}" for option in command.options]
    return [*options, *(f"{begin}{_value(word, is_option=False)}" for word in command.words if _values(word))]


def _flags(option: Argument) -> str:
    def written(flag: str) -> str:
        return f"-l {flag[2:]}" if flag[:2] == "--" else f"-s {flag[1:]}" if len(flag) == 2 else f"-o {flag[1:]}"

    return " ".join(map(written, option.flags))


def _value(argument: Argument, is_option: bool = True) -> str:
    if not argument.metavar:
        return ""
    values = f" -a {_quote(' '.join(_values(argument)))}" if _values(argument) else ""
    return (" -r" if is_option else "") + values


def _values(argument: Argument) -> list[str]:
    return [*argument.words, *([_ACTIONS[argument.kind]] if argument.kind in _ACTIONS else [])]


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
