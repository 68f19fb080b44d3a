// scan: what the variants share: the operations (kz/device/scan_tile.cuh says what one is) and the lists of entry points.
#ifndef SCAN_CUH
#define SCAN_CUH

#include "kz/device/scan_tile.cuh"

enum { SUM, MIN, MAX };

// ---- sum, min, max: NaN stays NaN, sums of integers wrap -----------------------------------------------------

// The argument only says the type.
template <int operation> static __device__ __forceinline__ float identity_of(float) {
    return operation == SUM ? 0.0f : __uint_as_float(operation == MIN ? 0x7f800000u : 0xff800000u);
}
template <int operation> static __device__ __forceinline__ double identity_of(double) {
    return operation == SUM
               ? 0.0
               : __longlong_as_double(operation == MIN ? 0x7ff0000000000000 : 0xfff0000000000000);
}
template <int operation> static __device__ __forceinline__ int identity_of(int) {
    return operation == SUM ? 0 : operation == MIN ? INT32_MAX : INT32_MIN;
}
template <int operation> static __device__ __forceinline__ unsigned identity_of(unsigned) {
    return operation == MIN ? UINT32_MAX : 0;
}
template <int operation> static __device__ __forceinline__ long long identity_of(long long) {
    return operation == SUM ? 0 : operation == MIN ? INT64_MAX : INT64_MIN;
}

static __device__ __forceinline__ float add(float a, float b) { return a + b; }
static __device__ __forceinline__ double add(double a, double b) { return a + b; }
static __device__ __forceinline__ int add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static __device__ __forceinline__ unsigned add(unsigned a, unsigned b) { return a + b; }
static __device__ __forceinline__ long long add(long long a, long long b) {
    return (long long)((unsigned long long)a + (unsigned long long)b);
}

template <int operation, typename T, typename A> struct plain {
    typedef T element;
    typedef A value;
    static const bool COMMUTES = true, SEGMENTED = false;

    static __device__ __forceinline__ A identity(void) { return identity_of<operation>(A()); }
    static __device__ __forceinline__ A combine(A before, A after) {
        if (operation == SUM) return add(before, after);
        // a != a holds for NaN alone; where `after` is NaN, both comparisons fail and it is taken.
        if (operation == MIN) return before < after || before != before ? before : after;
        return before > after || before != before ? before : after;
    }
    static __device__ __forceinline__ A lift(T x, unsigned head) { return kz_widen(x); }
    static __device__ __forceinline__ T lower(A value) {
        T x;
        kz_narrow(&x, value);
        return x;
    }
    static __device__ __forceinline__ A exclude(A before, A own) { return before; }
};

// ---- affine maps x -> a x + b, one after the other: they do not commute ---------------------------------

template <typename N> struct alignas(2 * sizeof(N)) affine_map { N a, b; };

static __device__ __forceinline__ affine_map<float> compose(affine_map<float> f, affine_map<float> g) {
    return {g.a * f.a, g.a * f.b + g.b};
}
static __device__ __forceinline__ affine_map<int> compose(affine_map<int> f, affine_map<int> g) {
    unsigned a = (unsigned)g.a; // modulo 2^32, which a signed product may not be
    return {(int)(a * (unsigned)f.a), (int)(a * (unsigned)f.b + (unsigned)g.b)};
}

template <typename N> struct affine {
    typedef affine_map<N> element;
    typedef affine_map<N> value;
    static const bool COMMUTES = false, SEGMENTED = false;

    static __device__ __forceinline__ value identity(void) { return {(N)1, (N)0}; }
    static __device__ __forceinline__ value combine(value before, value after) {
        return compose(before, after);
    }
    static __device__ __forceinline__ value lift(element x, unsigned head) { return x; }
    static __device__ __forceinline__ element lower(value v) { return v; }
    static __device__ __forceinline__ value exclude(value before, value own) { return before; }
};

// ---- by hand, for the first rungs --------------------------------------------------------------------------

template <typename Op>
static __device__ __forceinline__ typename Op::value lift_at(const typename Op::element *in,
                                                             const uint8_t *heads, size_t i) {
    return Op::lift(in[i], Op::SEGMENTED ? heads[i] != 0 : 0);
}

// ---- entry points ---------------------------------------------------------------------------------------

// ENTRY(operation, type, (struct)). Sums and maps of u32 have no entry points: those of i32 give the same bits.
// 01 to 04 teach with a few.
#define SCAN_FEW(ENTRY)                                                                                      \
    ENTRY(sum, f32, (plain<SUM, float, float>))                                                              \
    ENTRY(sum, i32, (plain<SUM, int, int>))                                                                  \
    ENTRY(sum, f16, (plain<SUM, kz_f16, float>))                                                             \
    ENTRY(max, f32, (plain<MAX, float, float>))                                                              \
    ENTRY(affine, i32, (affine<int>))                                                                        \
    ENTRY(segmented_sum, f32, (kz_scan_by_heads<plain<SUM, float, float>>))
// With these 05 has all that is rounded: it runs everywhere and keeps one order.
#define SCAN_ROUNDED(ENTRY)                                                                                  \
    SCAN_FEW(ENTRY)                                                                                          \
    ENTRY(sum, f64, (plain<SUM, double, double>))                                                            \
    ENTRY(sum, bf16, (plain<SUM, kz_bf16, float>))                                                           \
    ENTRY(affine, f32, (affine<float>))                                                                      \
    ENTRY(segmented_sum, f64, (kz_scan_by_heads<plain<SUM, double, double>>))
#define SCAN_EXTREMES(ENTRY, operation, OPERATION)                                                           \
    ENTRY(operation, f64, (plain<OPERATION, double, double>))                                                \
    ENTRY(operation, i32, (plain<OPERATION, int, int>))                                                      \
    ENTRY(operation, u32, (plain<OPERATION, unsigned, unsigned>))                                            \
    ENTRY(operation, i64, (plain<OPERATION, long long, long long>))                                          \
    ENTRY(operation, f16, (plain<OPERATION, kz_f16, float>))                                                 \
    ENTRY(operation, bf16, (plain<OPERATION, kz_bf16, float>))
// 06 has all but extremes by heads.
#define SCAN_MANY(ENTRY)                                                                                     \
    SCAN_ROUNDED(ENTRY)                                                                                      \
    ENTRY(sum, i64, (plain<SUM, long long, long long>))                                                      \
    ENTRY(min, f32, (plain<MIN, float, float>))                                                              \
    SCAN_EXTREMES(ENTRY, min, MIN)                                                                           \
    SCAN_EXTREMES(ENTRY, max, MAX)                                                                           \
    ENTRY(segmented_sum, i32, (kz_scan_by_heads<plain<SUM, int, int>>))                                      \
    ENTRY(segmented_sum, i64, (kz_scan_by_heads<plain<SUM, long long, long long>>))
#define SCAN_EXTREMES_BY_HEADS(ENTRY, operation, OPERATION)                                                  \
    ENTRY(operation, f32, (kz_scan_by_heads<plain<OPERATION, float, float>>))                                \
    ENTRY(operation, i32, (kz_scan_by_heads<plain<OPERATION, int, int>>))                                    \
    ENTRY(operation, u32, (kz_scan_by_heads<plain<OPERATION, unsigned, unsigned>>))
// 07 and 08 have all.
#define SCAN_ALL(ENTRY)                                                                                      \
    SCAN_MANY(ENTRY)                                                                                         \
    SCAN_EXTREMES_BY_HEADS(ENTRY, segmented_min, MIN)                                                        \
    SCAN_EXTREMES_BY_HEADS(ENTRY, segmented_max, MAX)

// The struct out of its parentheses, which keep its commas from the preprocessor.
#define SCAN_OP(...)     __VA_ARGS__
#define SCAN_ELEMENT(op) SCAN_OP op::element
#define SCAN_VALUE(op)   SCAN_OP op::value

#endif
