#!/bin/sh
# A GPU behind a driver of the tests' own: it works, its kernels fault, it is lost.
. "$(dirname "$0")/lib.sh"
export KZ_LIBCUDA=$3
guest() {
    cat > "$FOLDER/$1.ptx" << END
.version 8.0
.target sm_75
.address_size 64
.visible .entry $1(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 n)
{
    ret;
}
END
}
guest add_f32
guest fault_add_f32
expect_exit 0 devices
expect_out "cuda:0"
expect_exit 0 check --family vector_add "$FOLDER/add_f32.ptx" --device cuda --json "$FOLDER/good.jsonl"
cases=$("$JSON_LINES" outcome passed < "$FOLDER/good.jsonl")
[ "$cases" -gt 15 ] || fail "only $cases cases passed"

# A fault ends the context, not the run: the device is opened again for every case.
expect_exit 4 check --family vector_add "$FOLDER/fault_add_f32.ptx" --device cuda --json "$FOLDER/bad.jsonl"
expect_out "illegal memory access"
faulted=$("$JSON_LINES" outcome faulted < "$FOLDER/bad.jsonl")
[ "$faulted" = "$cases" ] || fail "$faulted cases faulted, expected $cases"

# Without --device the GPU is what is checked.
expect_exit 0 check --family vector_add "$FOLDER/add_f32.ptx" --json
[ "$("$JSON_LINES" device.id cuda:0 < "$FOLDER/out")" = "$cases" ] || fail "the GPU is not the default"

FAKE_CUDA_FAIL=lost expect_exit 3 check --family vector_add "$FOLDER/add_f32.ptx" --device cuda
FAKE_CUDA_FAIL=no_device expect_exit 3 check --family vector_add "$FOLDER/add_f32.ptx" --device cuda
FAKE_CUDA_MEMORY=1000000 expect_exit 0 check --family vector_add "$FOLDER/add_f32.ptx" --device cuda --verbose
expect_out "skipped"
finish
