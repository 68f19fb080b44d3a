// bfs: what the variants share: the barrier of all blocks, strong accesses, warp sums.
//
// The whole search is one cooperative launch. A level is done when all blocks have met; whoever comes last keeps the
// tail as it is then, so that all blocks read the same number although the fast ones already add to it.
#ifndef BFS_CUH
#define BFS_CUH

#include "kz/kernel.cuh"
#include "tune.h"

// In the workspace; zeros before the launch.
struct search {
    unsigned arrived, released; // blocks that came to a barrier so far; barriers that all have passed
    unsigned long long tail;    // only ever grows: how much was found. What it counts, the variant says
    unsigned long long kept[2]; // the tail at the last barrier and at the one before
};

// Relaxed, at the GPU's scope: of a word that other blocks change in the same level.
static __device__ __forceinline__ int look(const int *at) {
    int value;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
static __device__ __forceinline__ unsigned look(const unsigned *at) {
    return (unsigned)look((const int *)at);
}
static __device__ __forceinline__ void put(int *at, int value) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

// All blocks wait for each other, for the `round`-th time, from 1. What any thread wrote before is then there for all.
// Gives the tail that all of them see.
static __device__ __forceinline__ unsigned long long meet(search *s, unsigned round) {
    __shared__ unsigned long long tail;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(&s->arrived, 1u) == round * gridDim.x - 1) {
            __threadfence(); // what the others added is in the tail
            s->kept[round % 2] = atomicAdd(&s->tail, 0ull);
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&s->released), "r"(round) : "memory");
        } else {
            while (look(&s->released) < round) {}
            __threadfence(); // before anything that the others wrote
        }
        tail = *(volatile unsigned long long *)&s->kept[round % 2];
    }
    __syncthreads();
    return tail;
}

#endif
