// Barriers that not all threads reach, or that are not the same.
//
// bug 1 barrier-divergent: half of a warp comes
// bug 2 barrier-mismatch|deadlock|barrier-divergent: two halves of the block at two named barriers
// bug 3 barrier-mismatch|deadlock|barrier-divergent: a count that never comes together
// bug 4 barrier-divergent|barrier-mismatch|deadlock: some warps go round more often
// bug 5 barrier-mismatch|barrier-divergent: lanes of one warp at different barriers
// bug 6 barrier-divergent: the barrier is in a loop that lanes leave one by one
#define BUGS 6
#include "bugs.cuh"

enum { THREADS = 128 };

template <int bug> __global__ void conditions(int *out, int n) {
    __shared__ int words[THREADS];
    int t = threadIdx.x;
    words[t] = t;
    if (BUG(1)) {
        if (t % 32 < 16) __syncthreads(); // <- 1
    } else if (BUG(5)) {
        if (t % 2)
            __syncthreads(); // <- 5
        else
            asm volatile("bar.sync 0;" ::: "memory"); // <- 5
    } else {
        __syncthreads();
    }
    out[t] = words[BUG(1) || BUG(5) ? t : THREADS - 1 - t];
}

template <int bug> __global__ void named(int *out) {
    __shared__ int words[THREADS];
    int t = threadIdx.x, half = t / 64;
    words[t] = t;
    if (BUG(2))
        asm volatile("bar.sync %0, 128;" ::"r"(half + 1) : "memory"); // <- 2
    else if (BUG(3))
        asm volatile("bar.sync %0, 96;" ::"r"(half + 1) : "memory"); // <- 3
    else
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    out[t] = words[half * 64 + (t + 1) % 64];
}

template <int bug> __global__ void rounds(int *out) {
    __shared__ int words[THREADS];
    int t = threadIdx.x, count = BUG(4) ? 2 + t / 64 : 3;
    words[t] = 0;
    for (int i = 0; i < count; i++) {
        words[t] += i;
        __syncthreads(); // <- 4
    }
    for (int i = 0; BUG(6) && i < t % 4; i++) __syncthreads(); // <- 6
    out[t] = words[t];
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int *device_out = zeros<int>(THREADS), out[THREADS];
    PICK(conditions)<<<1, THREADS>>>(device_out, THREADS);
    launched();
    PICK(named)<<<1, THREADS>>>(device_out);
    launched();
    fetch(out, device_out, THREADS);
    bool right = out[0] == 1 && out[127] == 64;
    PICK(rounds)<<<1, THREADS>>>(device_out);
    launched();
    CHECK(cudaFree(device_out));
    return finish(right);
}
