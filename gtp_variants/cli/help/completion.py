"""The command `gtp-variants completion`: what makes Tab complete our words in a shell."""

import sys
from collections.abc import Sequence
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

_FISH_ACTIONS = {
    SPEC: "(__gtp_variants_specs)",
    FILE: "(__fish_complete_path)",
    FOLDER: "(__fish_complete_directories)",
    PROGRAM: "(__fish_complete_command)",
}

_FISH_SCRIPT = """\
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


def write_fish(load: CommandLoader, lang: str = "en") -> str:
    """The script to be sourced."""
    cases = [
        f"        case '{name}:*'\n            printf \"$head%s\\n\" {' '.join(map(_fish_quote, keys))}"
        for name, keys in spec_table().items()
    ]
    names = [
        f"complete -c gtp-variants -n __fish_use_subcommand -a {name} -d {_fish_quote(does(name, lang))}"
        for name in COMMANDS
    ]
    arguments = [line for command in describe_commands(load, lang) for line in _lines(command)]
    return _FISH_SCRIPT.format(
        spec_cases="\n".join(cases), games=" ".join(spec_table()), commands="\n".join([*names, *arguments])
    )


def _lines(command: CommandDescription) -> list[str]:
    begin = f"complete -c gtp-variants -n '__fish_seen_subcommand_from {' '.join(command.names)}'"
    options = [
        f"{begin} {_flags(option)}{_fish_value(option)} -d {_fish_quote(option.help)}" for option in command.options
    ]
    return [*options, *(f"{begin}{_fish_value(word, is_option=False)}" for word in command.words if _values(word))]


def _flags(option: Argument) -> str:
    def written(flag: str) -> str:
        return f"-l {flag[2:]}" if flag[:2] == "--" else f"-s {flag[1:]}" if len(flag) == 2 else f"-o {flag[1:]}"

    return " ".join(map(written, option.flags))


def _fish_value(argument: Argument, is_option: bool = True) -> str:
    if not argument.metavar:
        return ""
    values = f" -a {_fish_quote(' '.join(_values(argument)))}" if _values(argument) else ""
    return (" -r" if is_option else "") + values


def _values(argument: Argument) -> list[str]:
    return [*argument.words, *([_FISH_ACTIONS[argument.kind]] if argument.kind in _FISH_ACTIONS else [])]


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_ZSH_ACTIONS = {SPEC: "_gtp_variants_spec", FILE: "_files", FOLDER: "_files -/", PROGRAM: "_command_names -e"}

_ZSH_SCRIPT = """\
#compdef gtp-variants
# zsh completion of gtp-variants; written by `gtp-variants completion zsh`
_gtp_variants_spec() {{
  local -a found
  case $PREFIX in
{spec_cases}
    *) found=({games}); compadd -S '' -a found; return ;;
  esac
  compset -P '*[:,]'
  compadd -S '' -a found
}}
_gtp_variants() {{
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C '(- *)'{{-h,--help}}'[say what the commands are]' '(- *)'{{-V,--version}}'[print the version]' \\
    '1:command:->command' '*::argument:->argument'
  case $state in
  command)
    local -a commands
    commands=(
{commands}
    )
    _describe -t commands command commands ;;
  argument)
    case $words[1] in
{commands_cases}
    esac ;;
  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _gtp_variants "$@"
else
  compdef _gtp_variants gtp-variants
fi
"""


def write_zsh(load: CommandLoader, lang: str = "en") -> str:
    """The script: to be sourced, or a file `_gtp-variants` on zsh's `fpath`."""
    table = spec_table()
    return _ZSH_SCRIPT.format(
        spec_cases="\n".join(
            f"    {name}:*) found=({' '.join(map(_zsh_quote, keys))}) ;;" for name, keys in table.items()
        ),
        games=" ".join(table),
        commands="\n".join(f"      {_zsh_quote(f'{name}:{does(name, lang)}')}" for name in COMMANDS),
        commands_cases="\n".join(map(_zsh_case, describe_commands(load, lang))),
    )


def _zsh_case(command: CommandDescription) -> str:
    arguments = [each for option in command.options for each in _option(option)]
    arguments += [_word(place, word) for place, word in enumerate(command.words, 1)]
    return (
        f"    {'|'.join(command.names)})\n      _arguments -s "
        + " \\\n        ".join(map(_zsh_quote, arguments))
        + " ;;"
    )


def _option(option: Argument) -> list[str]:
    """One entry of `_arguments` for each way to write it."""
    value = f":{_escape(option.metavar)}:{_action(option)}" if option.metavar else ""
    return [f"{'*' if option.repeats else ''}{flag}[{_escape(option.help)}]{value}" for flag in option.flags]


def _word(place: int, word: Argument) -> str:
    return f"{'*' if word.repeats else place}:{_escape(word.help or word.metavar)}:{_action(word)}"


def _action(argument: Argument) -> str:
    words = f"({' '.join(argument.words)})" if argument.words else ""
    path = _ZSH_ACTIONS.get(argument.kind, "")
    if words and path:
        # Both: alternatives of `_alternative` need names.
        return f'_alternative "words:word:{words}" "paths:path:{path}"'
    return words or path or " "


def _escape(text: str) -> str:
    for letter in "\\[]:":
        text = text.replace(letter, f"\\{letter}")
    return text


def _zsh_quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_BASH_ACTIONS = {SPEC: "_gtp_variants_spec", FILE: "_gtp_variants_path -f", FOLDER: "_gtp_variants_path -d"}
_BASH_ACTIONS[PROGRAM] = "_gtp_variants_path -c"

# `:` and `=` part words in bash; what is completed is everything since the last blank, and only its last part replaced.
_BASH_SCRIPT = """\
# bash completion of gtp-variants; written by `gtp-variants completion bash`
_gtp_variants_words() {{
    COMPREPLY+=($(compgen -W "$1" -- "$cur"))
}}
_gtp_variants_path() {{
    compopt -o filenames 2>/dev/null
    local IFS=$'\\n'
    COMPREPLY+=($(compgen "$1" -- "$cur"))
}}
_gtp_variants_spec() {{
    local head tail
    case $cur in
{spec_cases}
    *:*) ;;
    *) compopt -o nospace 2>/dev/null; _gtp_variants_words {games} ;;
    esac
}}
_gtp_variants_keys() {{
    compopt -o nospace 2>/dev/null
    tail=${{cur##*[:,]}}
    head=${{cur%"$tail"}}
    COMPREPLY+=($(compgen -P "$head" -W "$1" -- "$tail"))
}}
_gtp_variants() {{
    local line=${{COMP_LINE:0:COMP_POINT}} cur previous command rest
    cur=${{line##*[[:space:]]}}
    read -r -a given <<<"${{line%"$cur"}}"
    command=${{given[1]:-}}
    previous=${{given[${{#given[@]}}-1]}}
    COMPREPLY=()
    if [[ ${{#given[@]}} -lt 2 ]]; then
        _gtp_variants_words {commands}
    else
        case $command in
{commands_cases}
        esac
    fi
    rest=${{cur%"${{cur##*[:=]}}"}}
    COMPREPLY=("${{COMPREPLY[@]#"$rest"}}")
}}
complete -F _gtp_variants gtp-variants
"""


def write_bash(load: CommandLoader, lang: str = "en") -> str:
    """The script to be sourced; bash shows no descriptions, so it is the same in every language."""
    table = spec_table()
    specs = [f"    {name}:*) _gtp_variants_keys {_bash_quote(keys)} ;;" for name, keys in table.items()]
    return _BASH_SCRIPT.format(
        spec_cases="\n".join(specs),
        games=_bash_quote(list(table)),
        commands=_bash_quote([*COMMANDS, "--help", "--version", "--lang"]),
        commands_cases="\n".join(map(_bash_case, describe_commands(load, lang))),
    )


def _bash_case(command: CommandDescription) -> str:
    options = _bash_quote([flag for option in command.options for flag in option.flags])
    values = [f"            {'|'.join(each.flags)}) {_bash_value(each)} ;;" for each in command.options if each.metavar]
    words = "; ".join(dict.fromkeys(_bash_value(each) for each in command.words)) or ":"
    lines = [
        f"        {'|'.join(command.names)})",
        "            case $previous in",
        *values,
        f"            *) if [[ $cur == -* ]]; then _gtp_variants_words {options}; else {words}; fi ;;",
        "            esac ;;",
    ]
    return "\n".join(lines)


def _bash_value(argument: Argument) -> str:
    """What completes the value of an argument."""
    words = [f"_gtp_variants_words {_bash_quote(list(argument.words))}"] if argument.words else []
    paths = [_BASH_ACTIONS[argument.kind]] if argument.kind in _BASH_ACTIONS else []
    return "; ".join([*words, *paths]) or ":"


def _bash_quote(words: list[str]) -> str:
    return quote(" ".join(words))


SHELLS = {"bash": write_bash, "zsh": write_zsh, "fish": write_fish}


def main(arguments: Sequence[str], load: CommandLoader) -> int:
    """Print the script for a shell."""
    options = parser().parse_args(arguments)
    sys.stdout.write(SHELLS[options.shell](load, language_of(options)))
    return DONE


def parser() -> CommandParser:
    """The command's options."""
    made = CommandParser("completion")
    made.add_argument("shell", choices=tuple(SHELLS))
    return made
