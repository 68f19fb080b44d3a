#!/bin/sh
# A guest's file that is missing, empty or broken.
. "$(dirname "$0")/lib.sh"
for missing in "check --family vector_add $FOLDER/missing.cu" "check --family vector_add $FOLDER/missing.ptx" \
    "prof --family vector_add $FOLDER/missing.cu" "prof $FOLDER/missing.cu" "run $FOLDER/missing.cu" \
    "run $FOLDER/missing" "sanitize $FOLDER/missing.cu" "debug $FOLDER/missing.cu" "timeline $FOLDER/missing.cu" \
    "grade $FOLDER/missing.cu" "bench --family vector_add $FOLDER/missing.cu" "ptx print $FOLDER/missing.ptx" \
    "prof $FOLDER/missing.jsonl" "run --gpu $FOLDER/missing.gpu $FOLDER/missing.cu"; do
    # shellcheck disable=SC2086 # words
    expect_exit 2 $missing
    expect_err "there is no file $FOLDER/missing"
done
: > "$FOLDER/empty.cu"
expect_exit 2 check --family vector_add "$FOLDER/empty.cu" --device sim
expect_err "kernels in the file: none"
expect_err "my_add_f32(const float *x"
echo "this is no PTX" > "$FOLDER/broken.ptx"
expect_exit 9 check --family vector_add "$FOLDER/broken.ptx" --device sim
expect_exit 2 check --family vectoradd "$FOLDER/empty.cu" --device sim
expect_err "did you mean vector_add?"

# A block that is there for a case with no rows says so, and numbers that are wrong say it too.
cat > "$FOLDER/rows.cu" <<'CU'
// kz: grid rows
extern "C" __global__ void my_top_k_f32(const float *x, float *values, int *index, size_t rows, size_t columns, size_t k) {
    values[blockIdx.x * k] = x[blockIdx.x * columns];
    index[blockIdx.x * k] = 7;
}
CU
expect_exit 4 check --family top_k "$FOLDER/rows.cu" --device sim --case top_k-f32-rows0-columns16-k4-uniform --no-save
expect_out "likely: this case is empty, and a grid of 0 blocks becomes 1"
expect_exit 1 check --family top_k "$FOLDER/rows.cu" --device sim --case top_k-f32-rows2-columns400-k1-zeros --no-save
expect_out "index[0] is 7, expected 0; 2 of 2 are wrong"

# A variant that does not do the family's largest case is profiled on one that it does.
expect_exit 0 prof top_k/04_warp_filter
expect_out "top_k/04_warp_filter, top_k-"
expect_exit 8 prof top_k/00_native
expect_err "it is C for the CPU"
expect_exit 8 prof top_k/06_cluster --gpu t4
expect_err "is compiled for sm_90; sim:t4 is sm_75"
finish
