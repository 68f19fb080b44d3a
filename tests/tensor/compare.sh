#!/bin/sh
# compare.sh KZ WARPS: the digests of sums.cu on the simulator are those of h200_WARPS.golden.
set -eu
here=$(dirname "$0")
got=$(mktemp)
trap 'rm -f "$got"' EXIT
"$1" run --timeout 1500 "$here/sums.cu" "$2" >"$got" 2>/dev/null || {
    "$1" run --timeout 1500 "$here/sums.cu" "$2" 2>&1 >/dev/null | tail -20
    exit 1
}
if ! diff "$here/h200_$2.golden" "$got"; then
    echo "tensor: what stands behind > is the simulator's; kz run $here/sums.cu $2 FORM gives one form"
    exit 1
fi
echo "$(wc -l <"$got") digests are those of an H200"
