# For the tests of the command: KZ is the executable, JSON_LINES the counter of JSON lines, and the work
# happens in a folder of its own, with results kept there.
KZ=$1 JSON_LINES=$2
FOLDER=$(mktemp -d) || exit 1
trap 'rm -rf "$FOLDER"' EXIT
export KZ_RESULTS="$FOLDER/results"
export KZ_PYTHON=/nowhere/python # whether there are rivals in Python changes nothing here
unset KZ_NO_SUCH CI NO_COLOR
FAILED=0

fail() {
    echo "FAILED: $*"
    cut -c1-400 "$FOLDER/out" | sed 's/^/  stdout: /'
    cut -c1-400 "$FOLDER/err" | sed 's/^/  stderr: /'
    FAILED=1
}

# expect_exit STATUS WORD...: runs kz with these words; its output is in $FOLDER/out and $FOLDER/err.
expect_exit() {
    wanted=$1
    shift
    "$KZ" "$@" > "$FOLDER/out" 2> "$FOLDER/err"
    got=$?
    [ "$got" -eq "$wanted" ] || fail "kz $*: exit status $got, expected $wanted"
}

expect_out() { grep -qF -- "$1" "$FOLDER/out" || fail "stdout does not say: $1"; }
expect_err() { grep -qF -- "$1" "$FOLDER/err" || fail "stderr does not say: $1"; }

finish() { exit $FAILED; }
