{% autoescape false %}
{# For each kind of value that the shell completes by itself, the words for it. #}
{% set actions = {
    "spec": "_gtp_variants_spec",
    "file": "_gtp_variants_path -f",
    "folder": "_gtp_variants_path -d",
    "program": "_gtp_variants_path -c",
} %}
{% macro value(each) %}
{% set words = ["_gtp_variants_words " + quoted(each.words)] if each.words else [] %}
{{- (words + ([actions[each.kind]] if each.kind in actions else [])) | join("; ") or ":" -}}
{% endmacro %}
# bash completion of gtp-variants; written by `gtp-variants completion bash`
_gtp_variants_words() {
    COMPREPLY+=($(compgen -W "$1" -- "$cur"))
}
_gtp_variants_path() {
    compopt -o filenames 2>/dev/null
    local IFS=$'\n'
    COMPREPLY+=($(compgen "$1" -- "$cur"))
}
_gtp_variants_spec() {
    local head tail
    case $cur in
{% for name, keys in table.items() %}
    {{ name }}:*) _gtp_variants_keys {{ quoted(keys) }} ;;
{% endfor %}
    *:*) ;;
    *) compopt -o nospace 2>/dev/null; _gtp_variants_words {{ quoted(table) }} ;;
    esac
}
_gtp_variants_keys() {
    compopt -o nospace 2>/dev/null
    tail=${cur##*[:,]}
    head=${cur%"$tail"}
    COMPREPLY+=($(compgen -P "$head" -W "$1" -- "$tail"))
}
_gtp_variants() {
    local line=${COMP_LINE:0:COMP_POINT} cur previous command rest
    cur=${line##*[[:space:]]}
    read -r -a given <<<"${line%"$cur"}"
    command=${given[1]:-}
    previous=${given[{{ "${#" }}given[@]}-1]}
    COMPREPLY=()
    if [[ {{ "${#" }}given[@]} -lt 2 ]]; then
        _gtp_variants_words {{ quoted(commands | map(attribute="name") | list + ["--help", "--version", "--lang"]) }}
    else
        case $command in
{% for command in commands %}
        {{ command.names | join("|") }})
            case $previous in
{% for each in command.options if each.metavar %}
            {{ each.flags | join("|") }}) {{ value(each) }} ;;
{% endfor %}
{% set words = namespace(all=[]) %}
{% for each in command.words %}{% set words.all = words.all + [value(each)] %}{% endfor %}
            *) if [[ $cur == -* ]]; then _gtp_variants_words {{ quoted(command.options | map(attribute="flags") | sum(start=())) }}; else {{ words.all | unique(true) | join("; ") or ":" }}; fi ;;
            esac ;;
{% endfor %}
        esac
    fi
    # bash also splits words at `:` and `=`, so remove the part that it keeps from each completion.
    rest=${cur%"${cur##*[:=]}"}
    COMPREPLY=("${COMPREPLY[@]#"$rest"}")
}
complete -F _gtp_variants gtp-variants
{% endautoescape %}
