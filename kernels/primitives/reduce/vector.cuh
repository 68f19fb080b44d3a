// reduce: the sweep of 06 to 09: one thread's part of the input, in packs of 16 bytes.
//
// Pack i belongs to thread i % threads in the grid, so that the whole grid moves over the data together and
// all threads have the same share, but for one pack. PACKS loads are in flight at a time, each with an
// accumulator of its own. The elements before the first aligned address and after the last whole pack, fewer
// than 32 in all, go to the first threads, one each.
#ifndef REDUCE_VECTOR_CUH
#define REDUCE_VECTOR_CUH

#include "kz/device/value_index.cuh"
#include "reduce.cuh"
#include "tune.h"

enum { THREADS = REDUCE_VECTOR_THREADS };

// The result; `index` is for a best alone.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(T *out, long long *, A value, size_t n) {
    kz_narrow(out, kz_fold_conclude<operation>(value, n));
}
template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(T *out, long long *index, kz_value_index<A> b, size_t) {
    kz_narrow(out, b.value);
    *index = kz_index_of(b);
}

// Loads in flight: half as many where a value is large, for each has an accumulator.
template <typename A> static constexpr int VECTOR_PACKS = REDUCE_VECTOR_PACKS / (sizeof(A) > 4 ? 2 : 1);

template <int operation, typename T, typename A, int PACKS = VECTOR_PACKS<A>>
static __device__ __forceinline__ A fold_thread(const T *in, size_t n) {
    const int PACK = 16 / sizeof(T);
    size_t head = (0 - (size_t)in) % 16 / sizeof(T);
    if (head > n) head = n;
    const T *body = in + head;
    size_t packs = (n - head) / PACK;
    size_t after = head + packs * PACK;

    A value[PACKS];
#pragma unroll
    for (int p = 0; p < PACKS; p++) value[p] = kz_fold_identity<operation>(A());
    A last = value[0]; // folded last, for each value goes up in the elements' order
    if (kz_thread() < head) value[0] = kz_fold_element<A>::at(in[kz_thread()], kz_thread());
    if (kz_thread() < n - after) last = kz_fold_element<A>::at(in[after + kz_thread()], after + kz_thread());

    size_t stride = kz_threads();
    size_t i = kz_thread();
    for (; i + (PACKS - 1) * stride < packs; i += PACKS * stride) {
        kz_pack<T> pack[PACKS];
#pragma unroll
        for (int p = 0; p < PACKS; p++)
            pack[p] = kz_load_pack<REDUCE_VECTOR_LOAD>(body + (i + p * stride) * PACK);
#pragma unroll
        for (int p = 0; p < PACKS; p++)
            value[p] = kz_fold_pack_at<operation, T, A>(value[p], pack[p], head + (i + p * stride) * PACK);
    }
#pragma unroll
    for (int p = 0; p < PACKS - 1; p++) // what is left, its loads at once as well
        if (i + p * stride < packs)
            value[p] = kz_fold_pack_at<operation, T, A>(
                value[p], kz_load_pack<REDUCE_VECTOR_LOAD>(body + (i + p * stride) * PACK),
                head + (i + p * stride) * PACK);

#pragma unroll
    for (int p = 1; p < PACKS; p++) value[0] = kz_fold_combine<operation>(value[0], value[p]);
    return kz_fold_combine<operation>(value[0], last);
}

#endif
