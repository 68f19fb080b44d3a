// A tile comes by cp.async.bulk, which an mbarrier follows, is doubled and goes back by cp.async.bulk.
//
// bug 1 async-no-wait|race: nobody waits for the tile
// bug 2 async-no-wait|race|deadlock: half of the bytes are expected
// bug 3 race|async-no-wait|fault: no barrier after the mbarrier was made
// bug 4 race|race-publication|async-no-wait: the stores are not fenced for the asynchronous proxy
// bug 5 race|async-no-wait: the tile is written again while it goes out
// bug 6 misaligned|fault: the tile begins at a multiple of 4 bytes
#define BUGS 6
#include "bugs.cuh"

enum { N = 256, BYTES = N * 4 };

__device__ unsigned address_of(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }

template <int bug> __global__ void through(const int *in, int *out, int *twice) {
    __shared__ __align__(128) int tile[N + 4];
    __shared__ __align__(8) unsigned long long barrier;
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address_of(&barrier)) : "memory"); // <- 3
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (!BUG(3)) __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address_of(&barrier)),
                     "r"(BUG(2) ? BYTES / 2 : BYTES)
                     : "memory");
        unsigned to = address_of(tile + (BUG(6) ? 1 : 0));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" // <- 1 2 6
                     ::"r"(to), "l"(in), "r"(BYTES), "r"(address_of(&barrier)) // <- 1 2 6
                     : "memory");
    }
    if (!BUG(1)) {
        unsigned done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" // <- 3
                         : "=r"(done)
                         : "r"(address_of(&barrier))
                         : "memory");
    }
    tile[t] *= 2; // <- 1 2 4
    if (!BUG(4)) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out), "r"(address_of(tile)), // <- 4 5
                     "r"(BYTES)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        if (!BUG(5)) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
    tile[t] += 1; // <- 5
    twice[t] = tile[t];
    if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = i;
    int *device_in = device(N, in), *device_out = zeros<int>(N), *twice = zeros<int>(N);
    PICK(through)<<<1, N>>>(device_in, device_out, twice);
    launched();
    fetch(out, device_out, N);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    CHECK(cudaFree(twice));
    return finish(out[7] == 14);
}
