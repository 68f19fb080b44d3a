#!/bin/sh
# published.sh SOURCES: the figures of others that targets name are those that they published: of DeepGEMM each, of
# FlashAttention-3 those whose shapes the families time.
set -eu
cd "$1"

compare() { # compare WHOSE TARGETS EXPECTED FOUND
    [ "$3" != "$4" ] || [ -z "$3" ] || return 0
    echo "published.sh: $2 differs from results/published/$1.csv:" >&2
    printf '%s\n' "$3" >/tmp/published.$$
    printf '%s\n' "$4" | diff /tmp/published.$$ - >&2 || true
    rm -f /tmp/published.$$
    exit 1
}

targets=kernels/gemm/gemm_types/targets.csv
compare deepgemm $targets "$(awk -F, '$1 == "dense" {
    printf "h200,e4m3_fine_nt-bf16-m%s-n%s-k%s-uniform,flops_per_s,%de12,deepgemm\n", $3, $4, $5, $6
}' results/published/deepgemm.csv | sort)" "$(grep ',deepgemm$' $targets | sort)"

# Every such target has a row, and forward there are some. The sequences have 16384 tokens together, the heads 2048 numbers.
for pass in forward backward; do
    targets=kernels/ml_ops/attention/targets.csv
    [ $pass = forward ] || targets=kernels/ml_ops/attention_backward/targets.csv
    [ -e $targets ] || continue
    found=$(grep ',flash_attention_3$' $targets | sort)
    [ -n "$found" ] || [ $pass = forward ] || continue
    published=$(awk -F, -v pass=$pass '$1 == pass {
        heads = 2048 / $3
        printf "h200,%s-f16-batch%d-heads%d-kv_heads%d-queries%d-keys%d-dimension%d-uniform,flops_per_s,%de12,flash_attention_3\n",
               $2, 16384 / $4, heads, heads, $4, $4, $3, $5
    }' results/published/flash_attention_3.csv | sort)
    compare flash_attention_3 $targets "$(printf '%s\n' "$published" | grep -Fx "$found")" "$found"
done
