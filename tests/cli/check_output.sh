#!/bin/sh
# The table, the JSON and the JUnit report of one run agree, and the results are kept.
. "$(dirname "$0")/lib.sh"
expect_exit 0 check vector_add --device cpu --json "$FOLDER/out.jsonl" --junit "$FOLDER/out.xml"
expect_out "checks passed"
expect_out "00_native"
expect_out "JSON: $KZ_RESULTS/check-"
expect_out "timed: add-f32-n1048576-uniform on cpu"
expect_out "JSON: $FOLDER/out.jsonl"
expect_out "JUnit: $FOLDER/out.xml"
passed=$("$JSON_LINES" outcome passed < "$FOLDER/out.jsonl") || fail "the JSON file has a line that is none"
[ "$passed" -gt 15 ] || fail "only $passed cases passed"
[ "$("$JSON_LINES" kind check-summary < "$FOLDER/out.jsonl")" = 1 ] || fail "no summary"
kept=$(cat "$KZ_RESULTS"/check-*.jsonl | "$JSON_LINES" outcome passed)
[ "$kept" = "$passed" ] || fail "$kept cases were kept, $passed passed"
timings=$(cat "$KZ_RESULTS"/check-*.jsonl | "$JSON_LINES" kind check-timing)
[ "$timings" = 3 ] || fail "$timings timings were kept, not one of ours, one of a copy and one of a read"
grep -q "<testsuite name=\"kz check\" tests=\"$passed\" failures=\"0\"" "$FOLDER/out.xml" || fail "JUnit disagrees"

# One case by its name, by a glob and of a size of one's own; JSON alone on stdout.
expect_exit 0 check vector_add --device cpu --case add-f32-n1025-uniform --json --no-save
[ "$("$JSON_LINES" case.name add-f32-n1025-uniform < "$FOLDER/out")" = 1 ] || fail "not that one case"
expect_exit 0 check vector_add --device cpu --case 'add-f32-n102*-uniform' --json --no-save
[ "$("$JSON_LINES" kind check < "$FOLDER/out")" = 3 ] || fail "not those three cases"
expect_exit 0 check vector_add --device cpu --case add-f32-n5000-uniform --json --no-save
[ "$("$JSON_LINES" case.name add-f32-n5000-uniform < "$FOLDER/out")" = 1 ] || fail "not a case of one's own"

# A case past the memory is skipped with a reason, and nothing was checked then.
expect_exit 10 check vector_add --device cpu --case add-f32-n2^60-uniform --verbose --no-save
expect_out "skipped"
expect_exit 10 check vector_add --device cpu --case add-f32-n2^50-uniform --verbose --no-save
expect_err "GB"
# A device too old for a variant skips it, and says so.
expect_exit 8 check elementwise/04_fast_math --device sim:t4 --no-save
expect_err "needs sm_80, and sim:t4 is sm_75"
expect_exit 0 check vector_add --device cpu --seed 7 --no-save --no-time
grep -q "timed:" "$FOLDER/out" && fail "--no-time looks at the clock"

# The same seed gives the same records, but for times.
for i in 1 2; do
    expect_exit 0 check vector_add --device cpu --json --no-save --no-time
    sed 's/"time":"[^"]*",//; s/,"host_seconds":[^,}]*//' "$FOLDER/out" > "$FOLDER/run$i"
done
cmp "$FOLDER/run1" "$FOLDER/run2" || fail "two runs with one seed differ"

# Several words: families and variants side by side, each once.
expect_exit 0 check transpose/padded vector_add/03_vector transpose/01_naive --device sim --json "$FOLDER/several.jsonl"
for variant in 05_padded 01_naive 03_vector; do
    [ "$("$JSON_LINES" variant $variant < "$FOLDER/several.jsonl")" -gt 15 ] || fail "$variant was left out"
done
[ "$("$JSON_LINES" variant 02_coalesced_read < "$FOLDER/several.jsonl")" = 0 ] || fail "more was checked than named"
[ "$(grep -c '^transpose ' "$FOLDER/out")" = 1 ] || fail "one family, two tables"
expect_exit 0 check vector_add/01_naive vector_add --device sim --json "$FOLDER/whole.jsonl"
[ "$("$JSON_LINES" variant 04_unrolled < "$FOLDER/whole.jsonl")" -gt 15 ] || fail "a variant shuts its family out"
expect_exit 2 check vector_add/01_naive vector_ad
expect_err "did you mean vector_add?"

expect_exit 0 list --json
[ "$("$JSON_LINES" family vector_add < "$FOLDER/out")" = 1 ] || fail "kz list has no vector_add"
expect_exit 0 info vector_add
expect_out "01_naive"
expect_out "add-f32-n1025-uniform"
expect_out 'extern "C" __global__'
expect_exit 0 info vector_add --json
[ "$("$JSON_LINES" cases < "$FOLDER/out")" = 1 ] || fail "kz info has no cases"
[ "$("$JSON_LINES" axes_note < "$FOLDER/out")" = 0 ] || fail "vector_add's axes need no note"
expect_exit 0 info dropout --json
[ "$("$JSON_LINES" axes_note 'drop is the probability times 65536: 6554 is 0.1' < "$FOLDER/out")" = 1 ] ||
    fail "kz info --json says not what dropout's axes mean"
# An empty case launches nothing, and nothing limits it.
expect_exit 0 check sgemm/01_naive --device sim --case 'gemm-f32-m0-*' --no-save
grep -qE 'memory|instr/elem' "$FOLDER/out" && fail "figures of nothing: $(cat "$FOLDER/out")"
finish
