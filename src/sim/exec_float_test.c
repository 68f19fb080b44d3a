// f32 and f64 arithmetic in every rounding, .ftz and .sat, minimum and maximum, and the approximations.
#include "sim/exec_fake.h"
#include "sim/exec_oracle.h"

// Volatile keeps the compiler from computing at another rounding.
static float round_f32(float (*f)(volatile float, volatile float, volatile float), float a, float b, float c,
                       int mode) {
    fesetround(mode);
    volatile float result = f(a, b, c);
    fesetround(FE_TONEAREST);
    return result;
}
static double round_f64(double (*f)(volatile double, volatile double, volatile double), double a, double b,
                        double c, int mode) {
    fesetround(mode);
    volatile double result = f(a, b, c);
    fesetround(FE_TONEAREST);
    return result;
}
#define OPERATIONS(T, s, fma_function, sqrt_function)                                                        \
    static T add_##s(volatile T a, volatile T b, volatile T c) { return a + b; }                             \
    static T sub_##s(volatile T a, volatile T b, volatile T c) { return a - b; }                             \
    static T mul_##s(volatile T a, volatile T b, volatile T c) { return a * b; }                             \
    static T div_##s(volatile T a, volatile T b, volatile T c) { return a / b; }                             \
    static T fma_##s(volatile T a, volatile T b, volatile T c) { return fma_function(a, b, c); }             \
    static T rcp_##s(volatile T a, volatile T b, volatile T c) { return (T)1 / a; }                          \
    static T sqrt_##s(volatile T a, volatile T b, volatile T c) { return sqrt_function(a); }
OPERATIONS(float, f32, fmaf, sqrtf)
OPERATIONS(double, f64, fma, sqrt)

// Flushed where the exact result is subnormal, be it rounded up to a normal number: seen by rounding to zero.
static float flushed_result(float (*f)(volatile float, volatile float, volatile float), float a, float b,
                            float c, int mode) {
    float result = round_f32(f, a, b, c, mode), least = round_f32(f, a, b, c, FE_TOWARDZERO);
    return fabsf(least) < 0x1p-126f ? copysignf(0, result) : result;
}

static float saturate(float x) { return isnan(x) || x <= 0 ? 0 : x > 1 ? 1 : x; }

#define F32_ORACLE(name, f, mode)                                                                            \
    static uint64_t name(fake_lane *x) {                                                                     \
        return oracle_bits_f32(round_f32(f, oracle_f32(x->a), oracle_f32(x->b), oracle_f32(x->c), mode));    \
    }                                                                                                        \
    static uint64_t name##_ftz(fake_lane *x) {                                                               \
        float a = oracle_flush(oracle_f32(x->a)), b = oracle_flush(oracle_f32(x->b));                        \
        return oracle_bits_f32(flushed_result(f, a, b, oracle_flush(oracle_f32(x->c)), mode));               \
    }
#define F64_ORACLE(name, f, mode)                                                                            \
    static uint64_t name(fake_lane *x) {                                                                     \
        return oracle_bits_f64(round_f64(f, oracle_f64(x->a), oracle_f64(x->b), oracle_f64(x->c), mode));    \
    }
#define ALL_MODES(f)                                                                                         \
    F32_ORACLE(f##_f32_rn, f##_f32, FE_TONEAREST)                                                            \
    F32_ORACLE(f##_f32_rz, f##_f32, FE_TOWARDZERO)                                                           \
    F32_ORACLE(f##_f32_rm, f##_f32, FE_DOWNWARD)                                                             \
    F32_ORACLE(f##_f32_rp, f##_f32, FE_UPWARD)                                                               \
    F64_ORACLE(f##_f64_rn, f##_f64, FE_TONEAREST)                                                            \
    F64_ORACLE(f##_f64_rz, f##_f64, FE_TOWARDZERO)                                                           \
    F64_ORACLE(f##_f64_rm, f##_f64, FE_DOWNWARD)                                                             \
    F64_ORACLE(f##_f64_rp, f##_f64, FE_UPWARD)
ALL_MODES(add)
ALL_MODES(sub)
ALL_MODES(mul)
ALL_MODES(div)
ALL_MODES(fma)
ALL_MODES(rcp)
ALL_MODES(sqrt)

static bool both_nan_f64(uint64_t got, uint64_t wanted) {
    return isnan(oracle_f64(got)) && isnan(oracle_f64(wanted));
}

#define ROWS(f, operands32, operands64)                                                                      \
    {#f ".rn.f32 " operands32, f##_f32_rn, NULL}, {#f ".rz.f32 " operands32, f##_f32_rz, NULL},              \
        {#f ".rm.f32 " operands32, f##_f32_rm, NULL}, {#f ".rp.f32 " operands32, f##_f32_rp, NULL},          \
        {#f ".rn.ftz.f32 " operands32, f##_f32_rn_ftz, NULL},                                                \
        {#f ".rm.ftz.f32 " operands32, f##_f32_rm_ftz, NULL},                                                \
        {#f ".rz.ftz.f32 " operands32, f##_f32_rz_ftz, NULL},                                                \
        {#f ".rp.ftz.f32 " operands32, f##_f32_rp_ftz, NULL},                                                \
        {#f ".rn.f64 " operands64, f##_f64_rn, both_nan_f64},                                                \
        {#f ".rz.f64 " operands64, f##_f64_rz, both_nan_f64},                                                \
        {#f ".rm.f64 " operands64, f##_f64_rm, both_nan_f64}, {                                              \
#f ".rp.f64 " operands64, f##_f64_rp, both_nan_f64                                                   \
    }

static void every_rounding_matches_the_host(void **state) {
    static const fake_row rows[] = {
        ROWS(add, "%r0, %r1, %r2;", "%d0, %d1, %d2;"),
        ROWS(sub, "%r0, %r1, %r2;", "%d0, %d1, %d2;"),
        ROWS(mul, "%r1, %r1, %r2;", "%d0, %d1, %d2;"),
        ROWS(div, "%r0, %r1, %r2;", "%d0, %d1, %d2;"),
        ROWS(fma, "%r3, %r1, %r2, %r3;", "%d0, %d1, %d2, %d3;"),
        ROWS(rcp, "%r0, %r1;", "%d0, %d1;"),
        ROWS(sqrt, "%r0, %r1;", "%d0, %d1;"),
        {"add.f32 %r0, %r1, %r2;", add_f32_rn, NULL},
        {"mad.rn.f32 %r0, %r1, %r2, %r3;", fma_f32_rn, NULL},
        {"div.full.f32 %r0, %r1, %r2;", div_f32_rn, NULL},
        {"rcp.approx.ftz.f32 %r0, %r1;", rcp_f32_rn_ftz, NULL},
        {"sqrt.approx.f32 %r0, %r1;", sqrt_f32_rn, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

static uint64_t add_sat(fake_lane *x) {
    return oracle_bits_f32(saturate(oracle_f32(x->a) + oracle_f32(x->b)));
}
static uint64_t mul_sat(fake_lane *x) {
    return oracle_bits_f32(saturate(oracle_f32(x->a) * oracle_f32(x->b)));
}
static uint64_t fma_sat_ftz(fake_lane *x) {
    float a = oracle_flush(oracle_f32(x->a)), b = oracle_flush(oracle_f32(x->b));
    return oracle_bits_f32(
        saturate(flushed_result(fma_f32, a, b, oracle_flush(oracle_f32(x->c)), FE_TONEAREST)));
}
static uint64_t sub_sat_rz(fake_lane *x) {
    return oracle_bits_f32(
        saturate(round_f32(sub_f32, oracle_f32(x->a), oracle_f32(x->b), 0, FE_TOWARDZERO)));
}
// Where |b| > 2^126 the quotient is 0, and NaN of an infinity.
static uint64_t div_approx(fake_lane *x) {
    float a = oracle_f32(x->a), b = oracle_f32(x->b);
    if (isfinite(b) && fabsf(b) > 0x1p126f && !isnan(a))
        return isinf(a) ? 0x7fffffffu : oracle_bits_f32(signbit(a) == signbit(b) ? 0.0f : -0.0f);
    return oracle_bits_f32(a / b);
}
static uint64_t negate(fake_lane *x) { return oracle_bits_f32(-oracle_f32(x->a)); }
static uint64_t magnitude(fake_lane *x) { return oracle_bits_f32(fabsf(oracle_f32(x->a))); }
static uint64_t magnitude_ftz(fake_lane *x) { return oracle_bits_f32(fabsf(oracle_flush(oracle_f32(x->a)))); }
static uint64_t quiet(uint64_t nan) { return nan | UINT64_C(0x0008000000000000); }
static uint64_t negate_64(fake_lane *x) {
    return isnan(oracle_f64(x->a)) ? quiet(x->a) : x->a ^ UINT64_C(0x8000000000000000);
}
static uint64_t copy_sign(fake_lane *x) { return (x->a & 0x80000000u) | (x->b & 0x7fffffffu); }
static uint64_t copy_sign_64(fake_lane *x) { return (x->a >> 63 << 63) | (x->b << 1 >> 1); }

static void saturation_signs_and_division_match(void **state) {
    static const fake_row rows[] = {
        {"add.sat.f32 %r0, %r1, %r2;", add_sat, NULL},
        {"mul.sat.f32 %r0, %r1, %r2;", mul_sat, NULL},
        {"fma.rn.ftz.sat.f32 %r0, %r1, %r2, %r3;", fma_sat_ftz, NULL},
        {"sub.rz.sat.f32 %r0, %r1, %r2;", sub_sat_rz, NULL},
        {"div.approx.f32 %r0, %r1, %r2;", div_approx, NULL},
        {"neg.f32 %r0, %r1;", negate, NULL},
        {"abs.f32 %r0, %r1;", magnitude, NULL},
        {"abs.ftz.f32 %r0, %r1;", magnitude_ftz, NULL},
        {"neg.f64 %d0, %d1;", negate_64, NULL},
        {"copysign.f32 %r0, %r1, %r2;", copy_sign, NULL},
        {"copysign.f64 %d0, %d1, %d2;", copy_sign_64, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- minimum and maximum ----------------------------------------------------------------------------------

static double lesser(double a, double b) {
    if (isnan(a)) return b;
    if (isnan(b)) return a;
    if (a == 0 && b == 0) return signbit(a) ? a : b;
    return a < b ? a : b;
}
static double greater(double a, double b) { return -lesser(-a, -b); }
#define F(member)  ((double)oracle_f32(x->member))
#define FZ(member) ((double)oracle_flush(oracle_f32(x->member)))
static uint64_t min_f32(fake_lane *x) { return oracle_bits_f32((float)lesser(F(a), F(b))); }
static uint64_t max_f32(fake_lane *x) { return oracle_bits_f32((float)greater(F(a), F(b))); }
static uint64_t max_f32_ftz(fake_lane *x) { return oracle_bits_f32((float)greater(FZ(a), FZ(b))); }
static uint64_t min_f32_nan(fake_lane *x) { return isnan(F(a)) || isnan(F(b)) ? 0x7fffffffu : min_f32(x); }
static uint64_t max_f32_3(fake_lane *x) { return oracle_bits_f32((float)greater(greater(F(a), F(b)), F(c))); }
static uint64_t min_f32_3_nan(fake_lane *x) {
    if (isnan(F(a)) || isnan(F(b)) || isnan(F(c))) return 0x7fffffffu;
    return oracle_bits_f32((float)lesser(lesser(F(a), F(b)), F(c)));
}
static uint64_t max_f32_xorsign(fake_lane *x) {
    double most = greater(fabs(F(a)), fabs(F(b)));
    return isnan(most) ? 0x7fffffffu
                       : oracle_bits_f32((float)(signbit(F(a)) != signbit(F(b)) ? -most : most));
}
static uint64_t min_f64(fake_lane *x) { return oracle_bits_f64(lesser(oracle_f64(x->a), oracle_f64(x->b))); }
static uint64_t max_f64(fake_lane *x) { return oracle_bits_f64(greater(oracle_f64(x->a), oracle_f64(x->b))); }

static void order_handles_nan_and_zero(void **state) {
    static const fake_row rows[] = {
        {"min.f32 %r0, %r1, %r2;", min_f32, NULL},
        {"max.f32 %r0, %r1, %r2;", max_f32, NULL},
        {"max.ftz.f32 %r0, %r1, %r2;", max_f32_ftz, NULL},
        {"min.NaN.f32 %r0, %r1, %r2;", min_f32_nan, NULL},
        {"max.f32 %r0, %r1, %r2, %r3;", max_f32_3, NULL},
        {"min.NaN.f32 %r0, %r1, %r2, %r3;", min_f32_3_nan, NULL},
        {"max.xorsign.abs.f32 %r0, %r1, %r2;", max_f32_xorsign, NULL},
        {"min.f64 %d0, %d1, %d2;", min_f64, both_nan_f64},
        {"max.f64 %d0, %d1, %d2;", max_f64, both_nan_f64},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- pairs ------------------------------------------------------------------------------------------------

static uint64_t pair_of(fake_lane *x, float (*f)(volatile float, volatile float, volatile float)) {
    float low = f(oracle_f32(x->a), oracle_f32(x->b), oracle_f32(x->c));
    float high = f(oracle_f32(x->a >> 32), oracle_f32(x->b >> 32), oracle_f32(x->c >> 32));
    return oracle_bits_f32(low) | oracle_bits_f32(high) << 32;
}
static uint64_t add_pair(fake_lane *x) { return pair_of(x, add_f32); }
static uint64_t sub_pair(fake_lane *x) { return pair_of(x, sub_f32); }
static uint64_t mul_pair(fake_lane *x) { return pair_of(x, mul_f32); }
static uint64_t fma_pair(fake_lane *x) { return pair_of(x, fma_f32); }

static void pairs_are_two_floats(void **state) {
    static const fake_row rows[] = {
        {"add.rn.f32x2 %d0, %d1, %d2;", add_pair, NULL},
        {"sub.rn.f32x2 %d0, %d1, %d2;", sub_pair, NULL},
        {"mul.rn.f32x2 %d0, %d1, %d2;", mul_pair, NULL},
        {"fma.rn.f32x2 %d0, %d1, %d2, %d3;", fma_pair, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- approximations ---------------------------------------------------------------------------------

// Within two units in the last place of f32, which is inside every bound that PTX states for these.
static bool within_2_ulp(uint64_t got, uint64_t wanted) {
    float g = oracle_f32(got), w = oracle_f32(wanted);
    if (isnan(w)) return got == 0x7fffffffu;
    if (!isfinite(w) || w == 0) return g == w && signbit(g) == signbit(w);
    int64_t distance = (int64_t)(int32_t)got - (int32_t)wanted;
    return signbit(g) == signbit(w) && llabs(distance) <= 2;
}
static bool close_in_value(uint64_t got, uint64_t wanted) { // sin and cos: absolute
    float g = oracle_f32(got), w = oracle_f32(wanted);
    return isnan(w) ? got == 0x7fffffffu : fabsf(g - w) <= 0x1p-21f;
}
static bool within_2_to_minus_20(uint64_t got, uint64_t wanted) { // the upper words of f64
    double g = oracle_f64(got), w = oracle_f64(wanted);
    if (isnan(w)) return isnan(g);
    if (!isfinite(w) || w == 0) return g == w && signbit(g) == signbit(w);
    return fabs(g - w) <= fabs(w) * 0x1p-20;
}
static uint64_t ex2(fake_lane *x) { return oracle_bits_f32((float)exp2((double)oracle_f32(x->a))); }
static uint64_t ex2_ftz(fake_lane *x) { return oracle_bits_f32(oracle_flush((float)exp2(FZ(a)))); }
static uint64_t lg2(fake_lane *x) { return oracle_bits_f32((float)log2(F(a))); }
static uint64_t sine(fake_lane *x) { return oracle_bits_f32((float)sin(F(a))); }
static uint64_t cosine(fake_lane *x) { return oracle_bits_f32((float)cos(F(a))); }
static uint64_t tangent(fake_lane *x) { return oracle_bits_f32((float)tanh(F(a))); }
static uint64_t rsqrt(fake_lane *x) { return oracle_bits_f32((float)(1 / sqrt(F(a)))); }
static uint64_t rsqrt_ftz(fake_lane *x) { return oracle_bits_f32((float)(1 / sqrt(FZ(a)))); }
static uint64_t rsqrt_64(fake_lane *x) { return oracle_bits_f64(1 / sqrt(oracle_f64(x->a))); }
static uint64_t rcp_64_ftz(fake_lane *x) {
    double a = oracle_f64(x->a), result;
    if (fpclassify(a) == FP_SUBNORMAL) a = copysign(0, a);
    result = 1 / a;
    return oracle_bits_f64(fpclassify(result) == FP_SUBNORMAL ? copysign(0, result) : result);
}

static void approximations_are_within_bounds(void **state) {
    static const fake_row rows[] = {
        {"ex2.approx.f32 %r0, %r1;", ex2, within_2_ulp},
        {"ex2.approx.ftz.f32 %r0, %r1;", ex2_ftz, within_2_ulp},
        {"lg2.approx.f32 %r0, %r1;", lg2, within_2_ulp},
        {"sin.approx.f32 %r0, %r1;", sine, close_in_value},
        {"cos.approx.f32 %r0, %r1;", cosine, close_in_value},
        {"tanh.approx.f32 %r0, %r1;", tangent, within_2_ulp},
        {"rsqrt.approx.f32 %r0, %r1;", rsqrt, within_2_ulp},
        {"rsqrt.approx.ftz.f32 %r0, %r1;", rsqrt_ftz, within_2_ulp},
        {"rsqrt.approx.f64 %d0, %d1;", rsqrt_64, within_2_to_minus_20},
        {"rcp.approx.ftz.f64 %d0, %d1;", rcp_64_ftz, within_2_to_minus_20},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rounding_matches_the_host),
        cmocka_unit_test(saturation_signs_and_division_match),
        cmocka_unit_test(order_handles_nan_and_zero),
        cmocka_unit_test(pairs_are_two_floats),
        cmocka_unit_test(approximations_are_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
