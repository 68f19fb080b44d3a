#!/bin/sh
# kz new: the project is made, builds with nvcc, and its tests pass on the simulator; a wrong kernel fails them.
. "$(dirname "$0")/lib.sh"
PATH=$(dirname "$KZ"):$PATH
export PATH
expect_exit 2 new
expect_err "takes one folder"
expect_exit 2 new "$FOLDER/9lives"
expect_err "no name for a project"
expect_exit 0 new "$FOLDER/9lives" --name lives
expect_exit 2 new "$FOLDER/9lives" --name lives
expect_err "not empty"
grep -q "^project(lives " "$FOLDER/9lives/CMakeLists.txt" || fail "the project is not called lives"
grep -rq "@NAME@" "$FOLDER/9lives" && fail "a mark was left in"

build() {
    cmake --build "$FOLDER/build" > "$FOLDER/out" 2>&1 || fail "it does not build"
}
cmake -S "$FOLDER/9lives" -B "$FOLDER/build" -G Ninja > "$FOLDER/out" 2>&1 || fail "it does not configure"
build
ctest --test-dir "$FOLDER/build" > "$FOLDER/out" 2>&1 || fail "its tests fail"
expect_out "100% tests passed"
expect_exit 0 run "$FOLDER/build/bench_saxpy" 4096
expect_out "GFLOP/s"
expect_out "bound by"
expect_out "say nothing about a GPU"

# The test is one that can fail.
sed -i 's/i < n; i += stride/i + 1 < n; i += stride/' "$FOLDER/9lives/src/saxpy.cu"
build
ctest --test-dir "$FOLDER/build" -R '^saxpy$' > "$FOLDER/out" 2>&1 && fail "a wrong kernel passes"
finish
