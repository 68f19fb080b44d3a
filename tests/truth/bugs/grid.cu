// All blocks together, with barriers of the whole grid.
//
// bug 1 race: no barrier of the grid between the passes
// bug 2 race: the barrier is of the block alone
// bug 3 race: no barrier before the buffers change roles
#define BUGS 3
#include "bugs.cuh"
#include <cooperative_groups.h>

enum { BLOCKS = 4, THREADS = 64, N = BLOCKS * THREADS, PASSES = 3 };

template <int bug> __global__ void passes(int *from, int *to) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int pass = 0; pass < PASSES; pass++) {
        to[i] = from[(i + THREADS) % N] + 1; // <- 1 2 3
        if (BUG(2))
            __syncthreads();
        else if (!BUG(1) && !(BUG(3) && pass == 1))
            grid.sync();
        int *old = from;
        from = to;
        to = old;
    }
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int *from = zeros<int>(N), *to = zeros<int>(N), out[N];
    void *args[] = {&from, &to};
    CHECK(cudaLaunchCooperativeKernel((const void *)PICK(passes), dim3(BLOCKS), dim3(THREADS), args, 0, nullptr));
    launched();
    fetch(out, to, N);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return finish(out[5] == PASSES);
}
