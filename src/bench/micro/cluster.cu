// kz: sm 90
// Distributed shared memory: what a block of a cluster has to wait for, and can do, in the other block's.
//
// A cluster of two blocks. Nobody ends before the last access to its memory.

#include "micro.cuh"

enum { UNROLL = 8 };

static __device__ __forceinline__ void meet(void) {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

static __device__ __forceinline__ uint32_t in_block(const void *here, uint32_t rank) {
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(micro_shared(here)), "r"(rank));
    return there;
}

MICRO_FOLLOW(follow_other, uint32_t, "r", "ld.shared::cluster.u32")

// Block 0 follows the ring that lies in block 1.
MICRO(chase_distributed) {
    __shared__ uint32_t ring[MICRO_SMALL_RING];
    uint32_t first = in_block(ring, 1);
#pragma unroll 1
    for (uint32_t i = 0; i < MICRO_SMALL_RING; i++)
        ring[i] = first + 4u * ((13u * i + 7u) % MICRO_SMALL_RING);
    meet();
    if (blockIdx.x == 0) {
        MICRO_CHASE(follow_other, uint32_t, first);
        values[0] = (at - first) / 4u;
    }
    meet();
}

// Each block counts in the other's memory, at `a` addresses, a multiple of 32.
MICRO(distributed_add) {
    __shared__ uint32_t counts[1024];
    counts[threadIdx.x] = threadIdx.x;
    uint32_t at = in_block(&counts[threadIdx.x % a], blockIdx.x ^ 1u);
    meet();
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(at) : "memory");
    }
    micro_end(cycles, begin);
    meet();
    values[kz_thread()] = counts[threadIdx.x];
}
