// A value with its index, for argmin and argmax, which folds like a number (CUB: KeyValuePair with ArgMin and ArgMax):
// for the families reduce, reduce_axis and reduce_segments.
//
// The least index wins among equals, and NaN is beyond all: the first NaN wins where there is one. Before any
// element there is the operation's identity with the index -1, which loses against everything.
#ifndef KZ_VALUE_INDEX_CUH
#define KZ_VALUE_INDEX_CUH

#include "kz/device/fold.cuh"

// Words of 32 bits: no padding, so that it can be a tile status's value.
template <typename A> struct kz_value_index {
    A value;
    unsigned low;
    int high; // of the index; below 0: nothing yet
};

template <typename A> static __device__ __forceinline__ long long kz_index_of(kz_value_index<A> b) {
    return (long long)((unsigned long long)(unsigned)b.high << 32 | b.low);
}

template <int operation, typename A>
static __device__ __forceinline__ kz_value_index<A> kz_fold_identity(kz_value_index<A>) {
    return {kz_fold_identity<operation>(A()), 0xffffffffu, -1};
}

// b beats a by its value alone. NaN beats all but NaN: no comparison with it holds.
template <int operation, typename A> static __device__ __forceinline__ bool kz_beats(A b, A a) {
    return a == a && !(operation == KZ_MIN ? b >= a : b <= a);
}

// Where all of b comes after all of a: an equal is not taken.
template <int operation, typename A>
static __device__ __forceinline__ kz_value_index<A> kz_fold_next(kz_value_index<A> a, kz_value_index<A> b) {
    return kz_beats<operation>(b.value, a.value) || a.high < 0 ? b : a;
}
template <int operation, typename A> static __device__ __forceinline__ A kz_fold_next(A a, A b) {
    return kz_fold_combine<operation>(a, b);
}

template <int operation, typename A>
static __device__ __forceinline__ kz_value_index<A> kz_fold_combine(kz_value_index<A> a,
                                                                    kz_value_index<A> b) {
    if (kz_beats<operation>(b.value, a.value)) return b;
    if (kz_beats<operation>(a.value, b.value)) return a;
    // Equal, or both NaN: the least index, and as an unsigned number -1 is the greatest.
    return (unsigned long long)kz_index_of(b) < (unsigned long long)kz_index_of(a) ? b : a;
}

template <typename A>
static __device__ __forceinline__ kz_value_index<A> kz_fold_shift_down(kz_value_index<A> b, int lanes) {
    return {kz_fold_shift_down(b.value, lanes), kz_fold_shift_down(b.low, lanes),
            kz_fold_shift_down(b.high, lanes)};
}
template <typename A>
static __device__ __forceinline__ kz_value_index<A> kz_fold_shift_up(kz_value_index<A> b, int lanes) {
    return {kz_fold_shift_up(b.value, lanes), kz_fold_shift_up(b.low, lanes),
            kz_fold_shift_up(b.high, lanes)};
}
template <typename A>
static __device__ __forceinline__ kz_value_index<A> kz_fold_swap(kz_value_index<A> b, int lanes) {
    return {kz_fold_swap(b.value, lanes), kz_fold_swap(b.low, lanes), kz_fold_swap(b.high, lanes)};
}

// An element as what is folded, and a pack's elements onto a value whose elements all come before; the first has
// this index.
template <typename A> struct kz_fold_element {
    template <typename T> static __device__ __forceinline__ A at(T x, size_t) { return (A)kz_widen(x); }
    template <int operation, typename T>
    static __device__ __forceinline__ A fold(A value, kz_pack<T> pack, size_t) {
        return kz_fold_pack<operation, T, A>(value, pack);
    }
};
template <typename A> struct kz_fold_element<kz_value_index<A>> {
    template <typename T> static __device__ __forceinline__ kz_value_index<A> at(T x, size_t index) {
        return {(A)kz_widen(x), (unsigned)index, (int)(index >> 32)};
    }
    // Among themselves first, by a small number: the index of 64 bits is made once.
    template <int operation, typename T>
    static __device__ __forceinline__ kz_value_index<A> fold(kz_value_index<A> value, kz_pack<T> pack,
                                                             size_t index) {
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
    return kz_fold_element<A>::template fold<operation>(value, pack, index);
}

// ---- a value with an index of 32 bits, for folds that go in order ---------------------------------------------

// No padding after a double, so that it can be a tile status's value. A fold begins with the identity at index 0, and an
// equal value does not replace it: where it is left at the end, all elements equal the identity and the first one counts.
#pragma pack(push, 4)
template <typename A> struct kz_value_index32 {
    A value;
    unsigned at;
};
#pragma pack(pop)

template <int operation, typename A>
static __device__ __forceinline__ kz_value_index32<A> kz_fold_identity(kz_value_index32<A>) {
    return {kz_fold_identity<operation>(A()), 0};
}
// All of b comes after all of a.
template <int operation, typename A>
static __device__ __forceinline__ kz_value_index32<A> kz_fold_next(kz_value_index32<A> a,
                                                                   kz_value_index32<A> b) {
    bool beats = kz_beats<operation>(b.value, a.value);
    return {beats ? b.value : a.value, beats ? b.at : a.at};
}
template <typename A>
static __device__ __forceinline__ kz_value_index32<A> kz_fold_shift_up(kz_value_index32<A> s, int lanes) {
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
template <typename A> static __device__ __forceinline__ A kz_load_l2(const A *from) { return __ldcg(from); }
template <typename A>
static __device__ __forceinline__ kz_value_index<A> kz_load_l2(const kz_value_index<A> *from) {
    return {__ldcg(&from->value), __ldcg(&from->low), __ldcg(&from->high)};
}

// ENTRY(operation, OPERATION, type, T, A) for both operations and every type of the families.
#define KZ_ARG_TYPES(ENTRY)                                                                                  \
    KZ_FOLD_TYPES(ENTRY, argmin, KZ_MIN)                                                                     \
    KZ_FOLD_TYPES(ENTRY, argmax, KZ_MAX)

#endif
