// reduce 07: one kernel, the last block finishes
//
// Idea     a second launch costs more than reducing a million elements; let the grid know when it is done.
// Change   each block writes its partial result and takes a ticket; the block that draws the last one folds
//          all partials, in order. The ticket lives in the module and winds itself back to 0, so that nothing
//          need be filled before.
// Expect   one launch, nothing else; the same result in every run, for no order depends on who came first.
// Limit    the module's ticket allows one launch at a time. A fence and an atomic per block at the end.

#include "kz/device/last_block.cuh"
#include "vector.cuh"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void last_block(const T *in, T *out, long long *index, A *partial,
                                                  size_t n) {
    A value = kz_fold_block<operation>(fold_thread<operation, T, A>(in, n));
    if (gridDim.x > 1) {
        if (threadIdx.x == 0) partial[blockIdx.x] = value;
        if (!kz_is_last_block()) return;
        value = kz_fold_identity<operation>(value);
        for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS)
            value = kz_fold_combine<operation>(value, kz_load_l2(&partial[i]));
        value = kz_fold_block<operation>(value);
    }
    if (threadIdx.x == 0) write_result<operation>(out, index, value, n);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_last_block_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                   \
    (const T *in, T *out, A *partial, size_t n) { last_block<OPERATION, T, A>(in, out, NULL, partial, n); }
#define ARG(operation, OPERATION, type, T, A)                                                                \
    KZ_ENTRY_BOUNDS(reduce_last_block_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                   \
    (const T *in, T *out, long long *index, kz_value_index<A> *partial, size_t n) {                          \
        last_block<OPERATION, T, kz_value_index<A>>(in, out, index, partial, n);                             \
    }
REDUCE_ALL(ENTRY)
KZ_FOLD_FLOATS(ENTRY, mean, KZ_MEAN)
KZ_ARG_TYPES(ARG)
