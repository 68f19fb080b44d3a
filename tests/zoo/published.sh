#!/bin/sh
# published.sh SOURCES: the figures of DeepGEMM that targets name are those that it published, each once.
set -eu
cd "$1"
expected=$(awk -F, '$1 == "dense" {
    printf "h200,e4m3_fine_nt-bf16-m%s-n%s-k%s-uniform,flops_per_s,%de12,deepgemm\n", $3, $4, $5, $6
}' results/published/deepgemm.csv | sort)
found=$(grep ',deepgemm$' kernels/gemm/gemm_types/targets.csv | sort)
if [ "$expected" != "$found" ] || [ -z "$expected" ]; then
    echo "published.sh: kernels/gemm/gemm_types/targets.csv differs from results/published/deepgemm.csv:" >&2
    printf '%s\n' "$expected" >/tmp/published.$$
    printf '%s\n' "$found" | diff /tmp/published.$$ - >&2 || true
    rm -f /tmp/published.$$
    exit 1
fi
