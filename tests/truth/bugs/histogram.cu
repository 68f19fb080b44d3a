// A histogram: counted in shared memory, added up in global memory.
//
// bug 1 race: counts are raised without an atomic
// bug 2 undefined-output: the counts do not begin at 0
// bug 3 race: no barrier between setting the counts to 0 and counting
// bug 4 race: no barrier between counting and adding up
// bug 5 race: blocks add up without an atomic
// bug 6 out-of-bounds: a value without a bin
// bug 7 undefined-output: the sums do not begin at 0
#define BUGS 7
#include "bugs.cuh"

enum { N = 2000, BINS = 64, THREADS = 128 };

template <int bug> __global__ void histogram(const int *in, int *sums, int n) {
    __shared__ int counts[BINS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    if (!BUG(2) && t < BINS) counts[t] = 0; // <- 3
    if (!BUG(3)) __syncthreads();
    if (i < n) {
        int bin = in[i] % BINS + (BUG(6) ? 1 : 0);
        if (BUG(1))
            counts[bin]++; // <- 1
        else
            atomicAdd(&counts[bin], 1); // <- 2 3 4 6
    }
    if (!BUG(4)) __syncthreads();
    if (t < BINS) {
        if (BUG(5))
            sums[t] += counts[t]; // <- 5
        else
            atomicAdd(&sums[t], counts[t]); // <- 2 4 7
    }
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static int in[N], sums[BINS];
    int total = 0;
    for (int i = 0; i < N; i++) in[i] = i * 7 % 100;
    int *device_in = device(N, in), *device_sums = which == 7 ? device<int>(BINS) : zeros<int>(BINS);
    PICK(histogram)<<<(N + THREADS - 1) / THREADS, THREADS>>>(device_in, device_sums, N);
    launched();
    fetch(sums, device_sums, BINS);
    for (int i = 0; i < BINS; i++) total += sums[i];
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_sums));
    return finish(total == N);
}
