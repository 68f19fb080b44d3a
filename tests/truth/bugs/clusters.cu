// Two blocks of a cluster read and write each other's shared memory.
//
// bug 1 race: no barrier of the cluster before the neighbour's memory is read
// bug 2 race|fault|use-after-free|out-of-bounds: a block ends while its neighbour reads from it
// bug 3 race: the barrier is of the block alone
// bug 4 race: both write one word
// bug 5 out-of-bounds: past the end of the neighbour's memory
#define BUGS 5
#include "bugs.cuh"

enum { THREADS = 64 };

__device__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ unsigned neighbour(const void *own, unsigned rank) {
    unsigned address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(address)
                 : "r"((unsigned)__cvta_generic_to_shared(own)), "r"(rank));
    return address;
}

__device__ int load(unsigned address) {
    int v;
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(address) : "memory"); // <- 1 2 3 5
    return v;
}

__device__ void store(unsigned address, int v) {
    asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(address), "r"(v) : "memory"); // <- 4
}

template <int bug> __global__ void __cluster_dims__(2, 1, 1) exchange(int *out) {
    __shared__ int own[THREADS];
    __shared__ int word;
    int t = threadIdx.x, rank = blockIdx.x % 2;
    own[t] = rank * 100 + t; // <- 1 3
    if (t == 0) word = 0;
    if (BUG(3))
        __syncthreads();
    else if (!BUG(1))
        cluster_barrier();
    out[blockIdx.x * THREADS + t] = load(neighbour(&own[BUG(5) ? t + 40 : t], 1 - rank) + (BUG(5) ? 65536 : 0)); // <- 1 2 3 5
    if (t == 0 && (BUG(4) || rank == 0)) store(neighbour(&word, 0), rank + 1); // <- 4
    if (!BUG(2)) cluster_barrier();
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int *device_out = zeros<int>(4 * THREADS), out[4 * THREADS];
    PICK(exchange)<<<4, THREADS>>>(device_out);
    launched();
    fetch(out, device_out, 4 * THREADS);
    CHECK(cudaFree(device_out));
    return finish(out[3] == 103 && out[THREADS + 3] == 3);
}
