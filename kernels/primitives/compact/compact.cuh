// compact: what the variants share: the rules of what is selected, and the list of entry points.
//
// A rule says of an element whether it is selected: by its VALUE (above the middle of its type: 0, or 127 for
// u8; NaN is not), by its FLAG (a byte that is not 0), or as the first of its RUN (it differs from the
// element before it; NaN differs from all). PARTITION keeps the others too, from the end of `out` backwards.
// Places and counts are u32: the plans refuse more than 2^32 - 1 elements.
#ifndef COMPACT_CUH
#define COMPACT_CUH

#include "kz/device/warp.cuh"

enum { VALUE, FLAG, RUN };

template <typename T> static __device__ __forceinline__ bool is_above(T x) { return kz_widen(x) > 0; }
template <> __device__ __forceinline__ bool is_above(uint8_t x) { return x > 127; }

template <typename T> static __device__ __forceinline__ bool differ(T a, T b) {
    return kz_widen(a) != kz_widen(b);
}
template <> __device__ __forceinline__ bool differ(uint8_t a, uint8_t b) { return a != b; }
template <> __device__ __forceinline__ bool differ(uint16_t a, uint16_t b) { return a != b; }

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

// ENTRY(operation, type, T, (rule)). What is not looked at has no type: flagged elements go by their size, and so do
// runs of integers.
#define COMPACT_VALUES(ENTRY, operation, PARTITION)                                                          \
    ENTRY(operation, f32, float, (rule<VALUE, PARTITION, float>))                                            \
    ENTRY(operation, f64, double, (rule<VALUE, PARTITION, double>))                                          \
    ENTRY(operation, i32, int, (rule<VALUE, PARTITION, int>))                                                \
    ENTRY(operation, f16, kz_f16, (rule<VALUE, PARTITION, kz_f16>))                                          \
    ENTRY(operation, u8, uint8_t, (rule<VALUE, PARTITION, uint8_t>))
#define COMPACT_SIZES(ENTRY, operation, BY, PARTITION)                                                       \
    ENTRY(operation, u8, uint8_t, (rule<BY, PARTITION, uint8_t>))                                            \
    ENTRY(operation, u16, uint16_t, (rule<BY, PARTITION, uint16_t>))                                         \
    ENTRY(operation, u32, unsigned, (rule<BY, PARTITION, unsigned>))                                         \
    ENTRY(operation, i64, long long, (rule<BY, PARTITION, long long>))
// All of the family, for 04 to 06.
#define COMPACT_ALL(ENTRY)                                                                                   \
    COMPACT_VALUES(ENTRY, select, false)                                                                     \
    COMPACT_VALUES(ENTRY, partition, true)                                                                   \
    COMPACT_SIZES(ENTRY, select_flagged, FLAG, false)                                                        \
    COMPACT_SIZES(ENTRY, partition_flagged, FLAG, true)                                                      \
    COMPACT_SIZES(ENTRY, unique, RUN, false)                                                                 \
    ENTRY(unique, f32, float, (rule<RUN, false, float>))                                                     \
    ENTRY(unique, f64, double, (rule<RUN, false, double>))                                                   \
    ENTRY(unique, f16, kz_f16, (rule<RUN, false, kz_f16>))                                                   \
    ENTRY(unique, bf16, kz_bf16, (rule<RUN, false, kz_bf16>))
// 01 to 03 teach with a few: those that count, and all.
#define COMPACT_FEW_SELECTIONS(ENTRY)                                                                        \
    ENTRY(select, f32, float, (rule<VALUE, false, float>))                                                   \
    ENTRY(select, u8, uint8_t, (rule<VALUE, false, uint8_t>))                                                \
    ENTRY(select_flagged, u32, unsigned, (rule<FLAG, false, unsigned>))                                      \
    ENTRY(unique, f32, float, (rule<RUN, false, float>))                                                     \
    ENTRY(unique, u32, unsigned, (rule<RUN, false, unsigned>))
#define COMPACT_FEW(ENTRY)                                                                                   \
    COMPACT_FEW_SELECTIONS(ENTRY)                                                                            \
    ENTRY(partition, f32, float, (rule<VALUE, true, float>))                                                 \
    ENTRY(partition, u8, uint8_t, (rule<VALUE, true, uint8_t>))                                              \
    ENTRY(partition_flagged, u32, unsigned, (rule<FLAG, true, unsigned>))

// The rule out of its parentheses, which keep its commas from the preprocessor.
#define COMPACT_RULE(...) __VA_ARGS__

#endif
