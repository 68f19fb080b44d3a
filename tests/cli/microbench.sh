#!/bin/sh
# kz microbench: checked and counted on the simulator; on a driver that is made up, figures that are kept and become
# roofs, and kernels that leave the wrong thing found out; a page that is made from records.
. "$(dirname "$0")/lib.sh"
SOURCES=$(cd "$(dirname "$0")/../.." && pwd)
expect_exit 0 microbench --device sim:h200
expect_out "every result checked"
expect_out "The simulator has no clock"
grep -q ' [mun]s ' "$FOLDER/out" && fail "a time was printed for a simulated kernel"
expect_exit 0 microbench banks --device sim:h200 --json
[ "$("$JSON_LINES" status counted < "$FOLDER/out")" = 34 ] || fail "not one record for each stride"
[ "$("$JSON_LINES" status ok < "$FOLDER/out")" = 0 ] || fail "the simulator has no clock"
[ "$(grep -c '"shared_wavefronts":1024' "$FOLDER/out")" = 1 ] || fail "stride 32 is 32 wavefronts for each of 32"
[ -e "$KZ_RESULTS" ] && fail "counts were kept as roofs"
expect_exit 0 microbench --roofs --device sim:t4
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
expect_exit 0 microbench --roofs --device cuda:0
expect_out "(measured 20"
grep -q 'shared_read .*unknown' "$FOLDER/out" || fail "a roof that was not measured"
unset KZ_LIBCUDA

# The page of the sources is up to date; one that is not is found, and made.
(cd "$SOURCES" && "$KZ" microbench results --check > "$FOLDER/out" 2> "$FOLDER/err") ||
    fail "docs/microbench.md is stale: run kz microbench results"
cd "$FOLDER" || exit 1
expect_exit 2 microbench results
expect_err "not the folder of the sources"
mkdir -p docs results/h200
record() { # record GROUP NAME X Y UNIT VALUE NOMINAL
    printf '{"schema":1,"run":{"time":"2026-11-15T15:00:00Z"},"code":{"commit":"c0ffee"},"environment":{"driver":"580.1"},'
    printf '"device":{"gpu":"h200","name":"NVIDIA H200"},"microbench":{"group":"%s","name":"%s","x":%s,"y":%s},' "$1" "$2" "$3" "$4"
    printf '"unit":"%s","value":%s,"nominal":%s,"samples":[%s],"status":"ok"}\n' "$5" "$6" "$7" "$6"
}
{
    record clock multiprocessor null null Hz 2e9 1.98e9
    record bandwidth dram_read null null B/s 4.56e12 4.8e12
    record latency shared null null cycles 30 null
    for kib in 4 8 16 32; do record latency by_size $((kib * 1024)) null cycles $((kib * 10)) null; done
    for chains in 1 2 4 8; do
        for warps in 1 2; do record ilp fma_f32 $chains $warps /cycle $((chains * warps * 8)) 128; done
    done
} > results/h200/microbench.jsonl
printf 'before\n<!-- results:begin -->\nold\n<!-- results:end -->\nafter\n' > docs/microbench.md
expect_exit 1 microbench results --check
expect_err "docs/microbench.md is stale"
expect_exit 0 microbench results
grep -qF '| dram read | 4.56 TB/s | | | 4.80 TB/s | 95.0% |' docs/microbench.md || fail "no row: $(cat docs/microbench.md)"
grep -qF '| shared | 30.0 cycles | 15.0 ns |' docs/microbench.md || fail "no latency: $(cat docs/microbench.md)"
grep -qF '| 16 KiB | 160 cycles |' docs/microbench.md || fail "no curve: $(cat docs/microbench.md)"
grep -qF '| 2 | 16.0 | 32.0 | 64.0 | 128.0 |' docs/microbench.md || fail "no matrix: $(cat docs/microbench.md)"
grep -q '^before$' docs/microbench.md && grep -q '^after$' docs/microbench.md || fail "text outside the marks was lost"
grep -q '^<svg' docs/microbench/h200/latency.svg || fail "no figure of the latency"
grep -q '8 chains' docs/microbench/h200/ilp.svg || fail "no figure of the chains"
expect_exit 0 microbench results --check
finish
