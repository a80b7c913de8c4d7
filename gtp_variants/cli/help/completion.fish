{% autoescape false %}
{# For each kind of value that the shell completes by itself, the words for it. #}
{% set actions = {
    "spec": "(__gtp_variants_specs)",
    "file": "(__fish_complete_path)",
    "folder": "(__fish_complete_directories)",
    "program": "(__fish_complete_command)",
} %}
{% macro values(each) %}
{% set found = each.words | list + ([actions[each.kind]] if each.kind in actions else []) %}
{{- " -a " + quoted([found | join(" ")]) if found -}}
{% endmacro %}
# fish completion of gtp-variants; written by `gtp-variants completion fish`
function __gtp_variants_specs
    set -l word (commandline -ct)
    set -l head (string replace -r '[^:,]*$' '' -- $word)
    switch $word
{% for name, keys in table.items() %}
        case '{{ name }}:*'
            printf "$head%s\n" {{ quoted(keys) }}
{% endfor %}
        case '*'
            printf '%s\n' {{ table | join(" ") }}
    end
end
complete -c gtp-variants -f
complete -c gtp-variants -n __fish_use_subcommand -s V -l version -d 'print the version'
complete -c gtp-variants -n __fish_use_subcommand -s h -l help -d 'say what the commands are'
{% for command in commands %}
complete -c gtp-variants -n __fish_use_subcommand -a {{ command.name }} -d {{ quoted([command.does]) }}
{% endfor %}
{% for command in commands %}
{% set begin = "complete -c gtp-variants -n '__fish_seen_subcommand_from %s'" | format(command.names | join(" ")) %}
{% for each in command.options %}
{{ begin }}{% for flag in each.flags %} {{ "-l " + flag[2:] if flag[:2] == "--" else "-s " + flag[1:] if flag | length == 2 else "-o " + flag[1:] }}{% endfor %}{% if each.metavar %} -r{{ values(each) }}{% endif %} -d {{ quoted([each.help]) }}
{% endfor %}
{% for each in command.words if values(each) %}
{{ begin }}{{ values(each) }}
{% endfor %}
{% endfor %}
{% endautoescape %}
