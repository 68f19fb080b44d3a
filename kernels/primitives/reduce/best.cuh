// reduce: a value that knows where it stood, for argmin and argmax, as a thing that folds like a number.
//
// The least index wins among equals, and NaN is beyond all: the first NaN wins where there is one. Before any
// element there is the operation's identity with the index -1, which loses against everything.
#ifndef REDUCE_BEST_CUH
#define REDUCE_BEST_CUH

#include "kz/fold.cuh"

// Words of 32 bits, so that it has no gaps and can go by mail.
template <typename A> struct best {
    A value;
    unsigned low;
    int high; // of the index; below 0: nothing yet
};

template <typename A> static __device__ __forceinline__ long long index_of(best<A> b) {
    return (long long)((unsigned long long)(unsigned)b.high << 32 | b.low);
}

template <int operation, typename A> static __device__ __forceinline__ best<A> kz_fold_identity(best<A>) {
    return {kz_fold_identity<operation>(A()), 0xffffffffu, -1};
}

// b beats a by its value alone. NaN beats all but NaN: no comparison with it holds.
template <int operation, typename A> static __device__ __forceinline__ bool beats(A b, A a) {
    return a == a && !(operation == KZ_MIN ? b >= a : b <= a);
}

// Where all of b comes after all of a: an equal is not taken.
template <int operation, typename A>
static __device__ __forceinline__ best<A> combine_next(best<A> a, best<A> b) {
    return beats<operation>(b.value, a.value) || a.high < 0 ? b : a;
}
template <int operation, typename A> static __device__ __forceinline__ A combine_next(A a, A b) {
    return kz_fold_combine<operation>(a, b);
}

template <int operation, typename A>
static __device__ __forceinline__ best<A> kz_fold_combine(best<A> a, best<A> b) {
    if (beats<operation>(b.value, a.value)) return b;
    if (beats<operation>(a.value, b.value)) return a;
    // Equal, or both NaN: the least index, and as unsigned numbers -1 is behind all.
    return (unsigned long long)index_of(b) < (unsigned long long)index_of(a) ? b : a;
}

template <typename A> static __device__ __forceinline__ best<A> kz_fold_shift_down(best<A> b, int lanes) {
    return {kz_fold_shift_down(b.value, lanes), kz_fold_shift_down(b.low, lanes),
            kz_fold_shift_down(b.high, lanes)};
}

// An element as what is folded.
template <typename A> struct element {
    template <typename T> static __device__ __forceinline__ A at(T x, size_t) { return (A)kz_widen(x); }
};
template <typename A> struct element<best<A>> {
    template <typename T> static __device__ __forceinline__ best<A> at(T x, size_t index) {
        return {(A)kz_widen(x), (unsigned)index, (int)(index >> 32)};
    }
};

// From L2: L1 knows nothing of other blocks.
template <typename A> static __device__ __forceinline__ A look_l2(const A *from) { return __ldcg(from); }
template <typename A> static __device__ __forceinline__ best<A> look_l2(const best<A> *from) {
    return {__ldcg(&from->value), __ldcg(&from->low), __ldcg(&from->high)};
}

// The result; `index` is for a best alone.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(T *out, long long *, A value, size_t n) {
    kz_narrow(out, kz_fold_conclude<operation>(value, n));
}
template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(T *out, long long *index, best<A> b, size_t) {
    kz_narrow(out, b.value);
    *index = index_of(b);
}

// ENTRY(operation, OPERATION, type, T, A) for both operations and every type of the family.
#define REDUCE_ARGS(ENTRY)                                                                                   \
    KZ_FOLD_TYPES(ENTRY, argmin, KZ_MIN)                                                                     \
    KZ_FOLD_TYPES(ENTRY, argmax, KZ_MAX)

#endif
