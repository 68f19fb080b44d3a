#!/bin/sh
# A guest's file that is missing, empty or broken.
. "$(dirname "$0")/lib.sh"
expect_exit 5 check --family vector_add "$FOLDER/missing.cu" --device sim
expect_err "missing.cu"
: > "$FOLDER/empty.cu"
expect_exit 2 check --family vector_add "$FOLDER/empty.cu" --device sim
expect_err "kernels in the file: none"
expect_err "my_add_f32(const float *x"
echo "this is no PTX" > "$FOLDER/broken.ptx"
expect_exit 9 check --family vector_add "$FOLDER/broken.ptx" --device sim
expect_exit 2 check --family vectoradd "$FOLDER/empty.cu" --device sim
expect_err "did you mean vector_add?"
finish
