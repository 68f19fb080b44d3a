// histogram: which bin an element belongs to, on the device. histogram.h has the definition.
//
// A finder is a small struct with find(x): the bin, or anything from `bins` up where x lies in none. All
// kernels take the same parameters, in HISTOGRAM_PARAMETERS: levels for range, lower to factor for even.
#ifndef HISTOGRAM_BINS_CUH
#define HISTOGRAM_BINS_CUH

#include "kz/kernel.cuh"
#include "tune.h"

// What goes with an element type: levels, the limits (an upper of 2^32 must fit), and the plan's reciprocal.
template <typename T> struct with {
    typedef unsigned level;
    typedef unsigned long long limit, factor;
};
template <> struct with<float> {
    typedef float level, limit;
    typedef double factor;
};

// ---- even bins --------------------------------------------------------------------------------------------

// whole * 2^64 + factor is bins * 2^64 / (upper - lower), rounded up, for which the plan made sure that upper
// - lower is at most 2^32. The product with a distance below that, divided by 2^64, is then too large by less
// than 1 / (upper - lower), which never reaches the next whole number: the floor is exact. For elements of 16
// bits the upper 32 bits of the factor, rounded up once more, are enough by the same argument.
template <typename T> struct even {
    unsigned bins, lower, last, whole, factor_low, factor_high;
    static const bool narrow = sizeof(T) <= 2;

    __device__ __forceinline__ even(const unsigned *, unsigned bins, unsigned long long lower,
                                    unsigned long long upper, unsigned whole, unsigned long long factor)
        : bins(bins), lower((unsigned)lower), last((unsigned)(upper - lower - 1)), whole(whole),
          factor_low((unsigned)factor), factor_high((unsigned)((factor + (narrow ? 0xffffffffu : 0)) >> 32)) {
    }

    __device__ __forceinline__ unsigned find(T x) const {
        unsigned distance = x - lower; // below lower it wraps, and is past the last
        unsigned part = __umulhi(distance, narrow ? factor_high : factor_low);
        if (!narrow) part = (unsigned)(((unsigned long long)distance * factor_high + part) >> 32);
        return distance <= last ? distance * whole + part : bins;
    }
};

// In double, operation by operation as it is defined.
template <> struct even<float> {
    unsigned bins;
    float lower, upper;
    double scale;

    __device__ __forceinline__ even(const float *, unsigned bins, float lower, float upper, unsigned,
                                    double factor)
        : bins(bins), lower(lower), upper(upper), scale(factor) {}

    __device__ __forceinline__ unsigned find(float x) const {
        if (!(x >= lower && x < upper)) return bins; // NaN too
        unsigned bin = (unsigned)(((double)x - (double)lower) * scale);
        return min(bin, bins - 1);
    }
};

// ---- bins between levels ----------------------------------------------------------------------------------

// How many of `length` ascending levels are at most x; length >= 1. Every lane takes the same number of
// steps, and a step selects instead of branching. None are for NaN.
template <typename L, typename T>
static __device__ __forceinline__ unsigned count_levels(const L *levels, unsigned length, T x) {
    unsigned below = 0;
    while (length > 1) {
        unsigned half = length / 2;
        below += levels[below + half - 1] <= x ? half : 0;
        length -= half;
    }
    return below + (levels[below] <= x ? 1 : 0);
}

template <typename T> struct range {
    typedef typename with<T>::level L;
    const L *levels;
    unsigned bins;

    __device__ __forceinline__ range(const L *levels, unsigned bins, typename with<T>::limit,
                                     typename with<T>::limit, unsigned, typename with<T>::factor)
        : levels(levels), bins(bins) {}

    // No level at most x: 0 - 1, past all bins. All of them: bin `bins`, which is none.
    __device__ __forceinline__ unsigned find(T x) const { return count_levels(levels, bins + 1, x) - 1; }
};

template <typename Finder> struct is_range { static const bool value = false; };
template <typename T> struct is_range<range<T>> { static const bool value = true; };

// ---- entry points -----------------------------------------------------------------------------------------

#define HISTOGRAM_PARAMETERS(T)                                                                              \
    const T *in, unsigned *out, const with<T>::level *levels, size_t n, size_t bins, with<T>::limit lower,   \
        with<T>::limit upper, size_t whole, with<T>::factor factor
// The finder of a kernel; `levels` may be a copy.
#define HISTOGRAM_FINDER(operation, T, levels)                                                               \
    operation<T>((levels), (unsigned)bins, lower, upper, (unsigned)whole, factor)

#define HISTOGRAM_WIDE_TYPES(ENTRY, operation)                                                               \
    ENTRY(operation, u16, uint16_t)                                                                          \
    ENTRY(operation, u32, uint32_t)                                                                          \
    ENTRY(operation, f32, float)
// ENTRY(operation, type, T) for every operation and type of the family; WIDE: but u8.
#define HISTOGRAM_WIDE(ENTRY)                                                                                \
    HISTOGRAM_WIDE_TYPES(ENTRY, even)                                                                        \
    HISTOGRAM_WIDE_TYPES(ENTRY, range)
#define HISTOGRAM_ALL(ENTRY)                                                                                 \
    ENTRY(even, u8, uint8_t)                                                                                 \
    ENTRY(range, u8, uint8_t)                                                                                \
    HISTOGRAM_WIDE(ENTRY)

#endif
