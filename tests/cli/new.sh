#!/bin/sh
# kz new: the project is made, builds with nvcc, and its tests pass on the simulator; a wrong kernel fails them.
# Its folder has blanks in its name, and so has the place where this kz lies.
. "$(dirname "$0")/lib.sh"
place="$FOLDER/my own code"
mkdir -p "$place/kz home"
installed=$(dirname "$(dirname "$KZ")")
for part in bin lib include share; do ln -s "$installed/$part" "$place/kz home/$part"; done
KZ="$place/kz home/bin/kz"
PATH="$place/kz home/bin:$PATH"
export PATH
cd "$place" || exit 1
expect_exit 2 new
expect_err "takes one folder"
expect_exit 2 new 9lives
expect_err "no name for a project"
expect_exit 0 new 9lives --name lives
expect_exit 2 new 9lives --name lives
expect_err "not empty"
grep -q "^project(lives " 9lives/CMakeLists.txt || fail "the project is not called lives"
grep -rq "@NAME@" 9lives && fail "a mark was left in"
expect_exit 0 new "first kernel"
expect_out 'cd "first kernel"'
cd "first kernel" || exit 1
grep -q "^project(first-kernel " CMakeLists.txt || fail "the project is not called first-kernel"

build() {
    cmake --build build > "$FOLDER/out" 2>&1 || fail "it does not build"
}
cmake -S . -B build -G Ninja > "$FOLDER/out" 2>&1 || fail "it does not configure"
build
ctest --test-dir build > "$FOLDER/out" 2>&1 || fail "its tests fail"
expect_out "100% tests passed"
expect_exit 0 run build/bench_saxpy 4096
expect_out "GFLOP/s"
expect_out "bound by"
expect_out "say nothing about a GPU"

# The test is one that can fail.
sed -i 's/i < n; i += stride/i + 1 < n; i += stride/' src/saxpy.cu
build
ctest --test-dir build -R '^saxpy$' > "$FOLDER/out" 2>&1 && fail "a wrong kernel passes"
finish
