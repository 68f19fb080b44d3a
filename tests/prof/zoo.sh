#!/bin/sh
# Kernels of the zoo, each with the mistake it is there to show.
. "$(dirname "$0")/../cli/lib.sh"

expect_exit 0 prof transpose/01_naive
expect_out "Bound by uncoalesced memory access"
expect_out "store: 16 sectors per request, 4 would do"
expect_out "out[column * rows + row] = in[row * columns + column];"
expect_exit 0 prof transpose/04_shared_tile
expect_out "Bound by bank conflicts in shared memory"
expect_out "32 wavefronts per request, 1 would do (32-way bank conflict)"
expect_out "* rows + row] = tile[kz_lane()]"
expect_out "rows of 33 words instead of 32: 1 wavefront instead of 32"
expect_exit 0 prof reduce/01_atomic
expect_out "Bound by contention of atomics"
expect_out "32 threads of a warp contend for 1 address"
expect_exit 0 prof transpose/04_shared_tile transpose/05_padded
expect_out "transpose/05_padded is better"
expect_out "of them bank conflicts"
expect_out "gone"

# The case and the GPU are chosen; a family alone means the variant that kz would take.
expect_exit 0 prof vector_add --case add-f32-n65536-uniform --gpu t4 --json
[ "$("$JSON_LINES" gpu t4 < "$FOLDER/out")" = 1 ] || fail "not on that GPU"
expect_exit 2 prof transpose/no_such
expect_exit 3 prof transpose --gpu no_such_gpu
expect_exit 2 prof transpose/01_naive transpose/05_padded transpose/07_vector
expect_err "one word too many"
expect_exit 2 prof transpose -- 5
expect_err "no program"
expect_exit 0 prof transpose/01_naive --keep "$FOLDER/kept" --json
expect_exit 0 prof "$FOLDER/kept/record.jsonl"
expect_out "uncoalesced"
finish
