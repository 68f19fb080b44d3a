#!/bin/sh
# kz tune: only where there is a GPU with a clock and a name; what it measures becomes rows of choice.csv.
. "$(dirname "$0")/lib.sh"
expect_exit 8 tune --device sim
expect_err "it has no clock"
expect_exit 8 tune --device cpu
expect_err "choice.csv is about GPUs"
: > "$FOLDER/no_driver.so"
KZ_LIBCUDA="$FOLDER/no_driver.so" expect_exit 3 tune
expect_err "kz tune needs a GPU"
expect_exit 2 tune vector_add/01_naive
expect_err "chooses among all variants"
expect_exit 2 tune --time soon
expect_err "--time takes seconds"

# In the fake, 01 takes thrice as long as 03, 02 twice, and 04 as long as 03: the simpler of the two is taken.
export KZ_LIBCUDA=$3
set -- vector_add --case add-f32-n4096-uniform --time 0.1
expect_exit 0 tune "$@" --dry-run
expect_out "h200,*,*,0,,03_vector"
expect_out "250 ms"
[ "$(cat "$KZ_RESULTS"/tune-*.jsonl | "$JSON_LINES" candidate.by kz)" = 4 ] || fail "not a record for every variant"
cat > "$FOLDER/two.toml" << 'END'
[[families]]
names = ["vector_add"]
axes.n = [4096, 8192]
END
expect_exit 0 tune --suite "$FOLDER/two.toml" --time 0.1 --dry-run --no-save
expect_out "add-f32-n4096-uniform"
expect_out "add-f32-n8192-uniform"
expect_exit 0 tune --suite "$FOLDER/two.toml" --case '*n8192*' --time 0.1 --dry-run --no-save
expect_out "add-f32-n8192-uniform"
! grep -q "add-f32-n4096-uniform" "$FOLDER/out" || fail "a case that was not asked for"
expect_exit 2 tune --suite "$FOLDER/two.toml" saxpy
expect_err "none of what was asked for"
expect_exit 2 tune --suite no_such_suite
expect_err "no_such_suite"
cd "$FOLDER" || exit 1
expect_exit 2 tune "$@"
expect_err "the folder of the sources"
mkdir -p kernels/primitives/vector_add
csv=kernels/primitives/vector_add/choice.csv
printf 'gpu,type,operation,from,to,variant\n# measured\nh200,f32,add,0,,01_naive\na100,*,*,0,,02_grid_stride\n' > $csv
expect_exit 0 tune "$@" --no-save
expect_out "$csv written"
printf 'gpu,type,operation,from,to,variant\n# measured\nh200,*,*,0,,03_vector\na100,*,*,0,,02_grid_stride\n' > wanted
cmp $csv wanted || fail "the table is another"
expect_exit 0 tune "$@" --no-save
expect_out "says so already"
FAKE_CUDA_NAME="Some GPU" expect_exit 8 tune "$@"
expect_err "is in no file of gpus/"
cp wanted $csv
FAKE_CUDA_FAIL=lost expect_exit 3 tune "$@"
cmp $csv wanted || fail "a lost GPU changed the table"
finish
