// The block that comes last, for the families reduce, reduce_segments and pagerank: a ticket that lives in the module and
// winds itself back to 0, so that nothing need be filled before. One launch of a module at a time.
#ifndef KZ_LAST_BLOCK_CUH
#define KZ_LAST_BLOCK_CUH

#include "kz/kernel.cuh"

__device__ unsigned kz_ticket; // 0 before and after every launch

// True for all threads of the block that comes last; what the others' threads 0 wrote before is then visible to it.
static __device__ __forceinline__ bool kz_is_last_block(void) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence(); // the partial result before the ticket
        last = atomicInc(&kz_ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence(); // the ticket before the others' partial results
    }
    __syncthreads();
    return last;
}

// The same of `blocks` blocks that share a ticket of their own, 0 before and after; what all threads of the others wrote before is
// then visible to all threads of the last one.
static __device__ __forceinline__ bool kz_is_last_of(unsigned *ticket, unsigned blocks) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(ticket, blocks - 1) == blocks - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

#endif
