// attention 12: tiles in vector registers
//
// Idea     load an element of c once, not for each product; and compute eight exponentials at a time.
// Change   4 x 16 elements of c stay in eight registers of AVX2 for the whole depth. exp(x) = 2^n 2^f with n an integer: 2^f by
//          a polynomial, 2^n in the exponent's bits. Chosen at run time; 11's plain C where there is no AVX2.
// Expect   6 loads for 8 multiply-adds of 8 lanes: the arithmetic is the limit.
// Limit    one core (see 13). Half types are converted one by one.
#include <math.h>

#include "private.h"
#include "tune.h"

#ifdef __x86_64__
#include <immintrin.h>

enum { QUERIES = ATTENTION_CPU_QUERIES, KEYS = ATTENTION_CPU_KEYS };

#define EACH_OF_4(DO) DO(0) DO(1) DO(2) DO(3)

// 4 rows and 16 columns of c. The rows are written out: an array of registers is a thing only some compilers see through.
__attribute__((target("avx2,fma"))) static void multiply_4_by_16(const float *a, uint64_t a_pitch,
                                                                 const float *b, uint64_t b_pitch, float *c,
                                                                 uint64_t c_pitch, uint64_t depth, bool add) {
#define ROW(r)                                                                                               \
    __m256 low##r = add ? _mm256_loadu_ps(c + r * c_pitch) : _mm256_setzero_ps();                            \
    __m256 high##r = add ? _mm256_loadu_ps(c + r * c_pitch + 8) : _mm256_setzero_ps();
    EACH_OF_4(ROW)
#undef ROW
    for (uint64_t x = 0; x < depth; x++, b += b_pitch) {
        __m256 left, right0 = _mm256_loadu_ps(b), right1 = _mm256_loadu_ps(b + 8);
#define ROW(r)                                                                                               \
    left = _mm256_broadcast_ss(a + r * a_pitch + x);                                                         \
    low##r = _mm256_fmadd_ps(left, right0, low##r);                                                          \
    high##r = _mm256_fmadd_ps(left, right1, high##r);
        EACH_OF_4(ROW)
#undef ROW
    }
#define ROW(r)                                                                                               \
    _mm256_storeu_ps(c + r * c_pitch, low##r);                                                               \
    _mm256_storeu_ps(c + r * c_pitch + 8, high##r);
    EACH_OF_4(ROW)
#undef ROW
}

static void multiply_avx2(const float *a, uint64_t a_pitch, const float *b, uint64_t b_pitch, float *c,
                          uint64_t c_pitch, uint64_t columns, uint64_t depth, bool add) {
    for (uint64_t j = 0; j < columns; j += 16)
        for (uint64_t i = 0; i < QUERIES; i += 4)
            multiply_4_by_16(a + i * a_pitch, a_pitch, b + j, b_pitch, c + i * c_pitch + j, c_pitch, depth,
                             add);
}

// exp(x) for x <= 0: zero below -87, where results would be denormal. NaN stays NaN. 2^f for |f| <= 1/2 by the series of exp
// up to the seventh power, whose rest is below 2^-25 of the result.
__attribute__((target("avx2,fma"))) static __m256 exponentials(__m256 x) {
    __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)),
                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    // ln 2 in two parts, the first with few enough digits that its products with n are exact.
    __m256 f = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375f), x);
    f = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), f);
    static const float terms[] = {1.0f / 720.0f, 1.0f / 120.0f, 1.0f / 24.0f, 1.0f / 6.0f, 0.5f, 1.0f, 1.0f};
    __m256 power = _mm256_set1_ps(1.0f / 5040.0f);
    for (int i = 0; i < 7; i++) power = _mm256_fmadd_ps(power, f, _mm256_set1_ps(terms[i]));
    __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    power = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(power), exponent));
    __m256 below = _mm256_cmp_ps(x, _mm256_set1_ps(-87.0f), _CMP_LT_OQ);
    __m256 nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
    return _mm256_blendv_ps(_mm256_andnot_ps(below, power), x, nan);
}

__attribute__((target("avx2,fma"))) static float soften_avx2(float *scores, float base) {
    __m256 sum = _mm256_setzero_ps(), least = _mm256_set1_ps(base);
    for (int j = 0; j < KEYS; j += 8) {
        __m256 weights = exponentials(_mm256_sub_ps(_mm256_loadu_ps(scores + j), least));
        _mm256_storeu_ps(scores + j, weights);
        sum = _mm256_add_ps(sum, weights);
    }
    float lanes[8], all = 0.0f;
    _mm256_storeu_ps(lanes, sum);
    for (int i = 0; i < 8; i++) all += lanes[i];
    return all;
}
#endif

size_t attention_list_steps(attention_steps list[3]) {
    size_t count = 0;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list[count++] = (attention_steps){"avx2", multiply_avx2, soften_avx2};
#endif
    list[count++] = attention_steps_plain;
    list[count] = (attention_steps){0};
    return count;
}

static void attend(const kz_native_launch *launch, kz_type type) {
    attention_steps list[3];
    attention_list_steps(list);
    attention_native_attend(launch, type, &list[0]);
}

static void f32(const kz_native_launch *launch) { attend(launch, KZ_F32); }
static void f16(const kz_native_launch *launch) { attend(launch, KZ_F16); }
static void bf16(const kz_native_launch *launch) { attend(launch, KZ_BF16); }

const kz_native_entry attention_cpu_simd_natives[] = {{"attention_cpu_simd_any_f32", f32},
                                                      {"attention_cpu_simd_any_f16", f16},
                                                      {"attention_cpu_simd_any_bf16", bf16},
                                                      {0}};
