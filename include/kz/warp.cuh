// What a warp does with values of any size: shuffles, the scan and the fold of an operation.
//
// An operation Op has a type `value`, identity() and combine(before, after), which is associative; where it
// does not commute, `before` stands for what comes before. All 32 lanes must call these functions.
#ifndef KZ_WARP_CUH
#define KZ_WARP_CUH

#include "kz/kernel.cuh"

// A value as 32-bit words: shuffles and mails take no others.
template <typename A> struct words_of {
    static const int COUNT = sizeof(A) / 4;
    unsigned at[COUNT];
};
template <typename A> static __device__ __forceinline__ words_of<A> to_words(A value) {
    words_of<A> words;
    memcpy(words.at, &value, sizeof value);
    return words;
}
template <typename A> static __device__ __forceinline__ A from_words(words_of<A> words) {
    A value;
    memcpy(&value, words.at, sizeof value);
    return value;
}

template <typename A> static __device__ __forceinline__ A shuffle(A value, unsigned lane) {
    words_of<A> words = to_words(value);
#pragma unroll
    for (int i = 0; i < words.COUNT; i++) words.at[i] = __shfl_sync(KZ_ALL_LANES, words.at[i], lane);
    return from_words(words);
}
template <typename A> static __device__ __forceinline__ A shuffle_up(A value, unsigned by) {
    words_of<A> words = to_words(value);
#pragma unroll
    for (int i = 0; i < words.COUNT; i++) words.at[i] = __shfl_up_sync(KZ_ALL_LANES, words.at[i], by);
    return from_words(words);
}
template <typename A> static __device__ __forceinline__ A shuffle_down(A value, unsigned by) {
    words_of<A> words = to_words(value);
#pragma unroll
    for (int i = 0; i < words.COUNT; i++) words.at[i] = __shfl_down_sync(KZ_ALL_LANES, words.at[i], by);
    return from_words(words);
}

// Of lanes 0 to this one. All 32 lanes must call it, as all that follow here.
template <typename Op> static __device__ __forceinline__ typename Op::value scan_warp(typename Op::value v) {
#pragma unroll
    for (int step = 1; step < KZ_WARP; step *= 2) {
        typename Op::value before = shuffle_up(v, step);
        if (kz_lane() >= step) v = Op::combine(before, v);
    }
    return v;
}

// What lies before this lane, given scan_warp's result.
template <typename Op>
static __device__ __forceinline__ typename Op::value before_lane(typename Op::value inclusive) {
    typename Op::value before = shuffle_up(inclusive, 1);
    return kz_lane() == 0 ? Op::identity() : before;
}

// Of all lanes, in order; lane 0 has it.
template <typename Op> static __device__ __forceinline__ typename Op::value fold_warp(typename Op::value v) {
#pragma unroll
    for (int step = 1; step < KZ_WARP; step *= 2) v = Op::combine(v, shuffle_down(v, step));
    return v;
}

#endif
