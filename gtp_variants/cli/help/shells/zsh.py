"""Completion in zsh, by `_arguments`."""

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

_ACTIONS = {SPEC: "_gtp_variants_spec", FILE: "_files", FOLDER: "_files -/", PROGRAM: "_command_names -e"}

_SCRIPT = """\
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


def write_completion(load: CommandLoader, lang: str = "en") -> str:
    """The script: to be sourced, or a file `_gtp-variants` on zsh's `fpath`."""
    table = spec_table()
    return _SCRIPT.format(
        spec_cases="\n".join(f"    {name}:*) found=({' '.join(map(_quote, keys))}) ;;" for name, keys in table.items()),
        games=" ".join(table),
        commands="\n".join(f"      {_quote(f'{name}:{does(name, lang)}')}" for name in COMMANDS),
        commands_cases="\n".join(map(_case, describe_commands(load, lang))),
    )


def _case(command: CommandDescription) -> str:
    names = [command.name, *(alias for alias, name in ALIASES.items() if name == command.name)]
    arguments = [each for option in command.options for each in _option(option)]
    arguments += [_word(place, word) for place, word in enumerate(command.words, 1)]
    return f"    {'|'.join(names)})\n      _arguments -s " + " \\\n        ".join(map(_quote, arguments)) + " ;;"


def _option(option: Argument) -> list[str]:
    """One entry of `_arguments` for each way to write it."""
    value = f":{_escape(option.metavar)}:{_action(option)}" if option.metavar else ""
    return [f"{'*' if option.repeats else ''}{flag}[{_escape(option.help)}]{value}" for flag in option.flags]


def _word(place: int, word: Argument) -> str:
    return f"{'*' if word.repeats else place}:{_escape(word.help or word.metavar)}:{_action(word)}"


def _action(argument: Argument) -> str:
    words = f"({' '.join(argument.words)})" if argument.words else ""
    path = _ACTIONS.get(argument.kind, "")
    if words and path:
        # Both: alternatives of `_alternative` need names.
        return f'_alternative "words:word:{words}" "paths:path:{path}"'
    return words or path or " "


def _escape(text: str) -> str:
    for letter in "\\[]:":
        text = text.replace(letter, f"\\{letter}")
    return text


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
