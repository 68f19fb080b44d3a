// Products that Hopper's tensor cores compute as chains of fused multiply-adds: f64, and m8n8k4 of f16, which ptxas makes of
// ordinary instructions. The order and the NaN are those found on an H200.
#include "sim/exec_matrix.h"
#include "sim/rounding.h"

// ---- f64 ----------------------------------------------------------------------------------------------------------------

#define F64_INVALID f64_of_bits(UINT64_C(0xfff8000000000000))

// The NaN of the result is the first of b, the sum and a, quiet, or that of an invalid operation.
LANES_INLINE double multiply_add(double a, double b, double sum) {
    double result = __builtin_fma(a, b, sum);
    result = result == result ? result : F64_INVALID;
    result = a == a ? result : f64_quiet(a);
    result = sum == sum ? result : f64_quiet(sum);
    return b == b ? result : f64_quiet(b);
}

static void multiply_nearest(int rows, int k, const uint64_t *a, const uint64_t (*b)[8], uint64_t (*sum)[8]) {
    for (int i = 0; i < rows; i++)
        for (int t = 0; t < k; t++) {
            const double factor = f64_of_bits(a[i * k + t]);
            for (int j = 0; j < 8; j++)
                sum[i][j] = bits_of_f64(multiply_add(factor, f64_of_bits(b[t][j]), f64_of_bits(sum[i][j])));
        }
}

void SIM_NAME(sim_multiply_f64)(int rows, int k, ptx_mod rounding, const uint64_t *a, const uint64_t (*b)[8],
                                uint64_t (*sum)[8]) {
    // Through a pointer, so that nothing moves across the change of the rounding.
    void (*volatile multiply)(int, int, const uint64_t *, const uint64_t(*)[8], uint64_t(*)[8]) =
        multiply_nearest;
    int saved = fegetround();
    switch (rounding) {
    case PTX_MOD_RZ: fesetround(FE_TOWARDZERO); break;
    case PTX_MOD_RM: fesetround(FE_DOWNWARD); break;
    case PTX_MOD_RP: fesetround(FE_UPWARD); break;
    default: break;
    }
    multiply(rows, k, a, b, sum);
    if (fegetround() != saved) fesetround(saved);
}

// ---- m8n8k4 -------------------------------------------------------------------------------------------------------------

// c + (((0 + a0 b0) + a1 b1) + a2 b2) + a3 b3, all in f32.
static float add_to_f32(const float *a, const float *b, float sum) {
    float products = 0.0f;
    for (int k = 0; k < 4; k++) products = __builtin_fmaf(a[k], b[k], products);
    return f32_canonical(sum + products);
}

// (c + (a0 b0 + a1 b1)) + (a2 b2 + a3 b3) in f32, then an f16.
static float add_to_f16(const float *a, const float *b, float sum) {
    float first = __builtin_fmaf(a[1], b[1], a[0] * b[0]), second = __builtin_fmaf(a[3], b[3], a[2] * b[2]);
    return (sum + first) + second;
}

void SIM_NAME(sim_multiply_m8n8k4)(bool f16_sums, const uint16_t a[8][4], const uint16_t b[4][8],
                                   uint32_t sum[8][8]) {
    float row[8][4], column[8][4];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 4; k++) {
            row[i][k] = f32_of_f16(a[i][k]);
            column[i][k] = f32_of_f16(b[k][i]);
        }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (f16_sums)
                sum[i][j] = f16_of_f32(add_to_f16(row[i], column[j], f32_of_f16((uint16_t)sum[i][j])));
            else
                sum[i][j] = bits_of_f32(add_to_f32(row[i], column[j], f32_of_bits(sum[i][j])));
}
