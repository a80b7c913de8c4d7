#compdef gtp-variants
# zsh completion of gtp-variants; written by `gtp-variants completion zsh`
_gtp_variants_spec() {
  local -a found
  case $PREFIX in
@spec_cases@
    *) found=(@games@); compadd -S '' -a found; return ;;
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
@commands@
    )
    _describe -t commands command commands ;;
  argument)
    case $words[1] in
@commands_cases@
    esac ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _gtp_variants "$@"
else
  compdef _gtp_variants gtp-variants
fi
