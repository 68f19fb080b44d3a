# Completion of kz for bash. Verbs, families, devices and options are asked of kz itself, so that this
# file knows nothing that could grow old.

_kz_words() { # _kz_words VERB: what may stand where a plain word is expected
    case $1 in
    info) kz list --names 2>/dev/null ;;
    check | bench) kz list --names 2>/dev/null && kz list --names --variants 2>/dev/null ;;
    esac
}

_kz() {
    local cur prev words cword verb
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    verb=${COMP_WORDS[1]:-}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ] || [ "$verb" = help ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(kz help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p') help" -- "$cur")
        return
    fi
    case $prev in
    --device) mapfile -t COMPREPLY < <(compgen -W "$(kz devices --names 2>/dev/null)" -- "$cur") && return ;;
    --family) mapfile -t COMPREPLY < <(compgen -W "$(kz list --names 2>/dev/null)" -- "$cur") && return ;;
    esac
    case $cur in
    -*) mapfile -t COMPREPLY < <(compgen -W "$(kz help "$verb" 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p') --help" -- "$cur") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$(_kz_words "$verb")" -- "$cur") && compopt -o default ;;
    esac
}
complete -F _kz kz
