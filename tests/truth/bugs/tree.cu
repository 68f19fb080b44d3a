// A block's sum by a tree in shared memory.
//
// bug 1 race: no barrier between the loads and the tree
// bug 2 race: no barrier between the steps
// bug 3 race: the last warp goes on without __syncwarp
// bug 4 out-of-bounds: the first step reaches past the array
// bug 5 undefined-output: threads past the end leave their element unset
// bug 6 barrier-divergent: the barrier stands under the condition
// bug 7 out-of-bounds: the bound lets one element too many through
#define BUGS 7
#include "bugs.cuh"

enum { N = 1000, THREADS = 256 };

template <int bug> __global__ void tree(const int *in, int *out, int n) {
    __shared__ int part[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    if (i < n || (BUG(7) && i <= n))
        part[t] = in[i]; // <- 1 7
    else if (!BUG(5))
        part[t] = 0;
    if (!BUG(1)) __syncthreads();
    for (int step = BUG(4) ? THREADS : THREADS / 2; step >= 32; step /= 2) {
        if (t < step) {
            part[t] += part[t + step]; // <- 1 2 4
            if (BUG(6)) __syncthreads(); // <- 6
        }
        if (!BUG(2) && !BUG(6)) __syncthreads();
    }
    if (t < 32) {
        for (int step = 16; step > 0; step /= 2) {
            int other = part[t + step]; // <- 3
            if (!BUG(3)) __syncwarp();
            part[t] += other; // <- 3
            if (!BUG(3)) __syncwarp();
        }
    }
    if (t == 0) out[blockIdx.x] = part[0]; // <- 5
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static int in[N], out[4];
    int want = 0, got = 0;
    for (int i = 0; i < N; i++) want += in[i] = i % 7;
    int *device_in = device(N, in), *device_out = zeros<int>(4);
    PICK(tree)<<<4, THREADS>>>(device_in, device_out, N);
    launched();
    fetch(out, device_out, 4);
    for (int i = 0; i < 4; i++) got += out[i];
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    return finish(got == want);
}
