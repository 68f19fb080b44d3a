#!/bin/bash
# run.sh KZ NAME.script: runs `kz debug -x` as the script's first line says ("# debug: PROGRAM [ARGUMENTS]") and
# compares what is said with NAME.expected. Device addresses become ADDRESS, and lines of kz/device/fold.cuh, which many
# share, LINE. UPDATE=1 writes the file anew.
set -euo pipefail
kz=$1 script=$2
expected=${script%.script}.expected
read -r -a words <<<"$(sed -n '1s/^# debug: //p' "$script")"
cd "$(dirname "$script")"
export XDG_CACHE_HOME=${KZ_TEST_CACHE:-$PWD/.cache} NO_COLOR=1
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
actual=$("$kz" debug -x "$script" "${words[@]}" 2>"$errors" </dev/null |
    sed -E -e 's/0x[0-9a-f]{9,}/ADDRESS/g' -e 's/(fold\.cuh:)[0-9]+/\1LINE/; s/(at kz_fold_lanes, line )[0-9]+/\1LINE/' \
        -e '/for \(int step = KZ_WARP/s/^=> [0-9]+ /=> LINE /') || {
    status=$?
    printf 'kz debug ended with %d\n%s\n' "$status" "$actual"
    cat "$errors"
    exit 1
}
if [ "${UPDATE:-}" = 1 ]; then
    printf '%s\n' "$actual" >"$expected"
    exit 0
fi
diff -u "$expected" <(printf '%s\n' "$actual")
