#!/bin/sh
# What the concept pages quote is what kz says: each block that begins with "$ kz" is run in the project's folder, and every
# line of it must be in the output, "..." aside.
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.." || exit 1
export KZ_LEARN="$FOLDER/learn" LC_ALL=C.UTF-8 # the pages show bars of blocks
awk -v folder="$FOLDER" '
    /^```/ { inside = !inside; if (inside) { n++; file = folder "/block-" n; taken = 0 } else { close(file) } next }
    inside && !taken && !/^\$ kz / { taken = 2 }
    inside && !taken { taken = 1 }
    inside && taken == 1 { print > file }' docs/concepts/*.md
blocks=0
for block in "$FOLDER"/block-*; do
    words=$(sed -n '1s/^\$ kz //p' "$block")
    blocks=$((blocks + 1))
    eval "set -- $words" # as a shell takes them: some are in quotes
    "$KZ" "$@" > "$FOLDER/out" 2>&1 < /dev/null
    sed 1d "$block" | while IFS= read -r line; do
        [ "$line" = ... ] || grep -qF -- "$line" "$FOLDER/out" || echo "$line"
    done > "$FOLDER/missing"
    [ -s "$FOLDER/missing" ] && cp "$FOLDER/missing" "$FOLDER/err" && fail "kz $words: it no longer says the lines below stderr"
done
[ "$blocks" -ge 10 ] || fail "only $blocks blocks were found in docs/concepts"
finish
