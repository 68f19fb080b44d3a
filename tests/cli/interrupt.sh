#!/bin/sh
# Ctrl-C stops between two cases; what was done is printed and kept, every line of it whole.
. "$(dirname "$0")/lib.sh"
"$KZ" check --device cpu --device sim > "$FOLDER/out" 2> "$FOLDER/err" &
pid=$!
while kill -0 $pid 2> /dev/null && ! cat "$KZ_RESULTS"/check-*.jsonl 2> /dev/null | grep -q passed; do sleep 0.05; done
kill -INT $pid
wait $pid
status=$?
[ $status -eq 130 ] || fail "the exit status is $status, expected 130"
expect_out "stopped by Ctrl-C"
kept=$(cat "$KZ_RESULTS"/check-*.jsonl | "$JSON_LINES" outcome passed) || fail "a kept line is no JSON"
[ "$kept" -ge 1 ] || fail "nothing was kept"
[ "$(cat "$KZ_RESULTS"/check-*.jsonl | "$JSON_LINES" kind check-summary)" = 1 ] || fail "no summary was kept"
finish
