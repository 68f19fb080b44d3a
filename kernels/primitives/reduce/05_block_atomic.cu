// reduce 05: one atomic per block
//
// Idea     a thread can fold many elements in a register before it exchanges anything.
// Change   a grid that fills the GPU strides over the data; then warps fold by shuffles, their results meet
//          in shared memory once, and the block has one atomic.
// Expect   about a thousand atomics for any n, one barrier pair per block.
// Limit    4 bytes per load: few bytes in flight (see 06).

#include "reduce.cuh"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void block_atomic(const T *in, void *cell, size_t n) {
    A value = kz_fold_identity<operation>(A());
    for (size_t i = kz_thread(); i < n; i += kz_threads())
        value = kz_fold_combine<operation>(value, (A)kz_widen(in[i]));
    value = kz_fold_block<operation>(value);
    if (threadIdx.x == 0) fold_into<operation>(cell, value);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_block_atomic_##operation##_##type)(const T *in, void *cell, size_t n) {                  \
        block_atomic<OPERATION, T, A>(in, cell, n);                                                          \
    }
REDUCE_ALL(ENTRY)
REDUCE_ALL_FINISH
