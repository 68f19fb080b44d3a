// rope 05: angles in fixed point, no table
// kz: sm 80
//
// Idea     an angle counts modulo one turn, and an integer product is modulo 2^64: with frequencies in units of 2^-64 turns
//          the reduction of a large angle costs nothing and loses nothing.
// Change   a thread computes its first frequency in double (one exp2, and a product for each further pair), and then cosine
//          and sine by one 64-bit product, one conversion and two short polynomials in float, which serve all its heads.
//          A thread takes up to 8 heads, fewer where tokens are few.
// Expect   one launch, no workspace, no byte that a copy would not move but 4 per token. About 35 instructions per angle,
//          over 8 heads 4 to 5 per pair. sm_80 is for bf16, which one instruction rounds there; before, five do.
// Limit    tokens with few heads: the angles' arithmetic is shared by as few.

#include "units.cuh"

struct fixed_point {
    const int *positions;
    double log2_step, step; // the ratio of neighbouring frequencies, and its log2
    float sign;

    template <int N>
    __device__ __forceinline__ void take(float2 (&by)[N], size_t token, unsigned first) const {
        const double turns_per_radian = 0.15915494309189535;
        int position = positions[token];
        double turns = exp2((double)first * log2_step) * turns_per_radian;
#pragma unroll
        for (int p = 0; p < N; p++) {
            rope_cos_sin(rope_phase(position, rope_frequency(turns)), &by[p].x, &by[p].y);
            by[p].y *= sign;
            turns *= step;
        }
    }
};

#define ENTRY(layout, halves, type, T)                                                                       \
    KZ_ENTRY(rope_fixed_point_##layout##_##type)(ROPE_PARAMETERS(T), size_t groups, double step) {           \
        rope_serve_all<T, halves>(ROPE_JOB(T), (unsigned)groups,                                             \
                                  fixed_point{positions, log2_step, step, sign});                            \
    }
ROPE_ALL(ENTRY)
