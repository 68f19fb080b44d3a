# Completion of kz for bash. Verbs, options, families, variants and devices are asked of kz itself, so that
# this file knows nothing that could grow old.

_kz_verbs() { kz help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p' && echo help; }
_kz_options() { kz help "$1" 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p' && echo --help; }
_kz_learn_verbs() { kz help learn 2>/dev/null | sed -n 's/^kz learn //p' | sed 's/\[[^]]*\]//g' | tr '|' '\n' | sed -n 's/^ *\([a-z][a-z-]*\).*/\1/p'; }
_kz_families() { kz list --json 2>/dev/null | sed -n 's/.*"family":"\([^"]*\)".*/\1/p'; }
_kz_devices() { kz devices --json 2>/dev/null | sed -n 's/.*"id":"\([^"]*\)".*/\1/p'; }
_kz_variants() { # _kz_variants FAMILY: "reduce/01_atomic" and so on
    kz list --json 2>/dev/null | grep "\"family\":\"$1\"" | grep -o '"name":"[^"]*"' | sed "s|\"name\":\"\(.*\)\"|$1/\1|"
}

_kz() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]:-} cut=""
    # bash splits words at colons, and devices have one: "sim:h200" comes as "sim", ":", "h200".
    if [ "$cur" = : ]; then
        cut=$prev: cur=$cut prev=${COMP_WORDS[COMP_CWORD - 2]}
    elif [ "$prev" = : ]; then
        cut=${COMP_WORDS[COMP_CWORD - 2]}: cur=$cut$cur prev=${COMP_WORDS[COMP_CWORD - 3]}
    fi
    local words=""
    if [ "$COMP_CWORD" = 1 ] || [ "$verb" = help ]; then
        words=$(_kz_verbs)
    elif [ "$prev" = --device ]; then
        words=$(_kz_devices)
    elif [ "$prev" = --gpu ]; then
        words=$(_kz_devices | sed -n 's/^sim://p')
    elif [ "$prev" = --family ]; then
        words=$(_kz_families)
    elif [[ $cur == -* ]]; then
        words=$(_kz_options "$verb")
    elif [ "$verb" = learn ]; then
        [ "$COMP_CWORD" != 2 ] || words=$(_kz_learn_verbs)
    elif [[ $verb =~ ^(check|bench|info|prof|sanitize|debug)$ && $cur == */* ]]; then
        words=$(_kz_variants "${cur%%/*}")
    elif [[ $verb =~ ^(check|bench|info|tune|prof|sanitize|debug)$ ]]; then
        words=$(_kz_families)
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    [ -z "$cut" ] || COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}
complete -o default -F _kz kz
