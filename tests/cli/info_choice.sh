#!/bin/sh
# What the library picks for a case of any size, why, and what it launches.
. "$(dirname "$0")/lib.sh"
expect_exit 0 info reduce --case 'sum-f32-n2^20-uniform'
expect_out "reduce sum-f32-n1048576-uniform"
expect_out "measured: choice.csv has it for h200"
expect_out "the size is 1048576"
expect_out "the default of choice.csv: no row for a100 does the case"
expect_out "the same bits in every run"
expect_out "blocks of 512 x 1 x 1 threads"
expect_exit 0 info reduce --case sum-f32-n65536-uniform
expect_out "128 x 1 x 1 blocks of 128 x 1 x 1 threads"
expect_exit 2 info reduce --case no-such-case
expect_err "no-such-case"

# A variant: what is known of it without a run; ptxas is there or not.
expect_exit 0 info vector_add/03_vector
expect_out "source       kernels/primitives/vector_add/03_vector.cu: "
expect_out "lines of code"
expect_out "of 64 warps on a multiprocessor"
expect_out "PTX instructions"
expect_out "portability  4 of 5"
expect_exit 0 info vector_add/native
expect_out "runs on      cpu"
expect_exit 0 info vector_add/03_vector --json
[ "$("$JSON_LINES" source.judged < "$FOLDER/out")" = 1 ] || fail "no grades in the object"
[ "$("$JSON_LINES" kernel.ptx_instructions < "$FOLDER/out")" = 1 ] || fail "no kernel in the object"
expect_exit 2 info vector_add/nothing
expect_err 'vector_add has no variant "nothing"'
expect_exit 8 info reduce_axis/08_value_then_index --case 'sum-*'
expect_err "argmin and argmax alone"
# What a provider in Python asks for by name, and whom the family races.
expect_exit 0 info reduce
expect_out "types       f32, f16, bf16, f64, i32"
expect_out "buffers     in (input), out (output), index (output of argmin, argmax)"
expect_out "rivals      cub, cudnn, torch"

# A family whose first operation has no benchmark case in its plain type, and some operations no case at all.
expect_exit 0 info gemm
expect_out "buffers     a (input), b (input), c (output), offsets (input of nn_grouped, nt_grouped)"
expect_out "sim:t4       from nt-bf16-m1024-n1024-k1024-batch1-slack0-uniform 01_universal"

# A family with a model: its figures, and a table of the user's before it.
shape=nt-bf16-m1234-n777-k555-batch1-slack0-uniform
expect_exit 0 info gemm --case $shape
expect_out "the model, for no near shape was measured on h200: "
expect_out " round"
expect_out "no row for cpu does the case"
mkdir -p "$KZ_RESULTS"
printf 'gpu,case,variant,microseconds\nnonsense\nh200,%s,05_tile_64x128,12.5\n' $shape > "$KZ_RESULTS/measured_gemm.csv"
expect_exit 0 info gemm --case $shape
expect_out "1 line of $KZ_RESULTS/measured_gemm.csv passed over"
expect_out "measured: 12.5 us for $shape, one of the 1 shapes of h200"
expect_out "launch gemm_tile_64x128_nt_bf16"
rm "$KZ_RESULTS/measured_gemm.csv"
expect_exit 0 info transformer_block/02_fused
expect_out "no kernel of its own"
expect_exit 0 info transformer_block/01_composed
expect_out "lines of code"
finish
