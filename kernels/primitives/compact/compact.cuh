// compact: what the variants share: the rules of what is selected, and the list of entry points.
//
// A rule says of an element whether it is selected: by its VALUE (above the middle of its type: 0, or 127 for
// u8; NaN is not), by its FLAG (a byte that is not 0), or as the first of its RUN (it differs from the
// element before it; NaN differs from all). PARTITION keeps the others too, from the end of `out` backwards.
// Places and counts are u32: the plans refuse more than 2^32 - 1 elements.
#ifndef COMPACT_CUH
#define COMPACT_CUH

#include "kz/warp.cuh"

enum { VALUE, FLAG, RUN };

template <typename T> static __device__ __forceinline__ bool is_above(T x) { return kz_widen(x) > 0; }
template <> __device__ __forceinline__ bool is_above(uint8_t x) { return x > 127; }

template <typename T> static __device__ __forceinline__ bool differ(T a, T b) {
    return kz_widen(a) != kz_widen(b);
}
template <> __device__ __forceinline__ bool differ(uint8_t a, uint8_t b) { return a != b; }

template <int BY_, bool PARTITION_, typename T> struct rule {
    typedef T element;
    static const int BY = BY_, PACK = 16 / sizeof(T);
    static const bool PARTITION = PARTITION_;
};

// For 01 and 02: one element, straight from memory.
template <typename R>
static __device__ __forceinline__ bool selected_at(const typename R::element *in, const uint8_t *flags,
                                                   size_t i) {
    if (R::BY == FLAG) return flags[i] != 0;
    if (R::BY == VALUE) return is_above(in[i]);
    return i == 0 || differ(in[i - 1], in[i]);
}

// Element i to its place, given how many selected ones lie before it.
template <typename R>
static __device__ __forceinline__ void put_at(const typename R::element *in, typename R::element *out,
                                              size_t n, size_t i, bool selected, unsigned before) {
    if (selected)
        out[before] = in[i];
    else if (R::PARTITION)
        out[n - 1 - (i - before)] = in[i];
}

// The operation of all scans here (warp.cuh).
struct count {
    typedef unsigned value;
    static __device__ __forceinline__ unsigned identity(void) { return 0; }
    static __device__ __forceinline__ unsigned combine(unsigned before, unsigned after) {
        return before + after;
    }
};

// ---- entry points ---------------------------------------------------------------------------------------

#define COMPACT_TYPES(ENTRY, operation, BY, PARTITION)                                                       \
    ENTRY(operation, f32, float, (rule<BY, PARTITION, float>))                                               \
    ENTRY(operation, f64, double, (rule<BY, PARTITION, double>))                                             \
    ENTRY(operation, i32, int, (rule<BY, PARTITION, int>))                                                   \
    ENTRY(operation, f16, kz_f16, (rule<BY, PARTITION, kz_f16>))                                             \
    ENTRY(operation, u8, uint8_t, (rule<BY, PARTITION, uint8_t>))
// ENTRY(operation, type, T, (rule)) for every operation and type of the family, or all but partitions.
#define COMPACT_SELECTIONS(ENTRY)                                                                            \
    COMPACT_TYPES(ENTRY, select, VALUE, false)                                                               \
    COMPACT_TYPES(ENTRY, select_flagged, FLAG, false)                                                        \
    COMPACT_TYPES(ENTRY, unique, RUN, false)
#define COMPACT_ALL(ENTRY)                                                                                   \
    COMPACT_SELECTIONS(ENTRY)                                                                                \
    COMPACT_TYPES(ENTRY, partition, VALUE, true)                                                             \
    COMPACT_TYPES(ENTRY, partition_flagged, FLAG, true)

// The rule out of its parentheses, which keep its commas from the preprocessor.
#define COMPACT_RULE(...) __VA_ARGS__

#endif
