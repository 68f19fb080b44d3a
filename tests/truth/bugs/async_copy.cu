// Tiles come to shared memory by cp.async, two stages deep.
//
// bug 1 async-no-wait: nobody waits
// bug 2 async-no-wait: one group too many may be under way
// bug 3 race|async-no-wait: no barrier after the wait, though others' elements are read
// bug 4 race|async-no-wait: no barrier before the stage is filled again
// bug 5 async-no-wait: the copies are in no group
// bug 6 out-of-bounds: the last tile is not there
// bug 7 misaligned: 16 bytes from an address that is a multiple of 4
#define BUGS 7
#include "bugs.cuh"

enum { THREADS = 64, TILES = 6 };

__device__ void copy_4(int *to, const int *from) {
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory"); // <- 1 2 3 4 5 6
}

__device__ void copy_16(int *to, const int *from) {
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory"); // <- 7
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int most> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(most) : "memory"); }

template <int bug> __global__ void pipeline(const int *in, int *out) {
    __shared__ int stages[2][THREADS];
    int t = threadIdx.x, sum = 0, tiles = BUG(6) ? TILES + 1 : TILES;
    copy_4(&stages[0][t], &in[t]); // <- 1 2 3 4 5
    if (!BUG(5)) commit();
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) copy_4(&stages[(tile + 1) % 2][t], &in[(tile + 1) * THREADS + t]); // <- 1 2 3 4 5 6
        if (!BUG(5)) commit();
        if (BUG(2))
            wait<2>();
        else if (!BUG(1))
            wait<1>();
        if (!BUG(3)) __syncthreads();
        sum += stages[tile % 2][THREADS - 1 - t]; // <- 1 2 3 4 5
        if (!BUG(4)) __syncthreads();
    }
    wait<0>();
    out[t] = sum;
}

template <int bug> __global__ void wide(const int *in, int *out) {
    __shared__ __align__(16) int room[4 * THREADS];
    int t = threadIdx.x;
    copy_16(&room[4 * t], &in[4 * t + (BUG(7) ? 1 : 0)]); // <- 7
    commit();
    wait<0>();
    __syncthreads();
    out[t] = room[4 * (THREADS - 1 - t)];
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static int in[THREADS * TILES];
    int out[THREADS], want = 0;
    for (int i = 0; i < THREADS * TILES; i++) in[i] = i;
    for (int i = 0; i < TILES; i++) want += in[i * THREADS + THREADS - 1];
    int *device_in = device(THREADS * TILES, in), *device_out = zeros<int>(THREADS);
    PICK(pipeline)<<<1, THREADS>>>(device_in, device_out);
    launched();
    fetch(out, device_out, THREADS);
    bool right = out[0] == want;
    PICK(wide)<<<1, THREADS>>>(device_in, device_out);
    launched();
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    return finish(right);
}
