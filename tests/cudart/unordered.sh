#!/bin/sh
# kz sanitize tells programs whose streams and host are in order from those where something lacks it.
. "$(dirname "$0")/../cli/lib.sh"
PROGRAM=$(cd "$(dirname "$0")" && pwd)/order/unordered.cu

"$KZ" run "$PROGRAM" > "$FOLDER/cases" || fail "$PROGRAM does not run"
while read -r name; do
    case $name in
    right_*) wanted=0 ;;
    *) wanted=11 ;;
    esac
    expect_exit $wanted sanitize "$PROGRAM" "$name"
    case $name in
    right_*) ;;
    pool) expect_out "cudaMallocAsync in stream 3 allocates memory that cudaMemsetAsync in stream 4 writes" ;;
    *) expect_out "[race]" ;;
    esac
done < "$FOLDER/cases"
finish
