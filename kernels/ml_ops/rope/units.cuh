// rope: a head cut into units of whole accesses, for the variants that load 16 bytes at a time.
//
// N elements are an access: 16 bytes, or one element where something is not aligned. The first units of a head have pairs:
// of halves an access in each half, of interleaved pairs one access, which holds whole pairs (or the two elements of a pair,
// where N is 1). The other units, from `rotary` on, are an access each that is passed on unchanged.
#ifndef ROPE_UNITS_CUH
#define ROPE_UNITS_CUH

#include "rope.cuh"

template <typename T, int N> union rope_access {
    uint4 raw;
    T at[N];
};
template <typename T> union rope_access<T, 1> { T at[1]; };

template <typename T, int N> static __device__ __forceinline__ rope_access<T, N> rope_load(const T *from) {
    rope_access<T, N> access;
    if constexpr (N > 1)
        access.raw = kz_load<KZ_CACHE>((const uint4 *)from);
    else
        access.at[0] = *from;
    return access;
}
template <typename T, int N>
static __device__ __forceinline__ void rope_store(T *to, const rope_access<T, N> &access) {
    if constexpr (N > 1)
        kz_store<KZ_CACHE>((uint4 *)to, access.raw);
    else
        *to = access.at[0];
}

template <bool halves, int N> struct rope_unit {
    static const bool SPLIT = halves || N == 1; // a pair's elements are in two accesses
    static const int ACCESSES = SPLIT ? 2 : 1, PAIRS = SPLIT ? N : N / 2;

    static __device__ __forceinline__ unsigned offset(unsigned unit, int access, unsigned rotary) {
        return halves ? unit * N + access * (rotary / 2) : unit * N * ACCESSES + access;
    }
    static __device__ __forceinline__ unsigned turning(unsigned rotary) { return rotary / 2 / PAIRS; }
    static __device__ __forceinline__ unsigned count(unsigned dim, unsigned rotary) {
        return turning(rotary) + (dim - rotary) / N;
    }
};

// A unit's elements, in registers.
template <typename T, bool halves, int N> struct rope_elements {
    typedef rope_unit<halves, N> unit_type;
    rope_access<T, N> access[unit_type::ACCESSES];

    __device__ __forceinline__ void load(const T *in, unsigned unit, unsigned rotary) {
#pragma unroll
        for (int a = 0; a < unit_type::ACCESSES; a++)
            access[a] = rope_load<T, N>(in + unit_type::offset(unit, a, rotary));
    }
    __device__ __forceinline__ void turn(const float2 (&by)[unit_type::PAIRS]) {
#pragma unroll
        for (int p = 0; p < unit_type::PAIRS; p++) {
            T *first = unit_type::SPLIT ? &access[0].at[p] : &access[0].at[2 * p % N];
            T *second =
                unit_type::SPLIT ? &access[unit_type::ACCESSES - 1].at[p] : &access[0].at[(2 * p + 1) % N];
            float x = kz_widen(*first), y = kz_widen(*second);
            rope_turn(x, y, by[p]);
            kz_narrow(first, x);
            kz_narrow(second, y);
        }
    }
    __device__ __forceinline__ void store(T *out, unsigned unit, unsigned rotary) const {
#pragma unroll
        for (int a = 0; a < unit_type::ACCESSES; a++)
            rope_store<T, N>(out + unit_type::offset(unit, a, rotary), access[a]);
    }
};

// Whether all heads begin between accesses of 16 bytes, and pairs end there.
template <typename T, bool halves>
static __device__ __forceinline__ bool rope_has_packs(const rope_job<T> &j) {
    const unsigned pack = 16 / sizeof(T);
    size_t all = (size_t)j.q | (size_t)j.k | (size_t)j.q_out | (size_t)j.k_out;
    return all % 16 == 0 && (j.dim | j.q_stride | j.k_stride) % pack == 0 &&
           j.rotary % (halves ? 2 * pack : pack) == 0;
}

// ---- a thread that serves several heads ------------------------------------------------------------------

// The unit of heads first, first + stride, ...; the loads of ROPE_HEADS of them are in flight at once.
template <typename T, bool halves, int N>
static __device__ __forceinline__ void rope_turn_heads(const rope_job<T> &j, size_t token, unsigned unit,
                                                       unsigned first, unsigned stride,
                                                       const float2 (&by)[rope_unit<halves, N>::PAIRS]) {
    for (unsigned head = first; head < j.heads(); head += ROPE_HEADS * stride) {
        rope_elements<T, halves, N> elements[ROPE_HEADS];
#pragma unroll
        for (int h = 0; h < ROPE_HEADS; h++)
            if (head + h * stride < j.heads())
                elements[h].load(rope_find(j, token, head + h * stride).in, unit, j.rotary);
#pragma unroll
        for (int h = 0; h < ROPE_HEADS; h++)
            if (head + h * stride < j.heads()) {
                elements[h].turn(by);
                elements[h].store(rope_find(j, token, head + h * stride).out, unit, j.rotary);
            }
    }
}

// The same for an access that is passed on.
template <typename T, int N>
static __device__ __forceinline__ void rope_pass_heads(const rope_job<T> &j, size_t token, unsigned at,
                                                       unsigned first, unsigned stride) {
    for (unsigned head = first; head < j.heads(); head += stride) {
        rope_row<T> row = rope_find(j, token, head);
        rope_store<T, N>(row.out + at, rope_load<T, N>(row.in + at));
    }
}

// An index is rarely past 2^32, and a division of 64 bits takes about 20 instructions where one of 32 takes 8.
static __device__ __forceinline__ size_t rope_divide(size_t index, unsigned by) {
    return index >> 32 ? index / by : (unsigned)index / by;
}

// All tokens, `groups` threads for each unit of a token. Angles::take<PAIRS>(by, token, first pair) says by how much pairs turn.
template <typename T, bool halves, int N, typename Angles>
static __device__ __forceinline__ void rope_serve(const rope_job<T> &j, unsigned groups,
                                                  const Angles &angles) {
    typedef rope_unit<halves, N> unit_type;
    const unsigned units = unit_type::count(j.dim, j.rotary), turning = unit_type::turning(j.rotary);
    for (size_t at = kz_thread(); at < j.tokens * units * groups; at += kz_threads()) {
        size_t token = rope_divide(at, units * groups);
        unsigned rest = (unsigned)(at - token * (units * groups)), group = rest / units, unit = rest % units;
        if (unit < turning) {
            float2 by[unit_type::PAIRS];
            angles.take(by, token, unit * unit_type::PAIRS);
            rope_turn_heads<T, halves, N>(j, token, unit, group, groups, by);
        } else {
            rope_pass_heads<T, N>(j, token, j.rotary + (unit - turning) * N, group, groups);
        }
    }
}

template <typename T, bool halves, typename Angles>
static __device__ __forceinline__ void rope_serve_all(const rope_job<T> &j, unsigned groups,
                                                      const Angles &angles) {
    if (rope_has_packs<T, halves>(j))
        rope_serve<T, halves, 16 / sizeof(T)>(j, groups, angles);
    else
        rope_serve<T, halves, 1>(j, groups, angles);
}

#endif
