#!/bin/sh
# run.sh KZ FILE.cu [DEVICE]: runs a guest kernel and holds it against what its own comment lines expect:
#   // family: NAME    // case: PATTERN (optional)    // exit: STATUS    // expect: TEXT (any number)
kz=$1 file=$2 device=${3:-sim}

value() { sed -n "s|^// $1: ||p" "$file"; }

set -- check --family "$(value family)" "$file" --device "$device" --no-save
[ -n "$(value case)" ] && set -- "$@" --case "$(value case)"
output=$("$kz" "$@" 2>&1)
status=$?

echo "kz $*"
echo "$output"
failed=0
wanted=$(value exit)
if [ -z "$wanted" ] || [ "$status" -ne "$wanted" ]; then
    echo "FAILED: the exit status is $status, expected ${wanted:-an exit line in $file}"
    failed=1
fi
# The texts may hold any character: they are compared as they are, line by line.
value expect > "${TMPDIR:-/tmp}/kz_expect.$$"
while IFS= read -r text; do
    if ! printf '%s\n' "$output" | grep -qF -- "$text"; then
        echo "FAILED: the output does not say: $text"
        failed=1
    fi
done < "${TMPDIR:-/tmp}/kz_expect.$$"
rm -f "${TMPDIR:-/tmp}/kz_expect.$$"
exit $failed
