#!/bin/sh
# What the machine lacks or ends is told for what it is, with a status of its own.
. "$(dirname "$0")/lib.sh"
cd "$FOLDER" || exit 1
cat > program.cu << 'END'
#include <cstdlib>
#include <unistd.h>
__global__ void fill(int *a) { a[threadIdx.x] = 1; }
int main(int argc, char **argv) {
    int *a;
    cudaMalloc(&a, 128);
    fill<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    if (argc > 1 && *argv[1] == 'l') execl("/bin/true", "true", (char *)0);
    if (argc > 1 && *argv[1] == '_') _exit(0);
    if (argc > 1 && *argv[1] == 'q') quick_exit(0);
    while (argc > 1) pause();
}
END
expect_exit 5 prof program.cu leaves
expect_err "it left by exec()"
for end in _exit quick_exit; do # ends without the handlers of exit() are recorded too
    expect_exit 0 prof program.cu $end
    expect_out fill
done

# A program does not outlive the kz that was killed.
"$KZ" run program.cu stays > "$FOLDER/out" 2> "$FOLDER/err" &
kz=$!
child=
for i in $(seq 200); do
    child=$(cat "/proc/$kz/task/$kz/children" 2> /dev/null)
    [ -n "$child" ] && tr '\0' ' ' < "/proc/${child% }/cmdline" 2> /dev/null | grep -q stays && break
    sleep 0.05
done
kill -9 $kz
wait $kz 2> /dev/null
for i in $(seq 100); do kill -0 ${child:-$$} 2> /dev/null || break; sleep 0.05; done
[ -n "$child" ] && kill -0 $child 2> /dev/null && fail "process $child runs on" && kill -9 $child

KZ_TIMEOUT=soon expect_exit 2 run program.cu
expect_err "KZ_TIMEOUT is \"soon\""
KZ_COMPILE_SECONDS=-1 expect_exit 2 run program.cu
expect_err "KZ_COMPILE_SECONDS is \"-1\""
KZ_COMPILE_MEMORY=abc expect_exit 2 list
expect_err "KZ_COMPILE_MEMORY is \"abc\""

# Whether a macro makes a main is unknown where the preprocessor cannot write.
printf '#define MAIN int ma##in(int argc, char **argv)\n' > main.h
printf '#include "main.h"\nMAIN { return 3; }\n' > makes_main.cu
expect_exit 3 run makes_main.cu
TMPDIR=/proc expect_exit 5 run makes_main.cu
expect_err "set TMPDIR to a folder"

# What ptxas refuses comes with what to do.
cat > shared.cu << 'END'
__global__ void k(int *o) {
    __shared__ int s[16384];
    s[threadIdx.x] = o[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[16383 - threadIdx.x];
}
int main() { k<<<1, 32>>>(nullptr); }
END
expect_exit 6 run shared.cu
expect_err "static shared memory has 48 KiB"
mkdir folder.cu
expect_exit 2 run folder.cu
expect_err "folder.cu is a folder"
KZ_LEARN="$FOLDER/learn" expect_exit 5 portfolio --html=/nonexistent/page.html
# A library of nobody's that the loader misses.
echo 'int gone(void) { return 0; }' > gone.c
echo 'int gone(void); int main(void) { return gone(); }' > needs.c
cc -shared -fPIC -o libgone.so gone.c && cc needs.c -o needs -L. -lgone && rm libgone.so
expect_exit 2 run ./needs
expect_err "needs the library libgone.so"
# The processor runs no CUDA: that is no mistake in the file.
cat > add.cu << 'END'
// kz: task vector-add
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, int n) {}
END
KZ_LEARN="$FOLDER/learn" expect_exit 8 grade add.cu --device cpu
expect_err "which the device cpu does not run"
finish
