#!/bin/sh
# kz grade: exit codes, the file that was run, JSON, how the task is found, and what is recorded.
. "$(dirname "$0")/lib.sh"
export KZ_LEARN="$FOLDER/learner"
mkdir -p "$FOLDER/course/tasks/one"
shared=$(dirname "$(dirname "$KZ")")/share/kz/course
cp -r "$shared/template" "$shared/skills.toml" "$shared/parts.toml" "$FOLDER/course"
echo 'topics = ["one"]' > "$FOLDER/course/order.toml"
export KZ_COURSE="$FOLDER/course"
"$KZ" learn new-task one/twice > /dev/null || fail "no task"
task=$FOLDER/course/tasks/one/twice

expect_exit 0 grade "$task/solution.cu"
expect_out "$task/solution.cu"
expect_out "Passed"
! grep -q "The zoo goes on" "$FOLDER/out" || fail "a task that leads nowhere leads somewhere"
sed -i '/^skills/a leads_to = ["saxpy", "sgemm"]' "$task/task.toml"
expect_out "(fresh)"
expect_out "ime was not measured"
{ echo "// kz: task twice" && sed 1d "$task/wrong/one_block.cu"; } > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu" --seed 7
expect_out "$FOLDER/mine.cu"
expect_out "7 (fresh)"
expect_out "256"
! grep -q "The zoo goes on" "$FOLDER/out" || fail "the zoo goes on from what is not solved"
expect_exit 1 grade "$FOLDER/mine.cu" --json
[ "$("$JSON_LINES" task twice < "$FOLDER/out")" = 1 ] || fail "not one JSON line"
expect_out '"reason":"result"'
expect_out '"passed":false'
expect_exit 0 grade "$task/solution.cu" --json "$FOLDER/v.json"
grep -q '"passed":true' "$FOLDER/v.json" || fail "no JSON in the file"
grep -q '"leads_to":\["saxpy","sgemm"\]' "$FOLDER/v.json" || fail "the JSON does not say where it leads"
expect_out "kz info sgemm  (kernels/gemm/sgemm)"
for ending in s i ld o; do # compilers go by it
    cp "$task/solution.cu" "$FOLDER/mine.$ending"
    expect_exit 2 grade "$FOLDER/mine.$ending" --task twice
    expect_err "mine.$ending does not end in .cu"
done
expect_exit 2 grade "$task/solution.cu" --sandbox=sometimes
expect_err "auto enforces what this machine can"
KZ_SANDBOX=never expect_exit 2 list
expect_exit 0 grade "$task/solution.cu" --sandbox=off
expect_out "It ran without a sandbox for: files, network, processes, as --sandbox=off"
for path in /nonexistent/x /dev/full; do # an error is told once
    expect_exit 5 grade "$task/solution.cu" --json="$path"
    [ "$(grep -c '^kz: ' "$FOLDER/err")" = 1 ] || fail "--json=$path: not one error"
done
# A header's words are no fault of the machine.
echo '#error No space left on device' > "$FOLDER/forged.h"
{ echo '#include "forged.h"' && cat "$task/solution.cu"; } > "$FOLDER/forged.cu"
expect_exit 1 grade "$FOLDER/forged.cu" --task twice
! grep -q "the disk is full" "$FOLDER/out" "$FOLDER/err" || fail "a header forges a full disk"
expect_exit 0 grade "$task/solution.cu" --sandbox=off --json
expect_out '"unguarded":["files","network","processes"]'
cp "$task/solution.cu" "$FOLDER/other.cu"
expect_exit 2 grade "$FOLDER/other.cu"
expect_err "--task ID"
expect_exit 0 grade "$FOLDER/other.cu" --task twice
cp "$task/solution.cu" "$FOLDER/twice.cu" # its own name says it
expect_exit 0 grade "$FOLDER/twice.cu"
expect_exit 2 grade "$FOLDER/other.cu" --task twize
expect_err "did you mean twice?"
expect_exit 2 grade "$FOLDER/none.cu"
expect_err "there is no file"
expect_exit 2 grade
expect_exit 2 grade "$FOLDER/other.cu" --task twice --seed 0
echo "int x" > "$FOLDER/bad.cu"
expect_exit 1 grade "$FOLDER/bad.cu" --task twice
expect_out "bad.cu"
# Faults are told by the names of the signature, without advice on memory that the learner does not allocate.
head='// kz: task twice\nextern "C" __global__ void twice(const float *x, float *y, int n) {\n'
index='  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n'
printf "$head$index  if (i <= n) y[i] = 2 * x[i];\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu"
expect_out "reads x[1], but x has 1 element (index 0)"
expect_out "if (i < n)"
printf "$head$index  if (i < n) return;\n  y[i] = 2 * x[i];\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu"
expect_out "a guard that is inverted"
# The compiler's warnings are told, from the cache too.
printf "$head$index  if (i < n) y[i] = x[i];\n  2 * x[i];\n}\n" > "$FOLDER/mine.cu"
for run in compiled cached; do
    expect_exit 1 grade "$FOLDER/mine.cu"
    expect_out "mine.cu(5): warning #174-D: expression has no effect"
    sed -n '/ results /q;p' "$FOLDER/out" | grep -q "warning #174-D" || fail "the warning comes after the results"
done
# Of the starter as it is nothing is told: what is not written yet uses nothing.
sed -i 's/^    \/\/| .*/&\n    \/\/|     int later;/;t' "$task/solution.cu"
"$KZ" learn reset twice --yes > /dev/null || fail "no starter"
starter=$(find "$KZ_LEARN" -name twice.cu)
grep -q "int later;" "$starter" || fail "no variable in the starter: $(cat "$starter")"
expect_exit 1 grade "$starter"
! grep -q warning "$FOLDER/out" || fail "the starter has warnings: $(cat "$FOLDER/out")"
echo "// touched" >> "$starter"
expect_exit 1 grade "$starter"
expect_out 'warning #177-D: variable "later" was declared but never referenced'
expect_exit 0 sanitize "$FOLDER/mine.cu"
expect_err "mine.cu(5): warning #174-D"
[ "$(grep -c "warning #174-D" "$FOLDER/err")" = 1 ] || fail "a warning is told several times"
cat > "$FOLDER/program.cu" << 'END'
__global__ void k(int *x) { threadIdx.x + 1; x[threadIdx.x] = 1; }
int main() { int *x; cudaMalloc(&x, 128); k<<<1, 32>>>(x); return cudaDeviceSynchronize(); }
END
for verb in run sanitize; do
    expect_exit 0 "$verb" "$FOLDER/program.cu"
    [ "$(grep -c "program.cu(1): warning #174-D" "$FOLDER/err")" = 1 ] || fail "not one warning by kz $verb"
done
printf 'extern "C" __global__ void my_add_f32(const float *x, const float *y, float *z, size_t n) {\n  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n  i + 1;\n  if (i < n) z[i] = x[i] + y[i];\n}\n' > "$FOLDER/guest.cu"
expect_exit 0 check --family vector_add "$FOLDER/guest.cu" --device sim --case add-f32-n33-uniform
expect_err "guest.cu(3): warning #174-D"
# A barrier in a branch may pass, but not without a word.
printf "$head  __shared__ float s[256];\n$index  if (i < n) {\n    s[t] = x[i];\n    __syncthreads();\n    y[i] = 2 * s[t];\n  }\n}\n" > "$FOLDER/mine.cu"
expect_exit 0 grade "$FOLDER/mine.cu"
expect_out "mine.cu:7: a barrier that not all threads of the block come to"
expect_out "the branch of line 5"
# The smallest wrong case is told with its inputs.
printf "$head$index  if (i < n) y[i] = n > 2 ? x[i] * x[i] : 2 * x[i];\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu"
expect_out "from x[0] = "
expect_out "n=31, seed 2026: y: 31 of 31 wrong"
cp "$task/task.toml" "$FOLDER/plain.toml"
sed -i 's/^n = \[1, /n = [1025, 1, /' "$task/task.toml"
expect_exit 1 grade "$FOLDER/mine.cu"
expect_out "n=1025, seed 2026: y: 1025 of 1025 wrong"
expect_out "smallest wrong case: n=31, seed 2026: y[0] is"
cp "$FOLDER/plain.toml" "$task/task.toml"
grep -q "cudaMalloc" "$FOLDER/out" && fail "advice on cudaMalloc in a kernel"
# Where threads race, the race is the reason and the likely cause; patterns in the values are none.
printf "$head  __shared__ float s[256];\n$index  int o = i ^ 32;\n  s[t ^ 32] = o < n ? x[o] : 0;\n  if (i < n) y[i] = 2 * s[t];\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu" --json
expect_out '"reason":"finding","detail":"race"'
expect_out "likely: the race below"
grep -q "a value that was never set takes part" "$FOLDER/out" && fail "another cause beside the race"
printf "$head$index  if (i < n) y[i] = 2 * x[i];\n  if (i > 0 && i < n) y[0] += 1;\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu"
expect_out "atomicAdd(&element, value)"
# A cause that stands "below" is there, after a fault too.
printf "$head  __shared__ float s[256];\n$index  int length = min(256, n - (i - t));\n  if (t < length) s[t] = x[i];\n  __syncthreads();\n  if (t < length) y[i] = 2 * s[length - t];\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu"
expect_out "the kernel was stopped: out-of-bounds"
expect_out "likely: the value below that was never set"
expect_out "[undefined-output]"
# A factor that all runs have is more than the race beside it; one that one run has alone is nothing.
printf "$head  __shared__ float s[256];\n$index  s[t] = 6;\n  __syncthreads();\n  s[t ^ 32] = 6;\n  if (i < n) y[i] = s[t] * x[i];\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu"
expect_out "3 times what it should be"
expect_out "mend that first"
grep -q "results are luck" "$FOLDER/out" && fail "a factor in all runs is called luck"
printf "$head$index  if (i < n) y[i] = n == 255 ? 4 * x[i] : x[i] * x[i];\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu"
expect_out "n=255, seed 2026: y: 255 of 255 wrong" # the first with many elements
grep -q "times what it should be" "$FOLDER/out" && fail "a factor of one run is told"
# The same mistake is told once, with the number of runs that show it, after the wrong results.
printf "$head  y[0] = 2 * x[threadIdx.x %% n] + threadIdx.x;\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu"
[ "$(grep -c '\[undefined-output\]' "$FOLDER/out")" = 1 ] || fail "one finding is told several times"
expect_out "more runs; seen"
sed -n '/ results /,$p' "$FOLDER/out" | grep -q " sanitizer " || fail "the results do not come before the sanitizer's row"
# Gates are counted on fresh data, and the sanitizer listens there too.
printf "$head$index  if (i < n) y[i] = 2 * x[i];\n  if (n == 4096 && i == 0) printf(\"%%a\\\\n\", x[0]);\n}\n" > "$FOLDER/mine.cu"
expect_exit 0 grade "$FOLDER/mine.cu" --seed 7
seven=$(grep -o "0x1.*" "$FOLDER/out")
expect_exit 0 grade "$FOLDER/mine.cu" --seed 8
[ -n "$seven" ] && [ "$seven" != "$(grep -o "0x1.*" "$FOLDER/out")" ] || fail "the same data for every gate"
printf "$head$index  if (i < n) y[i] = 2 * x[i];\n  __shared__ float s[256];\n  s[t] = i;\n  if (n == 4096 && s[t ^ 32] < 0) y[i] = 0;\n}\n" > "$FOLDER/mine.cu"
expect_exit 1 grade "$FOLDER/mine.cu"
expect_out "race at mine.cu"
# What a kernel prints is shown: it is how people look for errors.
{ echo "// kz: task twice" && sed 's/^\(.*__global__.*{\)$/\1 if (threadIdx.x == 0) printf("here I am\\n");/' "$task/solution.cu"; } > "$FOLDER/says.cu"
grep -q "here I am" "$FOLDER/says.cu" || fail "the test's own file prints nothing"
expect_exit 0 grade "$FOLDER/says.cu"
expect_out "here I am"
# A pass that cannot be recorded is judged all the same, and is no success.
KZ_LEARN=/dev/null/learn expect_exit 5 grade "$FOLDER/says.cu"
expect_out "Passed"
expect_err "this attempt was not recorded"
KZ_LEARN=/dev/null/learn expect_exit 1 grade "$FOLDER/bad.cu" --task twice
expect_err "this attempt was not recorded"
# A limit on the size of files is told, and ends nothing without words.
(ulimit -f 1 && KZ_LEARN="$FOLDER/small" "$KZ" grade "$FOLDER/bad.cu" --task twice > "$FOLDER/out" 2> "$FOLDER/err")
[ $? -le 5 ] || fail "a file that may not grow ended kz grade by a signal"
# Any name of a file, and JSON all the same.
odd=$(printf '%s/b\303\244 d\377.cu' "$FOLDER")
{ printf '\357\273\277// kz: task twice\r\n' && cat "$task/solution.cu"; } > "$odd"
expect_exit 0 grade "$odd" --json
[ "$("$JSON_LINES" task twice < "$FOLDER/out")" = 1 ] || fail "not one JSON line for an odd path"
expect_exit 2 grade "$FOLDER"
expect_err "is a folder"
# Where nothing can be judged there is one object of JSON all the same, and the exit status says what kind it is.
for words in "$FOLDER/none.cu" "$FOLDER" "$FOLDER/other.cu" "$FOLDER/other.cu --task twize"; do
    expect_exit 2 grade $words --json
    [ "$("$JSON_LINES" reason error < "$FOLDER/out")" = 1 ] || fail "not one JSON line for kz grade $words"
    expect_out '"exit_status":2'
done
expect_exit 2 grade --json
expect_out '"error":"kz grade takes one file'
KZ_COURSE="$FOLDER/no-course" expect_exit 2 grade "$FOLDER/other.cu" --task twice --json
expect_out '"reason":"error"'
expect_exit 2 grade "$FOLDER/none.cu" --json "$FOLDER/failed.json"
grep -q '"error":"there is no file' "$FOLDER/failed.json" || fail "no error in the file"
# A machine that cannot compile has found no mistake in the file: no verdict, and no attempt.
before=$("$KZ" progress --export | grep -c twice)
sed 's/2 \* /3 * /' "$task/solution.cu" > "$FOLDER/full.cu"
mkdir -p "$FOLDER/bin" && ln -sf "$(command -v sh)" "$FOLDER/bin/sh"
PATH="$FOLDER/bin" "$KZ" grade "$FOLDER/full.cu" --task twice --json > "$FOLDER/out" 2> "$FOLDER/err"
[ $? -ge 2 ] || fail "a missing host compiler is held against the file"
expect_out '"reason":"error"'
expect_err "apt-get install g++"
[ "$("$KZ" progress --export | grep -c twice)" = "$before" ] || fail "an attempt was recorded"
expect_exit 0 progress --export
expect_out "twice"
# Of what does not compile nobody expects a time.
echo 'extern "C" __global__ void twice(' > "$FOLDER/broken.cu"
expect_exit 1 grade "$FOLDER/broken.cu" --task twice
! grep -q "ime was not measured" "$FOLDER/out" || fail "a time is missed where nothing compiled"
# A missing barrier is one mistake: the race between warps, and not also that within one, which small cases show first.
unset KZ_COURSE
expect_exit 1 grade "$shared/tasks/memory/shared-reverse/wrong/no_barrier.cu" --task shared-reverse
expect_out "two warps of one block"
! grep -q "two lanes of one warp" "$FOLDER/out" || fail "one missing barrier is told twice"
# Who returns before a barrier is told so, beside what came of it.
expect_exit 1 grade "$shared/tasks/reductions/reduce-2-shared-tree/wrong/leaves_early.cu" --task reduce-2-shared-tree
expect_out "leaves_early.cu:9: a barrier that not all threads of the block come to"
expect_out "the others read what these never stored"
finish
