#compdef kz
# Completion of kz for zsh; installed as _kz. kz itself says what may follow (kz complete): nothing here can grow old.

_kz() {
    local line name
    local -a offers
    for line in "${(@f)$(kz complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        name=${line%%$'\t'*}
        # _describe takes "name:what it is", and names may have colons of their own.
        [[ -z $name ]] || offers+=("${name//:/\\:}:${${line#"$name"}#$'\t'}")
    done
    if (( $#offers )); then
        _describe -t names kz offers
    else
        _files
    fi
}
if [[ $funcstack[1] == _kz ]]; then _kz "$@"; else compdef _kz kz; fi
