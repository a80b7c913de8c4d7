# fish completion of gtp-variants; written by `gtp-variants completion fish`
function __gtp_variants_specs
    set -l word (commandline -ct)
    set -l head (string replace -r '[^:,]*$' '' -- $word)
    switch $word
@spec_cases@
        case '*'
            printf '%s\n' @games@
    end
end
complete -c gtp-variants -f
complete -c gtp-variants -n __fish_use_subcommand -s V -l version -d 'print the version'
complete -c gtp-variants -n __fish_use_subcommand -s h -l help -d 'say what the commands are'
@commands@
