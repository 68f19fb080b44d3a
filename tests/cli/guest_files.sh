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
finish
