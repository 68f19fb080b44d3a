// f16, bf16 and their pairs: every result is the exact one, rounded once.
#include "sim/exec_fake.h"
#include "sim/exec_oracle.h"

typedef enum operation { ADD, SUB, MUL, FMA, LEAST, MOST, EX2, TANH } operation;
enum { FTZ = 1, SAT = 2, RELU = 4, NAN_WINS = 8, XORSIGN = 16, THREE = 32, OOB = 64 };

static double flushed(double x, const oracle_format *format, unsigned flags) {
    return (flags & FTZ) && format == &oracle_f16 && x != 0 && fabs(x) < 0x1p-14 ? copysign(0, x) : x;
}

static double ordered(double a, double b, unsigned flags, bool most) {
    bool negative = signbit(a) != signbit(b);
    if ((flags & NAN_WINS) && (isnan(a) || isnan(b))) return NAN;
    if (flags & XORSIGN) a = fabs(a), b = fabs(b);
    double result;
    if (isnan(a))
        result = b;
    else if (isnan(b))
        result = a;
    else if (a == b)
        result = (signbit(a) != 0) == most ? b : a;
    else
        result = (a < b) == most ? b : a;
    return flags & XORSIGN ? copysign(result, negative ? -1.0 : 1.0) : result;
}

static uint32_t one(uint64_t a, uint64_t b, uint64_t c, const oracle_format *format, operation what,
                    unsigned flags) {
    double x = flushed(oracle_value((uint32_t)a & 0xffff, format), format, flags);
    double y = flushed(oracle_value((uint32_t)b & 0xffff, format), format, flags);
    double z = flushed(oracle_value((uint32_t)c & 0xffff, format), format, flags);
    double result = 0, error = 0;
    if ((flags & OOB) && ((a & 0x7fff) == 0x7ff7 || (b & 0x7fff) == 0x7ff7)) return 0;
    switch (what) {
    case ADD: result = x + y, error = oracle_sum_error(x, y, result); break;
    case SUB: result = x - y, error = oracle_sum_error(x, -y, result); break;
    case MUL: result = x * y; break;
    case FMA: result = x * y + z, error = oracle_sum_error(x * y, z, result); break;
    case LEAST: result = ordered(x, y, flags, false); break;
    case MOST: result = ordered(x, y, flags, true); break;
    case EX2: result = exp2(x); break;
    case TANH: result = tanh(x); break;
    }
    if (flags & THREE) result = ordered(result, z, flags, what == MOST);
    if (!isfinite(result)) error = 0;
    // Before it is rounded. An error below the last bit of a double moves nothing across 2^-14 but itself.
    bool inward = fabs(result) == 0x1p-14 && error != 0 && signbit(error) != signbit(result);
    if ((flags & FTZ) && format == &oracle_f16 && (fabs(result) < 0x1p-14 || inward))
        result = copysign(0, result), error = 0;
    if (flags & SAT) {
        if (isnan(result) || result <= 0) result = 0, error = 0;
        if (result >= 1) result = 1, error = 0;
    }
    if ((flags & RELU) && result <= 0) result = 0, error = 0;
    return oracle_code(result, error, format, TO_NEAREST, false);
}
static uint64_t two(fake_lane *x, const oracle_format *format, operation what, unsigned flags) {
    return one(x->a, x->b, x->c, format, what, flags) |
           (uint64_t)one(x->a >> 16, x->b >> 16, x->c >> 16, format, what, flags) << 16;
}
#define HALVES(name, what, flags)                                                                            \
    static uint64_t f16_##name(fake_lane *x) { return one(x->a, x->b, x->c, &oracle_f16, what, flags); }     \
    static uint64_t bf16_##name(fake_lane *x) { return one(x->a, x->b, x->c, &oracle_bf16, what, flags); }   \
    static uint64_t f16x2_##name(fake_lane *x) { return two(x, &oracle_f16, what, flags); }                  \
    static uint64_t bf16x2_##name(fake_lane *x) { return two(x, &oracle_bf16, what, flags); }
HALVES(add, ADD, 0)
HALVES(sub, SUB, 0)
HALVES(mul, MUL, 0)
HALVES(fma, FMA, 0)
HALVES(fma_relu, FMA, RELU)
HALVES(fma_oob, FMA, OOB)
HALVES(min, LEAST, 0)
HALVES(max, MOST, 0)
HALVES(max_nan, MOST, NAN_WINS)
HALVES(min_xorsign, LEAST, XORSIGN)
HALVES(max_3, MOST, THREE)
HALVES(ex2, EX2, 0)
HALVES(tanh, TANH, 0)
#define F16_ONLY(name, what, flags)                                                                          \
    static uint64_t f16_##name(fake_lane *x) { return one(x->a, x->b, x->c, &oracle_f16, what, flags); }     \
    static uint64_t f16x2_##name(fake_lane *x) { return two(x, &oracle_f16, what, flags); }
F16_ONLY(add_ftz, ADD, FTZ)
F16_ONLY(mul_ftz_sat, MUL, FTZ | SAT)
F16_ONLY(fma_sat, FMA, SAT)
F16_ONLY(fma_ftz, FMA, FTZ)
F16_ONLY(min_ftz, LEAST, FTZ)

#define ROWS(name, text, one_operands, pair_operands)                                                        \
    {text ".f16 " one_operands, f16_##name, NULL}, {text ".bf16 " one_operands, bf16_##name, NULL},          \
        {text ".f16x2 " pair_operands, f16x2_##name, NULL}, {                                                \
        text ".bf16x2 " pair_operands, bf16x2_##name, NULL                                                   \
    }
#define F16_ROWS(name, text, one_operands, pair_operands)                                                    \
    {text ".f16 " one_operands, f16_##name, NULL}, { text ".f16x2 " pair_operands, f16x2_##name, NULL }

static void arithmetic_is_rounded_once(void **state) {
    static const fake_row rows[] = {
        ROWS(add, "add.rn", "%h0, %h1, %h2;", "%r0, %r1, %r2;"),
        ROWS(sub, "sub", "%h1, %h1, %h2;", "%r0, %r1, %r2;"),
        ROWS(mul, "mul", "%h0, %h1, %h2;", "%r2, %r1, %r2;"),
        ROWS(fma, "fma.rn", "%h0, %h1, %h2, %h3;", "%r0, %r1, %r2, %r3;"),
        ROWS(fma_relu, "fma.rn.relu", "%h0, %h1, %h2, %h3;", "%r0, %r1, %r2, %r3;"),
        ROWS(fma_oob, "fma.rn.oob", "%h0, %h1, %h2, %h3;", "%r0, %r1, %r2, %r3;"),
        F16_ROWS(add_ftz, "add.ftz", "%h0, %h1, %h2;", "%r0, %r1, %r2;"),
        F16_ROWS(mul_ftz_sat, "mul.ftz.sat", "%h0, %h1, %h2;", "%r0, %r1, %r2;"),
        F16_ROWS(fma_sat, "fma.rn.sat", "%h0, %h1, %h2, %h3;", "%r0, %r1, %r2, %r3;"),
        F16_ROWS(fma_ftz, "fma.rn.ftz", "%h0, %h1, %h2, %h3;", "%r0, %r1, %r2, %r3;"),
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

static bool nan_of_halves(uint64_t got, uint64_t wanted) { // xorsign leaves the sign of a NaN open
    uint64_t open =
        ((wanted & 0x7fff) == 0x7fff ? 0x8000u : 0) | ((wanted >> 16 & 0x7fff) == 0x7fff ? 0x80000000u : 0);
    return ((got ^ wanted) & ~open) == 0;
}

static void order_matches(void **state) {
    static const fake_row rows[] = {
        ROWS(min, "min", "%h0, %h1, %h2;", "%r0, %r1, %r2;"),
        ROWS(max, "max", "%h0, %h1, %h2;", "%r0, %r1, %r2;"),
        ROWS(max_nan, "max.NaN", "%h0, %h1, %h2;", "%r0, %r1, %r2;"),
        ROWS(max_3, "max", "%h0, %h1, %h2, %h3;", "%r0, %r1, %r2, %r3;"),
        F16_ROWS(min_ftz, "min.ftz", "%h0, %h1, %h2;", "%r0, %r1, %r2;"),
        {"min.xorsign.abs.f16 %h0, %h1, %h2;", f16_min_xorsign, nan_of_halves},
        {"min.xorsign.abs.bf16 %h0, %h1, %h2;", bf16_min_xorsign, nan_of_halves},
        {"min.xorsign.abs.f16x2 %r0, %r1, %r2;", f16x2_min_xorsign, nan_of_halves},
        {"min.xorsign.abs.bf16x2 %r0, %r1, %r2;", bf16x2_min_xorsign, nan_of_halves},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// One unit of the half apart at most.
static bool next_half(uint64_t got, uint64_t wanted) {
    for (int k = 0; k < 32; k += 16) {
        int32_t g = (int32_t)(got >> k & 0xffff), w = (int32_t)(wanted >> k & 0xffff);
        if (abs(g - w) > 1) return false;
    }
    return true;
}
static uint32_t canonical(uint32_t half, const oracle_format *format) {
    return isnan(oracle_value(half & 0xffff, format)) ? 0x7fff : half & 0xffff;
}
ORACLE_1(neg_f16, uint16_t, canonical(a ^ 0x8000u, &oracle_f16))
ORACLE_1(abs_bf16, uint16_t, canonical(a & 0x7fffu, &oracle_bf16))
ORACLE_1(neg_bf16x2, uint32_t,
         canonical(a ^ 0x8000u, &oracle_bf16) | canonical(a >> 16 ^ 0x8000u, &oracle_bf16) << 16)
ORACLE_1(abs_f16x2, uint32_t,
         canonical(a & 0x7fffu, &oracle_f16) | canonical(a >> 16 & 0x7fffu, &oracle_f16) << 16)
ORACLE_1(neg_f16_ftz, uint16_t, canonical(((a & 0x7c00) ? a : a & 0x8000) ^ 0x8000u, &oracle_f16))

static void signs_and_approximations_match(void **state) {
    static const fake_row rows[] = {
        {"neg.f16 %h0, %h1;", neg_f16, NULL},
        {"neg.ftz.f16 %h0, %h1;", neg_f16_ftz, NULL},
        {"abs.bf16 %h0, %h1;", abs_bf16, NULL},
        {"neg.bf16x2 %r0, %r1;", neg_bf16x2, NULL},
        {"abs.f16x2 %r0, %r1;", abs_f16x2, NULL},
        {"ex2.approx.f16 %h0, %h1;", f16_ex2, next_half},
        {"ex2.approx.f16x2 %r0, %r1;", f16x2_ex2, next_half},
        {"ex2.approx.ftz.bf16 %h0, %h1;", bf16_ex2, next_half},
        {"ex2.approx.ftz.bf16x2 %r0, %r1;", bf16x2_ex2, next_half},
        {"tanh.approx.f16 %h0, %h1;", f16_tanh, next_half},
        {"tanh.approx.f16x2 %r0, %r1;", f16x2_tanh, next_half},
        {"tanh.approx.bf16 %h0, %h1;", bf16_tanh, next_half},
        {"tanh.approx.bf16x2 %r0, %r1;", bf16x2_tanh, next_half},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// Sources whose exact sum lies next to a tie, where a second rounding would show. The last lane's product is
// too small for f32 in every second run, so that the whole warp goes through double.
static void ties_are_broken_by_what_is_tiny(void **state) {
    static const struct {
        const char *text;
        uint16_t a, b, c, wanted;
    } cases[] = {
        {"fma.rn.f16 %h0, %h1, %h2, %h3;", 0x3c01, 0x3c01, 0x0001, 0x3c02}, // no tie: 1 + 2 ulp + tiny
        {"fma.rn.f16 %h0, %h1, %h2, %h3;", 0x1000, 0x3c00, 0x3c00, 0x3c00}, // half an ulp below: tie to even
        {"fma.rn.f16 %h0, %h1, %h2, %h3;", 0x1000, 0x3c01, 0x3c00, 0x3c01}, // a little more than the tie
        {"fma.rn.f16 %h0, %h1, %h2, %h3;", 0x1000, 0xbc01, 0x3c01, 0x3c00}, // and below the next one
        {"fma.rn.bf16 %h0, %h1, %h2, %h3;", 0x3b80, 0x3f80, 0x3f80, 0x3f80},
        {"fma.rn.bf16 %h0, %h1, %h2, %h3;", 0x3b80, 0x3f81, 0x3f80, 0x3f81},
        // 99 * 331 is 2^15 + 1, so these are 2^-11 + 2^-26 away from 1: past the tie by less than f32 can
        // hold
        {"fma.rn.f16 %h0, %h1, %h2, %h3;", 0x2e30, 0x1d2c, 0x3c00, 0x3c01},
        {"fma.rn.f16 %h0, %h1, %h2, %h3;", 0xae30, 0x1d2c, 0x3c02, 0x3c01},
        {"fma.rn.f16 %h0, %h1, %h2, %h3;", 0x2e30, 0x9d2c, 0xbc00, 0xbc01},
        // 7 * 37 = 259 is a tie, and a little less goes down, even by what double cannot hold
        {"fma.rn.bf16 %h0, %h1, %h2, %h3;", 0x40e0, 0x4214, 0x0000, 0x4382},
        {"fma.rn.bf16 %h0, %h1, %h2, %h3;", 0x40e0, 0x4214, 0xb080, 0x4381},
        {"fma.rn.bf16 %h0, %h1, %h2, %h3;", 0x40e0, 0x4214, 0xa180, 0x4381},
        {"mul.bf16 %h0, %h1, %h2;", 0x0001, 0x3f00, 0, 0x0000}, // half of the least subnormal: to even
        {"mul.bf16 %h0, %h1, %h2;", 0x0003, 0x3f00, 0, 0x0002},
        {"mul.bf16 %h0, %h1, %h2;", 0x0001, 0x3f01, 0, 0x0001},
    };
    for (unsigned k = 0; k < BASE_COUNT(cases); k++) {
        fake_line line;
        fake_open(&line, cases[k].text);
        for (unsigned n = 0; n < 4 && fake_isa_get(n / 2) != NULL; n++) {
            static const uint16_t tiny = 0x0080;
            uint8_t *frame = aligned_alloc(64, FAKE_BYTES);
            assert_non_null(frame);
            memset(frame, 0, FAKE_BYTES);
            for (unsigned i = 0; i < SIM_LANES; i++) {
                bool small = n % 2 == 1 && i == SIM_LANES - 1;
                memcpy(frame + 1 * FAKE_SLOT + 2 * i, small ? &tiny : &cases[k].a, 2);
                memcpy(frame + 2 * FAKE_SLOT + 2 * i, small ? &tiny : &cases[k].b, 2);
                memcpy(frame + 3 * FAKE_SLOT + 2 * i, &cases[k].c, 2);
            }
            sim_op op;
            assert_true(fake_select(&line, fake_isa_get(n / 2), frame, &op));
            fake_run(&op, frame, SIM_ALL);
            for (unsigned i = 0; i < SIM_LANES - n % 2; i++)
                if (fake_read(&line, frame, 0, i) != cases[k].wanted)
                    fail_msg("%s case %u on %s: %x", cases[k].text, k, fake_isa_get(n / 2)->name,
                             (unsigned)fake_read(&line, frame, 0, i));
            free(frame);
        }
        fake_close(&line);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_rounded_once),
        cmocka_unit_test(order_matches),
        cmocka_unit_test(signs_and_approximations_match),
        cmocka_unit_test(ties_are_broken_by_what_is_tiny),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
