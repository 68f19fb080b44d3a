#!/bin/sh
# The speed gate on a driver that is made up, where every operation takes equally long: a kernel as fast as the
# copy passes, one three times slower does not, and one that would be faster than the peak is refused.
. "$(dirname "$0")/lib.sh"
export KZ_LEARN="$FOLDER/learner" KZ_COURSE="$FOLDER/course"
mkdir -p "$FOLDER/course/tasks/one"
shared=$(dirname "$(dirname "$KZ")")/share/kz/course
cp "$shared/skills.toml" "$shared/parts.toml" "$FOLDER/course"
echo 'topics = ["one"]' > "$FOLDER/course/order.toml"
cp "$shared/tasks/execution/topic.toml" "$FOLDER/course/tasks/one"

task() { # task ID KERNEL SPEED...: a task whose kernel the driver knows by its name, and its file
    folder=$FOLDER/course/tasks/one/$1
    mkdir -p "$folder"
    signature="$2(const float *x, const float *y, float *z, size_t n)"
    cat > "$folder/task.toml" << END
title = "Add"
kind = "cuda"
level = 1
minutes = 5
teaches = "nothing: $1"
skills = ["indexing"]
signature = "$signature"
[buffers]
x = "n"
y = "n"
z = "n"
[[case]]
n = [1, 33]
[reference]
z = "x[i] + y[i]"
[launch]
grid = ["ceil(n/256)"]
block = ["256"]
[speed]
n = 65536
$3
$4
END
    cat > "$folder/solution.cu" << END
extern "C" __global__ void $signature {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    // kz: begin
    if (i < n) z[i] = x[i] + y[i];
    // kz: end
}
END
    printf '# Add\n\nAdd.\n' > "$folder/statement.md"
    printf '## One\n\nx\n\n## Two\n\ny\n\n## Three\n\nz\n' > "$folder/hints.md"
    { echo "// kz: task $1" && cat "$folder/solution.cu"; } > "$FOLDER/$1.cu"
}
task as-fast add_f32 'bytes = "12*n"' 'peak = 0.7
solution = 0.8'
task too-slow vector_add_naive_add_f32 'bytes = "12*n"' 'peak = 0.7'
task too-fast add_f32 'flops = "1000000*n"' 'peak = 0.7'
task wrong-when-large small_add_f32 'bytes = "12*n"' 'peak = 0.7'
sed -i 's/^n = 65536/n = 1048576/' "$FOLDER/course/tasks/one/wrong-when-large/task.toml"

expect_exit 0 grade "$FOLDER/as-fast.cu" --device sim
expect_out "ime was not measured"
expect_out "no count stands for it"
cp "$FOLDER/course/tasks/one/as-fast/task.toml" "$FOLDER/plain.toml"
printf '[[gate]]\nmetric = "loads"\nmax = "n"\nn = 33\nwhy = "x"\n' >> "$FOLDER/course/tasks/one/as-fast/task.toml"
expect_exit 0 grade "$FOLDER/as-fast.cu" --device sim
expect_out "the counts stand for it"
cp "$FOLDER/plain.toml" "$FOLDER/course/tasks/one/as-fast/task.toml"
export KZ_LIBCUDA=$3
expect_exit 0 grade "$FOLDER/as-fast.cu"
expect_out "100% of the measured peak"
expect_out "100% of our solution's speed"
expect_out "cuda:0"
expect_exit 0 grade "$FOLDER/as-fast.cu" --no-time
expect_out "ime was not measured"
expect_exit 1 grade "$FOLDER/too-slow.cu"
expect_out "33% of the measured peak"
expect_out "70% is asked for"
expect_exit 1 grade "$FOLDER/too-fast.cu"
expect_out "that cannot be"
# Its last element is 0 from a million elements on: the size that is timed is checked too.
expect_exit 1 grade "$FOLDER/wrong-when-large.cu" --json
expect_out '"reason":"result"'

# The child's own verb is for the grader alone.
expect_exit 2 judge < /dev/null
expect_err "kz grade FILE"
expect_exit 0 help
grep -q '^  judge ' "$FOLDER/out" && fail "kz judge stands in the help"
finish
