# Completion of kz for bash. kz itself says what may follow (kz complete): nothing here can grow old.

_kz() {
    local line=${COMP_LINE:0:COMP_POINT} words=()
    read -ra words <<<"$line"
    [[ $line != *" " ]] || words+=("")
    mapfile -t COMPREPLY < <(kz complete "${words[@]:1}" 2>/dev/null | cut -f1)
    # bash splits words at colons and equals signs, and wants what follows the last one: "h200" of "sim:h200".
    local last=${words[-1]}
    COMPREPLY=("${COMPREPLY[@]#"${last%"${last##*[:=]}"}"}")
}
complete -o default -F _kz kz
