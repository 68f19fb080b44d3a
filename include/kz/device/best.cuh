// A value that knows where it stood, for argmin and argmax, as a thing that folds like a number: for the
// families reduce, reduce_axis and reduce_segments.
//
// The least index wins among equals, and NaN is beyond all: the first NaN wins where there is one. Before any
// element there is the operation's identity with the index -1, which loses against everything.
#ifndef KZ_BEST_CUH
#define KZ_BEST_CUH

#include "kz/device/fold.cuh"

// Words of 32 bits, so that it has no gaps and can go by mail.
template <typename A> struct kz_best {
    A value;
    unsigned low;
    int high; // of the index; below 0: nothing yet
};

template <typename A> static __device__ __forceinline__ long long kz_best_index(kz_best<A> b) {
    return (long long)((unsigned long long)(unsigned)b.high << 32 | b.low);
}

template <int operation, typename A>
static __device__ __forceinline__ kz_best<A> kz_fold_identity(kz_best<A>) {
    return {kz_fold_identity<operation>(A()), 0xffffffffu, -1};
}

// b beats a by its value alone. NaN beats all but NaN: no comparison with it holds.
template <int operation, typename A> static __device__ __forceinline__ bool kz_beats(A b, A a) {
    return a == a && !(operation == KZ_MIN ? b >= a : b <= a);
}

// Where all of b comes after all of a: an equal is not taken.
template <int operation, typename A>
static __device__ __forceinline__ kz_best<A> kz_fold_next(kz_best<A> a, kz_best<A> b) {
    return kz_beats<operation>(b.value, a.value) || a.high < 0 ? b : a;
}
template <int operation, typename A> static __device__ __forceinline__ A kz_fold_next(A a, A b) {
    return kz_fold_combine<operation>(a, b);
}

template <int operation, typename A>
static __device__ __forceinline__ kz_best<A> kz_fold_combine(kz_best<A> a, kz_best<A> b) {
    if (kz_beats<operation>(b.value, a.value)) return b;
    if (kz_beats<operation>(a.value, b.value)) return a;
    // Equal, or both NaN: the least index, and as unsigned numbers -1 is behind all.
    return (unsigned long long)kz_best_index(b) < (unsigned long long)kz_best_index(a) ? b : a;
}

template <typename A>
static __device__ __forceinline__ kz_best<A> kz_fold_shift_down(kz_best<A> b, int lanes) {
    return {kz_fold_shift_down(b.value, lanes), kz_fold_shift_down(b.low, lanes),
            kz_fold_shift_down(b.high, lanes)};
}
template <typename A> static __device__ __forceinline__ kz_best<A> kz_fold_shift_up(kz_best<A> b, int lanes) {
    return {kz_fold_shift_up(b.value, lanes), kz_fold_shift_up(b.low, lanes),
            kz_fold_shift_up(b.high, lanes)};
}
template <typename A> static __device__ __forceinline__ kz_best<A> kz_fold_swap(kz_best<A> b, int lanes) {
    return {kz_fold_swap(b.value, lanes), kz_fold_swap(b.low, lanes), kz_fold_swap(b.high, lanes)};
}

// An element as what is folded, and a pack's elements onto a value whose elements all come before; the first has
// this index.
template <typename A> struct kz_element {
    template <typename T> static __device__ __forceinline__ A at(T x, size_t) { return (A)kz_widen(x); }
    template <int operation, typename T>
    static __device__ __forceinline__ A fold(A value, kz_pack<T> pack, size_t) {
        return kz_fold_pack<operation, T, A>(value, pack);
    }
};
template <typename A> struct kz_element<kz_best<A>> {
    template <typename T> static __device__ __forceinline__ kz_best<A> at(T x, size_t index) {
        return {(A)kz_widen(x), (unsigned)index, (int)(index >> 32)};
    }
    // Among themselves first, by a small number: the index of 64 bits is made once.
    template <int operation, typename T>
    static __device__ __forceinline__ kz_best<A> fold(kz_best<A> value, kz_pack<T> pack, size_t index) {
        A most = (A)kz_widen(pack.at[0]);
        unsigned which = 0;
#pragma unroll
        for (int e = 1; e < 16 / (int)sizeof(T); e++)
            if (kz_beats<operation>((A)kz_widen(pack.at[e]), most)) {
                most = (A)kz_widen(pack.at[e]);
                which = e;
            }
        return kz_fold_next<operation>(value, at(most, index + which));
    }
};
template <int operation, typename T, typename A>
static __device__ __forceinline__ A kz_fold_pack_at(A value, kz_pack<T> pack, size_t index) {
    return kz_element<A>::template fold<operation>(value, pack, index);
}

// ---- a value with a place of 32 bits, for folds that go in order ----------------------------------------------

// No gap behind a double, so that it can go by mail. Before any element there is the identity at place 0, and an equal
// does not take its place: whoever has it in the end has a stretch of elements that are all equal to the identity, of
// which the first counts.
#pragma pack(push, 4)
template <typename A> struct kz_spot {
    A value;
    unsigned at;
};
#pragma pack(pop)

template <int operation, typename A>
static __device__ __forceinline__ kz_spot<A> kz_fold_identity(kz_spot<A>) {
    return {kz_fold_identity<operation>(A()), 0};
}
// All of b comes after all of a.
template <int operation, typename A>
static __device__ __forceinline__ kz_spot<A> kz_fold_next(kz_spot<A> a, kz_spot<A> b) {
    bool beats = kz_beats<operation>(b.value, a.value);
    return {beats ? b.value : a.value, beats ? b.at : a.at};
}
template <typename A> static __device__ __forceinline__ kz_spot<A> kz_fold_shift_up(kz_spot<A> s, int lanes) {
    return {kz_fold_shift_up(s.value, lanes), kz_fold_shift_up(s.at, lanes)};
}

// ---- a pack's extreme ----------------------------------------------------------------------------------------

// The first element of a pack that is its extreme: itself, and its number in the pack.
template <typename T, typename A>
static __device__ __forceinline__ A kz_pack_find(uint4 raw, A extreme, unsigned *number) {
    kz_pack<T> pack;
    pack.raw = raw;
    A found = extreme;
    *number = 0;
#pragma unroll
    for (int e = 16 / (int)sizeof(T) - 1; e >= 0; e--) {
        A x = (A)kz_widen(pack.at[e]);
        if (x == extreme || x != x) { // where the extreme is not NaN, nobody is
            found = x;
            *number = e;
        }
    }
    return found;
}

// From L2: L1 knows nothing of other blocks.
template <typename A> static __device__ __forceinline__ A kz_look_l2(const A *from) { return __ldcg(from); }
template <typename A> static __device__ __forceinline__ kz_best<A> kz_look_l2(const kz_best<A> *from) {
    return {__ldcg(&from->value), __ldcg(&from->low), __ldcg(&from->high)};
}

// ENTRY(operation, OPERATION, type, T, A) for both operations and every type of the families.
#define KZ_BEST_TYPES(ENTRY)                                                                                 \
    KZ_FOLD_TYPES(ENTRY, argmin, KZ_MIN)                                                                     \
    KZ_FOLD_TYPES(ENTRY, argmax, KZ_MAX)

#endif
