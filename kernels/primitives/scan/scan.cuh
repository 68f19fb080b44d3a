// scan: what the variants share: the operations and the list of entry points.
//
// An operation is a struct of types and functions: `element` T lies in memory, `value` A is what is combined
// (float for the half types). combine(before, after) is associative and keeps the order: `before` stands for
// elements before those of `after`. lift makes an element a value, lower rounds it back; exclude is what an
// exclusive scan writes for an element with `before` before it.
#ifndef SCAN_CUH
#define SCAN_CUH

#include "kz/warp.cuh"

enum { SUM, MIN, MAX };

// ---- sum, min, max: NaN stays NaN, an i32 sum wraps -----------------------------------------------------

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

static __device__ __forceinline__ float add(float a, float b) { return a + b; }
static __device__ __forceinline__ double add(double a, double b) { return a + b; }
static __device__ __forceinline__ int add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }

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

// ---- sums that begin anew at every head: the head travels with the sum ----------------------------------

template <typename N> struct alignas(8) piece {
    N sum;
    unsigned head; // whether a segment begins in the piece; sum is then that since the last head
};

template <typename N> struct segmented {
    typedef N element;
    typedef piece<N> value;
    static const bool COMMUTES = false, SEGMENTED = true;

    static __device__ __forceinline__ value identity(void) { return {(N)0, 0u}; }
    static __device__ __forceinline__ value combine(value before, value after) {
        return {after.head ? after.sum : add(before.sum, after.sum), before.head | after.head};
    }
    static __device__ __forceinline__ value lift(N x, unsigned head) { return {x, head}; }
    static __device__ __forceinline__ N lower(value v) { return v.sum; }
    static __device__ __forceinline__ value exclude(value before, value own) {
        return own.head ? value{(N)0, 1u} : before; // nothing lies before a segment's first element
    }
};

template <typename Op>
static __device__ __forceinline__ typename Op::value lift_at(const typename Op::element *in,
                                                             const uint8_t *heads, size_t i) {
    return Op::lift(in[i], Op::SEGMENTED ? heads[i] != 0 : 0);
}

// ---- entry points ---------------------------------------------------------------------------------------

#define SCAN_PLAIN(ENTRY, operation, OPERATION)                                                              \
    ENTRY(operation, f32, (plain<OPERATION, float, float>))                                                  \
    ENTRY(operation, f64, (plain<OPERATION, double, double>))                                                \
    ENTRY(operation, i32, (plain<OPERATION, int, int>))                                                      \
    ENTRY(operation, f16, (plain<OPERATION, kz_f16, float>))                                                 \
    ENTRY(operation, bf16, (plain<OPERATION, kz_bf16, float>))
// ENTRY(operation, type, (struct)) for every operation and type of the family.
#define SCAN_ALL(ENTRY)                                                                                      \
    SCAN_PLAIN(ENTRY, sum, SUM)                                                                              \
    SCAN_PLAIN(ENTRY, min, MIN)                                                                              \
    SCAN_PLAIN(ENTRY, max, MAX)                                                                              \
    ENTRY(affine, f32, (affine<float>))                                                                      \
    ENTRY(affine, i32, (affine<int>))                                                                        \
    ENTRY(segmented_sum, f32, (segmented<float>))                                                            \
    ENTRY(segmented_sum, i32, (segmented<int>))

// The struct out of its parentheses, which keep its commas from the preprocessor.
#define SCAN_OP(...)     __VA_ARGS__
#define SCAN_ELEMENT(op) SCAN_OP op::element
#define SCAN_VALUE(op)   SCAN_OP op::value

#endif
