// grad_norm: what the variants share: squares of a chunk, what becomes of their sum, and the entries.
#ifndef GRAD_NORM_CUH
#define GRAD_NORM_CUH

#include "kz/device/fold.cuh"
#include "ml_ops/parameters.cuh"
#include "tune.h"

// The arguments of norm's entries. `sums` is the workspace: a cell that blocks add to, or a sum for each block.
template <typename T> struct norm_run {
    const T *gradients;
    const kz_parameter *table;
    const long long *list;
    const float *scale; // NULL stands for 1
    float *norm, *coefficient;
    unsigned *not_finite;
    float *sums;
    size_t chunks;
    float max_norm;
};

// A chunk's elements. All but a tensor's first chunk begin at a multiple of 16 bytes; so does element `head` of that.
template <typename T> struct norm_chunk {
    T *at;
    unsigned count, head;
};
template <typename T>
static __device__ __forceinline__ norm_chunk<T> norm_find_chunk(T *gradients, const kz_parameter *table,
                                                                long long entry) {
    const kz_parameter *tensor = parameter_tensor(table, entry);
    T *array = parameter_array(gradients, tensor->gradients);
    unsigned head = parameter_head(array);
    parameter_range range = parameter_chunk(entry, tensor->count, head);
    unsigned before = (unsigned)entry == 0 ? head : 0;
    return {array + range.begin, range.count, before < range.count ? before : range.count};
}

// ---- squares -----------------------------------------------------------------------------------------

static __device__ __forceinline__ float add_square(float sum, float x) { return fmaf(x, x, sum); }

template <typename T> static __device__ __forceinline__ float add_squares(float sum, kz_pack<T> pack) {
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e++) sum = add_square(sum, kz_widen(pack.at[e]));
    return sum;
}

// A thread's part of a chunk, of all the block's threads, onto its sums: one for each pack in flight.
template <int packs, typename T>
static __device__ __forceinline__ void norm_add_chunk(float sums[packs], const norm_chunk<const T> &c) {
    const unsigned LANES = 16 / sizeof(T), STRIDE = GRAD_NORM_THREADS * LANES;
    unsigned end = c.head + (c.count - c.head) / LANES * LANES, i = c.head + threadIdx.x * LANES;
#pragma unroll 1
    for (; i + (packs - 1) * STRIDE < end; i += packs * STRIDE) {
        kz_pack<T> pack[packs];
#pragma unroll
        for (int k = 0; k < packs; k++) pack[k] = kz_load_pack<KZ_CACHE>(c.at + i + k * STRIDE);
#pragma unroll
        for (int k = 0; k < packs; k++) sums[k] = add_squares(sums[k], pack[k]);
    }
#pragma unroll 1
    for (; i < end; i += STRIDE) sums[0] = add_squares(sums[0], kz_load_pack<KZ_CACHE>(c.at + i));
    // Fewer than a pack at either end.
    if (threadIdx.x < c.head) sums[0] = add_square(sums[0], kz_widen(c.at[threadIdx.x]));
    if (threadIdx.x < c.count - end) sums[0] = add_square(sums[0], kz_widen(c.at[end + threadIdx.x]));
}

// A block's sum over the chunks blockIdx.x, blockIdx.x + gridDim.x, ...: thread 0 has it. The next chunk's place is read while this
// one's elements come. The grid has no more blocks than there are chunks, but one.
template <typename T> static __device__ __forceinline__ float norm_sum_chunks(const norm_run<T> &run) {
    const int PACKS = GRAD_NORM_PACKS;
    unsigned stride = gridDim.x, at = blockIdx.x, chunks = (unsigned)run.chunks;
    float sums[PACKS] = {};
    if (at < chunks) {
        long long entry = run.list[at], after = at + stride < chunks ? run.list[at + stride] : entry;
        norm_chunk<const T> c = norm_find_chunk(run.gradients, run.table, entry);
#pragma unroll 1
        for (; at < chunks; at += stride) {
            norm_chunk<const T> next = norm_find_chunk(run.gradients, run.table, after);
            if (at + 2 * stride < chunks) after = run.list[at + 2 * stride];
            norm_add_chunk<PACKS>(sums, c);
            c = next;
        }
    }
#pragma unroll
    for (int k = 1; k < PACKS; k++) sums[0] += sums[k];
    return kz_fold_block<KZ_SUM>(sums[0]);
}

// ---- results -----------------------------------------------------------------------------------------

// By one thread. NaN stays NaN: the least of 1 and NaN would be 1.
template <typename T>
static __device__ __forceinline__ void norm_finish(const norm_run<T> &run, float squares) {
    float scale = run.scale ? *run.scale : 1.0f, norm = sqrtf(squares) * scale;
    float coefficient = run.max_norm / (norm + 1e-6f);
    if (coefficient > 1.0f) coefficient = 1.0f;
    *run.norm = norm;
    *run.coefficient = coefficient * scale;
    *run.not_finite = !(fabsf(norm) <= 3.402823466e38f);
}

// ---- entry points ------------------------------------------------------------------------------------

#define NORM_TYPES(ENTRY, ...)                                                                               \
    ENTRY(f32, float, __VA_ARGS__)                                                                           \
    ENTRY(f16, kz_f16, __VA_ARGS__)                                                                          \
    ENTRY(bf16, kz_bf16, __VA_ARGS__)

// BODY is a function template <T>(const norm_run<T> &); `idea` is the variant's, or that and a part of it.
#define NORM_ENTRY(type, T, idea, BODY)                                                                      \
    KZ_ENTRY_BOUNDS(grad_norm_##idea##_norm_##type, GRAD_NORM_THREADS, GRAD_NORM_BLOCKS)                     \
    (const T *gradients, const kz_parameter *table, const long long *list, const float *scale, float *norm,  \
     float *coefficient, unsigned *not_finite, float *sums, size_t chunks, float max_norm) {                 \
        norm_run<T> run = {gradients,   table,      list, scale,  norm,                                      \
                           coefficient, not_finite, sums, chunks, max_norm};                                 \
        BODY(run);                                                                                           \
    }
#define NORM_ENTRIES(idea, BODY) NORM_TYPES(NORM_ENTRY, idea, BODY)

// BODY is a function template <T>(norm_chunk<T>, float), for a block.
#define CLIP_ENTRY(type, T, idea, BODY)                                                                      \
    KZ_ENTRY_BOUNDS(grad_norm_##idea##_clip_##type, GRAD_NORM_THREADS, GRAD_NORM_BLOCKS)                     \
    (T * gradients, const kz_parameter *table, const long long *list, const float *coefficient) {            \
        long long entry = list[blockIdx.x];                                                                  \
        float factor = *coefficient;                                                                         \
        if (factor != 1.0f) BODY(norm_find_chunk(gradients, table, entry), factor);                          \
    }
#define CLIP_ENTRIES(idea, BODY) NORM_TYPES(CLIP_ENTRY, idea, BODY)

// What a launch that finishes what others left in the workspace does: a cell, or `count` sums in an order that never changes.
template <typename T> static __device__ __forceinline__ void norm_finish_cell(const norm_run<T> &run) {
    if (threadIdx.x == 0) norm_finish(run, run.sums[0]);
}
template <typename T>
static __device__ __forceinline__ void norm_finish_sums(const norm_run<T> &run, size_t count) {
    float sum = 0.0f;
    for (size_t i = threadIdx.x; i < count; i += GRAD_NORM_THREADS) sum += __ldcg(&run.sums[i]);
    sum = kz_fold_block<KZ_SUM>(sum);
    if (threadIdx.x == 0) norm_finish(run, sum);
}

#endif
