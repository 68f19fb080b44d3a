// attention_backward 12: tiles of sums in vector registers
//
// Idea     load an element of c once, not for each product; and compute eight powers of 2 at a time.
// Change   4 x 16 elements of c stay in eight vectors of 8 floats for the whole depth. 2^x = 2^n 2^f with n an integer: 2^f by a
//          polynomial, 2^n in the exponent's bits. Written with GCC's vector types, and compiled twice: for AVX2 and FMA, which is
//          taken where the machine has them, and for what every machine has.
// Expect   6 loads for 8 multiply-adds of 8 lanes: the arithmetic is the limit.
// Limit    one core (see 13). Half types are converted one by one.
#include "private.h"

typedef float lanes __attribute__((vector_size(32), aligned(4), may_alias)); // wherever they lie
typedef int bits __attribute__((vector_size(32), aligned(4), may_alias));
enum { LANES = 8 };

static inline __attribute__((always_inline)) void multiply(const float *a, uint64_t a_pitch, const float *b,
                                                           uint64_t b_pitch, float *c, uint64_t c_pitch,
                                                           uint64_t rows, uint64_t columns, uint64_t depth) {
    for (uint64_t j = 0; j < columns; j += 2 * LANES)
        for (uint64_t i = 0; i < rows; i += 4) {
            const float *left = a + i * a_pitch, *right = b + j;
            lanes sums[4][2];
#pragma GCC unroll 4
            for (uint64_t r = 0; r < 4; r++) {
                sums[r][0] = *(const lanes *)(c + (i + r) * c_pitch + j);
                sums[r][1] = *(const lanes *)(c + (i + r) * c_pitch + j + LANES);
            }
            for (uint64_t x = 0; x < depth; x++, right += b_pitch) {
                lanes low = *(const lanes *)right, high = *(const lanes *)(right + LANES);
#pragma GCC unroll 4
                for (uint64_t r = 0; r < 4; r++) {
                    sums[r][0] += left[r * a_pitch + x] * low;
                    sums[r][1] += left[r * a_pitch + x] * high;
                }
            }
#pragma GCC unroll 4
            for (uint64_t r = 0; r < 4; r++) {
                *(lanes *)(c + (i + r) * c_pitch + j) = sums[r][0];
                *(lanes *)(c + (i + r) * c_pitch + j + LANES) = sums[r][1];
            }
        }
}

// 2^x for x up to 127; 0 below -126, where results would be denormal. NaN stays NaN. Adding 1.5 x 2^23 rounds to an integer, which
// is then in the lowest bits. 2^f for |f| <= 1/2 by the series up to the seventh power, whose rest is below 2^-27 of it.
static inline __attribute__((always_inline)) void powers(float *x, uint64_t count) {
    static const float terms[] = {1.5403530e-4f, 1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f,
                                  2.4022651e-1f, 6.9314718e-1f, 1.0f};
    const float shift = 12582912.0f;
    for (uint64_t i = 0; i < count; i += LANES) {
        lanes value = *(const lanes *)(x + i), power = (lanes){0} + 1.5252734e-5f;
        lanes shifted = value + shift, f = value - (shifted - shift);
        bits low = (bits)(value < -126.0f), n = (bits)shifted - (bits)((lanes){0} + shift);
#pragma GCC unroll 7
        for (int term = 0; term < 7; term++) power = power * f + terms[term];
        power = (lanes)((bits)power + (n << 23));
        bits nan = (bits)(value != value);
        *(lanes *)(x + i) = (lanes)((nan & (bits)value) | (~nan & ~low & (bits)power));
    }
}

static void multiply_any(const float *a, uint64_t a_pitch, const float *b, uint64_t b_pitch, float *c,
                         uint64_t c_pitch, uint64_t rows, uint64_t columns, uint64_t depth) {
    multiply(a, a_pitch, b, b_pitch, c, c_pitch, rows, columns, depth);
}
static void powers_any(float *x, uint64_t count) { powers(x, count); }
const backward_steps backward_steps_vectors = {"vectors", multiply_any, powers_any};

#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void multiply_avx2(const float *a, uint64_t a_pitch,
                                                              const float *b, uint64_t b_pitch, float *c,
                                                              uint64_t c_pitch, uint64_t rows,
                                                              uint64_t columns, uint64_t depth) {
    multiply(a, a_pitch, b, b_pitch, c, c_pitch, rows, columns, depth);
}
__attribute__((target("avx2,fma"))) static void powers_avx2(float *x, uint64_t count) { powers(x, count); }
const backward_steps backward_steps_avx2 = {"avx2", multiply_avx2, powers_avx2};
#endif

static void differentiate(const kz_native_launch *launch, kz_type type) {
    const backward_steps *steps = &backward_steps_vectors;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) steps = &backward_steps_avx2;
#endif
    backward_cpu(launch, type, steps);
}

static void f32(const kz_native_launch *launch) { differentiate(launch, KZ_F32); }
static void f16(const kz_native_launch *launch) { differentiate(launch, KZ_F16); }
static void bf16(const kz_native_launch *launch) { differentiate(launch, KZ_BF16); }
static void rows_f32(const kz_native_launch *launch) { backward_prepare(launch, KZ_F32); }
static void rows_f16(const kz_native_launch *launch) { backward_prepare(launch, KZ_F16); }
static void rows_bf16(const kz_native_launch *launch) { backward_prepare(launch, KZ_BF16); }

const kz_native_entry attention_backward_cpu_simd_natives[] = {
    {"attention_backward_cpu_simd_rows_any_f32", rows_f32},
    {"attention_backward_cpu_simd_rows_any_f16", rows_f16},
    {"attention_backward_cpu_simd_rows_any_bf16", rows_bf16},
    {"attention_backward_cpu_simd_any_f32", f32},
    {"attention_backward_cpu_simd_any_f16", f16},
    {"attention_backward_cpu_simd_any_bf16", bf16},
    {0}};
