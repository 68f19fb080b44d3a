// reduce 07: one kernel, the last block finishes
//
// Idea     a second launch costs more than reducing a million elements; let the grid know when it is done.
// Change   each block writes its partial result and takes a ticket; the block that draws the last one folds
//          all partials, in order. The ticket lives in the module and winds itself back to 0, so that nothing
//          need be filled before.
// Expect   one launch, nothing else; the same result in every run, for no order depends on who came first.
// Limit    the module's ticket allows one launch at a time. A fence and an atomic per block at the end.

#include "vector.cuh"

__device__ unsigned reduce_ticket; // 0 before and after every launch

// True for all threads of the block that comes last; what the others wrote before is then visible to it.
static __device__ __forceinline__ bool come_last(void) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence(); // the partial result before the ticket
        last = atomicInc(&reduce_ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence(); // the ticket before the others' partial results
    }
    __syncthreads();
    return last;
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void last_block(const T *in, T *out, A *partial, size_t n) {
    A value = fold_block<operation>(fold_thread<operation, T, A>(in, n));
    if (gridDim.x > 1) {
        if (threadIdx.x == 0) partial[blockIdx.x] = value;
        if (!come_last()) return;
        value = identity<operation>(value);
        for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS)
            value =
                combine<operation>(value, __ldcg(&partial[i])); // from L2: L1 knows nothing of other blocks
        value = fold_block<operation>(value);
    }
    if (threadIdx.x == 0) kz_narrow(out, value);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_last_block_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                   \
    (const T *in, T *out, A *partial, size_t n) { last_block<OPERATION, T, A>(in, out, partial, n); }
REDUCE_ALL(ENTRY)
