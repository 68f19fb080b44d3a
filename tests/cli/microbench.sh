#!/bin/sh
# kz microbench: checked and counted on the simulator; on a driver that is made up, figures that are kept and become
# peaks, and kernels that leave the wrong thing found out; a page that is made from records.
. "$(dirname "$0")/lib.sh"
expect_exit 0 microbench --device sim:h200
expect_out "every result checked"
expect_out "The simulator has no clock"
grep -q ' [mun]s ' "$FOLDER/out" && fail "a time was printed for a simulated kernel"
expect_exit 0 microbench banks --device sim:h200 --json
[ "$("$JSON_LINES" status counted < "$FOLDER/out")" = 34 ] || fail "not one record for each stride"
[ "$("$JSON_LINES" status ok < "$FOLDER/out")" = 0 ] || fail "the simulator has no clock"
[ "$(grep -c '"shared_wavefronts":1024' "$FOLDER/out")" = 1 ] || fail "stride 32 is 32 wavefronts for each of 32"
[ -e "$KZ_RESULTS" ] && fail "counts were kept as peaks"
expect_exit 0 microbench --peaks --device sim:t4
expect_out "dram_read      320 GB/s (nominal)"

expect_exit 2 microbench bank --device sim
expect_err "did you mean banks?"
expect_exit 2 microbench --device sim --device cpu
expect_exit 3 microbench --device cuda:77
expect_exit 5 microbench banks --device sim --json /dev/full
expect_err "/dev/full"
expect_exit 8 microbench --device cpu
expect_err "--device sim"

# Every operation of this driver takes a quarter of a second; of shared memory it knows a kernel that does nothing.
export KZ_LIBCUDA=$3 FAKE_CUDA_MEMORY=268435456 FAKE_CUDA_NAME="NVIDIA L40S"
expect_exit 0 microbench launch host --device cuda:0
expect_out "in a graph"
kept=$KZ_RESULTS/microbench-nvidia-l40s.jsonl
[ "$("$JSON_LINES" status ok < "$kept")" = 9 ] || fail "not a record for each point: $(cat "$kept")"
[ "$("$JSON_LINES" unit Hz < "$kept")" = 1 ] || fail "the clock was not measured"
expect_exit 1 microbench banks --device cuda:0
expect_out "34 wrong"
expect_out "micro_banks left what it should not have left"
[ "$("$JSON_LINES" status wrong < "$kept")" = 34 ] || fail "wrong points are not recorded"
expect_exit 3 microbench bandwidth --device cuda:0 --figures "$FOLDER/figures" # no such kernel in this driver
printf '{"cut off' >> "$kept"
expect_exit 0 microbench --peaks --device cuda:0
expect_out "(measured 20"
grep -q 'shared_read .*unknown' "$FOLDER/out" || fail "a peak that was not measured"
unset KZ_LIBCUDA
finish
