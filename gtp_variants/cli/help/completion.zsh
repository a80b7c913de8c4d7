{% autoescape false %}
{# For each kind of value that the shell completes by itself, the words for it. #}
{% set actions = {
    "spec": "_gtp_variants_spec",
    "file": "_files",
    "folder": "_files -/",
    "program": "_command_names -e",
} %}
{% macro value(each) %}
{% set words, path = "(%s)" | format(each.words | join(" ")) if each.words else "", actions.get(each.kind, "") %}
{# `_alternative` tries both alternatives, and requires a name for each. #}
{{- '_alternative "words:word:%s" "paths:path:%s"' | format(words, path) if words and path else words or path or " " -}}
{% endmacro %}
{% macro option(each, flag) -%}
{{ "*" if each.repeats }}{{ flag }}[{{ escape(each.help) }}]{% if each.metavar %}:{{ escape(each.metavar) }}:{{ value(each) }}{% endif %}
{%- endmacro %}
{% macro word(each, place) -%}
{{ "*" if each.repeats else place }}:{{ escape(each.help or each.metavar) }}:{{ value(each) }}
{%- endmacro %}
#compdef gtp-variants
# zsh completion of gtp-variants; written by `gtp-variants completion zsh`
_gtp_variants_spec() {
  local -a found
  case $PREFIX in
{% for name, keys in table.items() %}
    {{ name }}:*) found=({{ quoted(keys) }}) ;;
{% endfor %}
    *) found=({{ table | join(" ") }}); compadd -S '' -a found; return ;;
  esac
  compset -P '*[:,]'
  compadd -S '' -a found
}
_gtp_variants() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[say what the commands are]' '(- *)'{-V,--version}'[print the version]' \
    '1:command:->command' '*::argument:->argument'
  case $state in
  command)
    local -a commands
    commands=(
{% for command in commands %}
      {{ quoted([command.name + ":" + command.does]) }}
{% endfor %}
    )
    _describe -t commands command commands ;;
  argument)
    case $words[1] in
{% for command in commands %}
    {{ command.names | join("|") }})
      _arguments -s {% for each in command.options %}{% set is_first = loop.first %}{% for flag in each.flags %}
{{- "" if is_first and loop.first else " \\\n        " }}{{ quoted([option(each, flag)]) }}
{%- endfor %}{% endfor %}{% for each in command.words %}
{{- " \\\n        " }}{{ quoted([word(each, loop.index)]) }}
{%- endfor %} ;;
{% endfor %}
    esac ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _gtp_variants "$@"
else
  compdef _gtp_variants gtp-variants
fi
{% endautoescape %}
