#!/bin/sh
# pages microbench: tables and figures from records; a stale page is found, and made.
. "$(dirname "$0")/../cli/lib.sh"
cd "$FOLDER" || exit 1
expect_exit 2 write microbench
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
expect_exit 1 check microbench
expect_out "docs/microbench.md is stale"
expect_exit 0 write microbench
grep -qF '| dram read | 4.56 TB/s | | | 4.80 TB/s | 95.0% |' docs/microbench.md || fail "no row: $(cat docs/microbench.md)"
grep -qF '| shared | 30.0 cycles | 15.0 ns |' docs/microbench.md || fail "no latency: $(cat docs/microbench.md)"
grep -qF '| 16 KiB | 160 cycles |' docs/microbench.md || fail "no curve: $(cat docs/microbench.md)"
grep -qF '| 2 | 16.0 | 32.0 | 64.0 | 128.0 |' docs/microbench.md || fail "no matrix: $(cat docs/microbench.md)"
grep -q '^before$' docs/microbench.md && grep -q '^after$' docs/microbench.md || fail "text outside the marks was lost"
grep -q '^<svg' docs/microbench/h200/latency.svg || fail "no figure of the latency"
grep -q '8 chains' docs/microbench/h200/ilp.svg || fail "no figure of the chains"
expect_exit 0 check microbench
finish
