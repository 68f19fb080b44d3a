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

# Inside a kernel that does not end: the first signal is enough, after a grace.
cat > "$FOLDER/endless_add_f32.ptx" << END
.version 8.0
.target sm_75
.address_size 64
.visible .entry endless_add_f32(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 n)
{
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 0;
round:
    add.s64 %rd1, %rd1, 1;
    bra round;
}
END
"$KZ" check --family vector_add "$FOLDER/endless_add_f32.ptx" --device sim --case add-f32-n33-uniform \
    > "$FOLDER/out" 2> "$FOLDER/err" &
running=$!
sleep 1
kill -INT $running
code=0
wait $running || code=$?
[ "$code" = 130 ] || fail "an endless kernel: exit code $code, not 130"
expect_err "a kernel that did not end in time"
expect_err "once more stops at once"
finish
