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
@spec_cases@
    *:*) ;;
    *) compopt -o nospace 2>/dev/null; _gtp_variants_words @games@ ;;
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
    previous=${given[${#given[@]}-1]}
    COMPREPLY=()
    if [[ ${#given[@]} -lt 2 ]]; then
        _gtp_variants_words @commands@
    else
        case $command in
@commands_cases@
        esac
    fi
    # bash also splits words at `:` and `=`, so remove the part that it keeps from each completion.
    rest=${cur%"${cur##*[:=]}"}
    COMPREPLY=("${COMPREPLY[@]#"$rest"}")
}
complete -F _gtp_variants gtp-variants
