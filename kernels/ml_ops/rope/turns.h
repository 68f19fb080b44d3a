// rope: angles as fixed-point fractions of a turn. Plain C, read by host and device alike.
//
// A frequency is a fraction of a turn per position, in units of 2^-64 turns. Position times frequency is one integer
// product, and what it loses above 2^64 are whole turns: the angle of any position is exact but for the frequency's own
// error. An angle in radians has no such form: near 2^20 a float moves in steps of 1/8 radian.
#ifndef ROPE_TURNS_H
#define ROPE_TURNS_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define ROPE_INLINE static __device__ __forceinline__
#else
#define ROPE_INLINE static inline
#endif

// `turns` is in [0, 1/2): a pair turns by at most one radian a position.
ROPE_INLINE uint64_t rope_frequency(double turns) { return (uint64_t)(turns * 0x1p64); }

ROPE_INLINE uint64_t rope_phase(int32_t position, uint64_t frequency) {
    return (uint64_t)(int64_t)position * frequency;
}

// Cosine and sine, each within 3 * 2^-24. The nearest quarter turn is taken off, which leaves t in [-1/2, 1/2] quarters; there
// Taylor's series are cut off where their next term is below 2^-28.
ROPE_INLINE void rope_cos_sin(uint64_t phase, float *cosine, float *sine) {
    uint64_t quarter = (phase + (1ULL << 61)) >> 62;
    float t = (float)(int64_t)(phase - (quarter << 62)) * 0x1p-62f, t2 = t * t;
    float s = fmaf(t2, 1.60441185e-4f, -4.68175414e-3f), c = fmaf(t2, -2.52020424e-5f, 9.19260275e-4f);
    s = fmaf(t2, s, 7.96926262e-2f);
    c = fmaf(t2, c, -2.08634808e-2f);
    s = fmaf(t2, s, -6.45964098e-1f);
    c = fmaf(t2, c, 2.53669508e-1f);
    s = fmaf(t2, s, 1.57079633f) * t;
    c = fmaf(t2, c, -1.23370055f);
    c = fmaf(t2, c, 1.0f);
    float x = quarter & 1 ? s : c, y = quarter & 1 ? c : s;
    *cosine = quarter == 1 || quarter == 2 ? -x : x;
    *sine = quarter & 2 ? -y : y;
}

#endif
