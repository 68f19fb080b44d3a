// rope: what the variants share.
//
// q and k are tokens x heads x dim, row-major, tokens a stride apart; a token's heads are q's and then k's, counted together. Each thread reads
// all elements that it writes before it writes one, so the output may be the input itself. Arithmetic is float for every
// type; a result is rounded once.
#ifndef ROPE_CUH
#define ROPE_CUH

#include "kz/kernel.cuh"
#include "tune.h"
#include "turns.h"

template <typename T> struct rope_job {
    const T *q, *k;
    const int *positions;
    T *q_out, *k_out;
    size_t tokens;
    unsigned q_heads, k_heads, dim, rotary, q_stride, k_stride;
    double log2_step; // log2 of the ratio of neighbouring frequencies, negative
    float sign;       // -1 for the backward pass, which turns back

    __device__ __forceinline__ unsigned heads() const { return q_heads + k_heads; }
};

// A head of a token.
template <typename T> struct rope_row {
    const T *in;
    T *out;
};
template <typename T>
static __device__ __forceinline__ rope_row<T> rope_find(const rope_job<T> &j, size_t token, unsigned head) {
    if (head < j.q_heads) {
        size_t at = token * j.q_stride + head * j.dim;
        return {j.q + at, j.q_out + at};
    }
    size_t at = token * j.k_stride + (head - j.q_heads) * j.dim;
    return {j.k + at, j.k_out + at};
}

// Cosine and sine of pair i, in double up to the last rounding. Whole turns are taken off while there are bits to spare.
static __device__ __forceinline__ float2 rope_angle(int position, unsigned pair, double log2_step,
                                                    float sign) {
    const double turns_per_radian = 0.15915494309189535;
    double turns = (double)position * (exp2((double)pair * log2_step) * turns_per_radian), s, c;
    sincospi(2.0 * (turns - rint(turns)), &s, &c);
    return make_float2((float)c, sign * (float)s);
}

static __device__ __forceinline__ void rope_turn(float &x, float &y, float2 by) {
    float turned = x * by.x - y * by.y;
    y = x * by.y + y * by.x;
    x = turned;
}

// Where pair i of a head lies.
template <bool halves> static __device__ __forceinline__ unsigned rope_first_of(unsigned pair) {
    return halves ? pair : 2 * pair;
}
template <bool halves>
static __device__ __forceinline__ unsigned rope_second_of(unsigned pair, unsigned rotary) {
    return halves ? pair + rotary / 2 : 2 * pair + 1;
}

// A pair of a row, turned; from `rotary` on, where there are no pairs, an element that is passed on.
template <bool halves, typename T>
static __device__ __forceinline__ void rope_turn_pair(rope_row<T> row, unsigned pair, unsigned rotary,
                                                      float2 by) {
    unsigned first = rope_first_of<halves>(pair), second = rope_second_of<halves>(pair, rotary);
    float x = kz_widen(row.in[first]), y = kz_widen(row.in[second]);
    rope_turn(x, y, by);
    kz_narrow(&row.out[first], x);
    kz_narrow(&row.out[second], y);
}

// ---- entries ---------------------------------------------------------------------------------------------

#define ROPE_PARAMETERS(T)                                                                                   \
    const T *q, const T *k, const int *positions, T *q_out, T *k_out, size_t tokens, size_t q_heads,         \
        size_t k_heads, size_t dim, size_t rotary, size_t q_stride, size_t k_stride, double log2_step,       \
        float sign
#define ROPE_JOB(T)                                                                                          \
    rope_job<T> {                                                                                            \
        q, k, positions, q_out, k_out, tokens, (unsigned)q_heads, (unsigned)k_heads, (unsigned)dim,          \
            (unsigned)rotary, (unsigned)q_stride, (unsigned)k_stride, log2_step, sign                        \
    }

// ENTRY(layout, halves, type, T) for the layouts and types of the family.
#define ROPE_TYPES(ENTRY, layout, halves)                                                                    \
    ENTRY(layout, halves, f32, float)                                                                        \
    ENTRY(layout, halves, f16, kz_f16)                                                                       \
    ENTRY(layout, halves, bf16, kz_bf16)
#define ROPE_ALL(ENTRY)                                                                                      \
    ROPE_TYPES(ENTRY, interleaved, false)                                                                    \
    ROPE_TYPES(ENTRY, halves, true)

#endif
