// Values of any size in a warp: shuffles, the scan and the fold of an operation; the scan of the warps' totals.
//
// An operation Op has a type `value`, identity() and combine(before, after), which is associative; where it
// does not commute, `before` stands for what comes before. All 32 lanes must call these functions.
#ifndef KZ_WARP_CUH
#define KZ_WARP_CUH

#include "kz/kernel.cuh"

// A value as 32-bit words: shuffles and tile statuses take no others.
template <typename A> struct kz_words_of {
    static const int COUNT = sizeof(A) / 4;
    unsigned at[COUNT];
};
template <typename A> static __device__ __forceinline__ kz_words_of<A> kz_to_words(A value) {
    kz_words_of<A> words;
    memcpy(words.at, &value, sizeof value);
    return words;
}
template <typename A> static __device__ __forceinline__ A kz_from_words(kz_words_of<A> words) {
    A value;
    memcpy(&value, words.at, sizeof value);
    return value;
}

template <typename A> static __device__ __forceinline__ A kz_shuffle(A value, unsigned lane) {
    kz_words_of<A> words = kz_to_words(value);
#pragma unroll
    for (int i = 0; i < words.COUNT; i++) words.at[i] = __shfl_sync(KZ_ALL_LANES, words.at[i], lane);
    return kz_from_words(words);
}
template <typename A> static __device__ __forceinline__ A kz_shuffle_up(A value, unsigned by) {
    kz_words_of<A> words = kz_to_words(value);
#pragma unroll
    for (int i = 0; i < words.COUNT; i++) words.at[i] = __shfl_up_sync(KZ_ALL_LANES, words.at[i], by);
    return kz_from_words(words);
}
template <typename A> static __device__ __forceinline__ A kz_shuffle_down(A value, unsigned by) {
    kz_words_of<A> words = kz_to_words(value);
#pragma unroll
    for (int i = 0; i < words.COUNT; i++) words.at[i] = __shfl_down_sync(KZ_ALL_LANES, words.at[i], by);
    return kz_from_words(words);
}

// The value of the lane whose number differs by these bits.
template <typename A> static __device__ __forceinline__ A kz_shuffle_xor(A value, unsigned bits) {
    kz_words_of<A> words = kz_to_words(value);
#pragma unroll
    for (int i = 0; i < words.COUNT; i++) words.at[i] = __shfl_xor_sync(KZ_ALL_LANES, words.at[i], bits);
    return kz_from_words(words);
}

// Of lanes 0 to this one. All 32 lanes must call it, as all that follow here.
template <typename Op>
static __device__ __forceinline__ typename Op::value kz_scan_warp(typename Op::value v) {
#pragma unroll
    for (int step = 1; step < KZ_WARP; step *= 2) {
        typename Op::value before = kz_shuffle_up(v, step);
        if (kz_lane() >= step) v = Op::combine(before, v);
    }
    return v;
}

// What lies before this lane, given kz_scan_warp's result.
template <typename Op>
static __device__ __forceinline__ typename Op::value kz_before_lane(typename Op::value inclusive) {
    typename Op::value before = kz_shuffle_up(inclusive, 1);
    return kz_lane() == 0 ? Op::identity() : before;
}

// Of all lanes, in order; lane 0 has it.
template <typename Op>
static __device__ __forceinline__ typename Op::value kz_fold_warp(typename Op::value v) {
#pragma unroll
    for (int step = 1; step < KZ_WARP; step *= 2) v = Op::combine(v, kz_shuffle_down(v, step));
    return v;
}

// ---- the warps of a block --------------------------------------------------------------------------------

// What lies before this warp, given each warp's total (from lane 0, say), and the total of all WARPS warps.
// One barrier: to call it again, another one must come between.
template <typename Op, int WARPS>
static __device__ __forceinline__ typename Op::value kz_scan_warp_totals(typename Op::value of_this_warp,
                                                                         typename Op::value *total) {
    // By 16 bytes: a wide load of its first words takes nothing else along, which racecheck would call a race.
    __shared__ __align__(16) typename Op::value of_warp[WARPS];
    if (kz_lane() == 0) of_warp[kz_warp()] = of_this_warp;
    __syncthreads();
    typename Op::value before = Op::identity(), sum = Op::identity();
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w == kz_warp()) before = sum;
        sum = Op::combine(sum, of_warp[w]);
    }
    *total = sum;
    return before;
}

#endif
