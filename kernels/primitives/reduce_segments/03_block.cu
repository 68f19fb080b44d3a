// reduce_segments 03: a block per segment
//
// Idea     more threads for long segments.
// Change   256 threads stride over the segment, fold by shuffles and meet in shared memory.
// Expect   good for segments of many thousand elements, all of one kind.
// Limit    short segments pay two barriers of eight warps; a giant has one multiprocessor of all (see 04).

#include "segments.cuh"

template <int operation, typename T, typename A>
static __device__ __forceinline__ void block_each(const T *in, const unsigned *offsets, T *out,
                                                  size_t segments) {
    for (size_t s = blockIdx.x; s < segments; s += gridDim.x) {
        A value = kz_fold_identity<operation>(A());
        size_t end = offsets[s + 1];
        for (size_t k = offsets[s] + threadIdx.x; k < end; k += blockDim.x)
            value = kz_fold_combine<operation>(value, (A)kz_widen(in[k]));
        value = kz_fold_block<operation>(value);
        if (threadIdx.x == 0) write_result<operation>(out, offsets, s, value);
    }
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY(reduce_segments_block_##operation##_##type)                                                     \
    (const T *in, const unsigned *offsets, T *out, size_t segments) {                                        \
        block_each<OPERATION, T, A>(in, offsets, out, segments);                                             \
    }
REDUCE_SEGMENTS_ALL(ENTRY)
