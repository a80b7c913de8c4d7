"""Completion in bash, version 4 or newer, without the package bash-completion."""

from shlex import quote

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

_ACTIONS = {SPEC: "_gtp_variants_spec", FILE: "_gtp_variants_path -f", FOLDER: "_gtp_variants_path -d"}
_ACTIONS[PROGRAM] = "_gtp_variants_path -c"

# `:` and `=` part words in bash; what is completed is everything since the last blank, and only its last part replaced.
_SCRIPT = """\
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


def write_completion(load: CommandLoader, lang: str = "en") -> str:
    """The script to be sourced; bash shows no descriptions, so it is the same in every language."""
    table = spec_table()
    specs = [f"    {name}:*) _gtp_variants_keys {_quote(keys)} ;;" for name, keys in table.items()]
    return _SCRIPT.format(
        spec_cases="\n".join(specs),
        games=_quote(list(table)),
        commands=_quote([*COMMANDS, "--help", "--version", "--lang"]),
        commands_cases="\n".join(map(_case, describe_commands(load, lang))),
    )


def _case(command: CommandDescription) -> str:
    names = [command.name, *(alias for alias, name in ALIASES.items() if name == command.name)]
    options = _quote([flag for option in command.options for flag in option.flags])
    values = [f"            {'|'.join(each.flags)}) {_value(each)} ;;" for each in command.options if each.metavar]
    words = "; ".join(dict.fromkeys(_value(each) for each in command.words)) or ":"
    lines = [
        f"        {'|'.join(names)})",
        "            case $previous in",
        *values,
        f"            *) if [[ $cur == -* ]]; then _gtp_variants_words {options}; else {words}; fi ;;",
        "            esac ;;",
    ]
    return "\n".join(lines)


def _value(argument: Argument) -> str:
    """What completes the value of an argument."""
    words = [f"_gtp_variants_words {_quote(list(argument.words))}"] if argument.words else []
    paths = [_ACTIONS[argument.kind]] if argument.kind in _ACTIONS else []
    return "; ".join([*words, *paths]) or ":"


def _quote(words: list[str]) -> str:
    return quote(" ".join(words))
