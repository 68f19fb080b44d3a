// cvt between all types, in every rounding, and cvt.pack.
#include "sim/exec_fake.h"
#include "sim/exec_oracle.h"

// ---- integers ---------------------------------------------------------------------------------------------

ORACLE_1(to_u8, uint8_t, a)
ORACLE_1(s8_in_16, int8_t, (uint16_t)a)
ORACLE_1(s8_in_32, int8_t, (uint32_t)a)
ORACLE_1(s8_in_64, int8_t, (int64_t)a)
ORACLE_1(to_u16, uint16_t, a)
ORACLE_1(s16_in_32, int16_t, (uint32_t)a)
ORACLE_1(s16_in_64, int16_t, (int64_t)a)
ORACLE_1(to_u32, uint32_t, a)
ORACLE_1(s32_in_64, int32_t, (int64_t)a)
ORACLE_1(s8_as_u16_in_32, int8_t, (uint16_t)a) // sign-extended to 16 bits, then zero-extended
static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}
ORACLE_1(s32_sat_u8, int32_t, clamp(a, 0, 255))
ORACLE_1(s32_sat_s8, int32_t, (uint16_t)clamp(a, -128, 127))
ORACLE_1(u32_sat_s32, uint32_t, clamp(a, 0, INT32_MAX))
ORACLE_1(s64_sat_u32, int64_t, clamp(a, 0, UINT32_MAX))
ORACLE_1(s32_sat_u64, int32_t, a < 0 ? 0 : a)
ORACLE_1(u64_sat_s64, uint64_t, a > INT64_MAX ? INT64_MAX : a)

static void integers_are_cut_and_extended(void **state) {
    static const fake_row rows[] = {
        {"cvt.u32.u8 %r0, %h1;", to_u8, NULL},
        {"cvt.u32.u8 %r0, %r1;", to_u8, NULL},
        {"cvt.u16.u8 %h0, %h1;", to_u8, NULL},
        {"cvt.s16.s8 %h0, %r1;", s8_in_16, NULL},
        {"cvt.s32.s8 %r0, %h1;", s8_in_32, NULL},
        {"cvt.s64.s8 %d0, %r1;", s8_in_64, NULL},
        {"cvt.u8.u32 %h0, %r1;", to_u8, NULL},
        {"cvt.s8.s32 %h0, %r1;", s8_in_16, NULL},
        {"cvt.u16.u32 %h0, %r1;", to_u16, NULL},
        {"cvt.u16.u64 %h0, %d1;", to_u16, NULL},
        {"cvt.u32.u16 %r0, %h1;", to_u16, NULL},
        {"cvt.s32.s16 %r0, %h1;", s16_in_32, NULL},
        {"cvt.s32.s16 %r0, %r1;", s16_in_32, NULL},
        {"cvt.s64.s16 %d0, %h1;", s16_in_64, NULL},
        {"cvt.u64.u32 %d0, %r1;", to_u32, NULL},
        {"cvt.s64.s32 %d0, %r1;", s32_in_64, NULL},
        {"cvt.u64.s32 %d0, %r1;", s32_in_64, NULL},
        {"cvt.u32.u64 %r0, %d1;", to_u32, NULL},
        {"cvt.s32.s64 %r0, %d1;", to_u32, NULL},
        {"cvt.u16.s8 %r0, %h1;", s8_as_u16_in_32, NULL},
        {"cvt.sat.u8.s32 %h0, %r1;", s32_sat_u8, NULL},
        {"cvt.sat.s8.s32 %h0, %r1;", s32_sat_s8, NULL},
        {"cvt.sat.s32.u32 %r0, %r1;", u32_sat_s32, NULL},
        {"cvt.sat.u32.s64 %r0, %d1;", s64_sat_u32, NULL},
        {"cvt.sat.u64.s32 %d0, %r1;", s32_sat_u64, NULL},
        {"cvt.sat.s64.u64 %d0, %d1;", u64_sat_s64, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- integers to floats -----------------------------------------------------------------------------

#if defined(__clang__) && defined(__x86_64__) // see exec_convert.c
#pragma STDC FENV_ACCESS ON
#endif
#define WITH_MODE(mode, type, expression)                                                                    \
    fesetround(mode);                                                                                        \
    volatile type result = expression;                                                                       \
    fesetround(FE_TONEAREST);
#define TO_F32(name, T, mode)                                                                                \
    static uint64_t name(fake_lane *x) {                                                                     \
        volatile T value = (T)x->a;                                                                          \
        WITH_MODE(mode, float, (float)value)                                                                 \
        return oracle_bits_f32(result);                                                                      \
    }
#define TO_F64(name, T, mode)                                                                                \
    static uint64_t name(fake_lane *x) {                                                                     \
        volatile T value = (T)x->a;                                                                          \
        WITH_MODE(mode, double, (double)value)                                                               \
        return oracle_bits_f64(result);                                                                      \
    }
TO_F32(s32_f32, int32_t, FE_TONEAREST)
TO_F32(s32_f32_rz, int32_t, FE_TOWARDZERO)
TO_F32(u32_f32, uint32_t, FE_TONEAREST)
TO_F32(u32_f32_rp, uint32_t, FE_UPWARD)
TO_F32(u32_f32_rm, uint32_t, FE_DOWNWARD)
TO_F32(s64_f32, int64_t, FE_TONEAREST)
TO_F32(u64_f32, uint64_t, FE_TONEAREST)
TO_F32(u64_f32_rz, uint64_t, FE_TOWARDZERO)
TO_F32(u8_f32, uint8_t, FE_TONEAREST)
TO_F32(s8_f32, int8_t, FE_TONEAREST)
TO_F32(u16_f32, uint16_t, FE_TONEAREST)
TO_F32(s16_f32, int16_t, FE_TONEAREST)
TO_F64(s32_f64, int32_t, FE_TONEAREST)
TO_F64(u32_f64, uint32_t, FE_TONEAREST)
TO_F64(s64_f64, int64_t, FE_TONEAREST)
TO_F64(u64_f64_rm, uint64_t, FE_DOWNWARD)
static uint64_t s32_f16(fake_lane *x) {
    return oracle_code((int32_t)x->a, 0, &oracle_f16, TO_NEAREST, false);
}
static uint64_t u64_f16(fake_lane *x) {
    return oracle_code(x->a > 70000 ? 70000.0 : (double)x->a, 0, &oracle_f16, TO_NEAREST, false);
}
static uint64_t s32_bf16(fake_lane *x) {
    return oracle_code((int32_t)x->a, 0, &oracle_bf16, TO_NEAREST, false);
}

static void integers_become_floats(void **state) {
    static const fake_row rows[] = {
        {"cvt.rn.f32.s32 %r0, %r1;", s32_f32, NULL},    {"cvt.rz.f32.s32 %r0, %r1;", s32_f32_rz, NULL},
        {"cvt.rn.f32.u32 %r1, %r1;", u32_f32, NULL},    {"cvt.rp.f32.u32 %r0, %r1;", u32_f32_rp, NULL},
        {"cvt.rm.f32.u32 %r0, %r1;", u32_f32_rm, NULL}, {"cvt.rn.f32.s64 %r0, %d1;", s64_f32, NULL},
        {"cvt.rn.f32.u64 %r0, %d1;", u64_f32, NULL},    {"cvt.rz.f32.u64 %r0, %d1;", u64_f32_rz, NULL},
        {"cvt.rn.f32.u8 %r0, %h1;", u8_f32, NULL},      {"cvt.rn.f32.s16 %r0, %h1;", s16_f32, NULL},
        {"cvt.rn.f32.u8 %r0, %r1;", u8_f32, NULL},      {"cvt.rn.f32.s8 %r0, %h1;", s8_f32, NULL},
        {"cvt.rn.f32.u16 %r0, %h1;", u16_f32, NULL},    {"cvt.rn.f32.u16 %r0, %r1;", u16_f32, NULL},
        {"cvt.rn.f32.s8 %r0, %r1;", s8_f32, NULL},      {"cvt.rn.f32.s16 %r0, %r1;", s16_f32, NULL},
        {"cvt.rn.f64.s32 %d0, %r1;", s32_f64, NULL},    {"cvt.rn.f64.u32 %d0, %r1;", u32_f64, NULL},
        {"cvt.rn.f64.s64 %d0, %d1;", s64_f64, NULL},    {"cvt.rm.f64.u64 %d0, %d1;", u64_f64_rm, NULL},
        {"cvt.rn.f16.s32 %h0, %r1;", s32_f16, NULL},    {"cvt.rn.f16.u64 %h0, %d1;", u64_f16, NULL},
        {"cvt.rn.bf16.s32 %h0, %r1;", s32_bf16, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- floats to integers -----------------------------------------------------------------------------

static uint64_t whole(double x, double (*rounded)(double), unsigned bits, bool is_signed, bool top_for_nan) {
    if (isnan(x)) return top_for_nan ? UINT64_C(1) << (bits - 1) : 0;
    double value = rounded(x), above = ldexp(1, (int)bits - is_signed), least = is_signed ? -above : 0;
    uint64_t most = is_signed    ? (UINT64_C(1) << (bits - 1)) - 1
                    : bits == 64 ? UINT64_MAX
                                 : (UINT64_C(1) << bits) - 1;
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (value >= above) return most;
    if (value <= least) return (is_signed ? UINT64_C(1) << (bits - 1) : 0) & mask;
    return (value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value) & mask;
}
#define F  (double)oracle_f32(x->a)
#define FZ (double)oracle_flush(oracle_f32(x->a))
static uint64_t f32_s32_rzi(fake_lane *x) { return whole(F, trunc, 32, true, false); }
static uint64_t f32_u32_rzi(fake_lane *x) { return whole(F, trunc, 32, false, false); }
static uint64_t f32_s32_rni(fake_lane *x) { return whole(F, rint, 32, true, false); }
static uint64_t f32_s32_rmi(fake_lane *x) { return whole(F, floor, 32, true, false); }
static uint64_t f32_s32_rpi(fake_lane *x) { return whole(F, ceil, 32, true, false); }
static uint64_t f32_s32_rpi_ftz(fake_lane *x) { return whole(FZ, ceil, 32, true, false); }
static uint64_t f32_u8_rni(fake_lane *x) { return whole(F, rint, 8, false, false); }
static uint64_t f32_s16_rzi(fake_lane *x) { return whole(F, trunc, 16, true, false); }
static uint64_t f32_s64_rzi(fake_lane *x) { return whole(F, trunc, 64, true, true); }
static uint64_t f32_u64_rmi(fake_lane *x) { return whole(F, floor, 64, false, true); }
static uint64_t f64_s32_rzi(fake_lane *x) { return whole(oracle_f64(x->a), trunc, 32, true, true); }
static uint64_t f64_u32_rzi(fake_lane *x) { return whole(oracle_f64(x->a), trunc, 32, false, true); }
static uint64_t f64_u32_rpi(fake_lane *x) { return whole(oracle_f64(x->a), ceil, 32, false, true); }
static uint64_t f64_s32_rmi(fake_lane *x) { return whole(oracle_f64(x->a), floor, 32, true, true); }
static uint64_t f64_s64_rzi(fake_lane *x) { return whole(oracle_f64(x->a), trunc, 64, true, true); }
static uint64_t f64_u64_rzi(fake_lane *x) { return whole(oracle_f64(x->a), trunc, 64, false, true); }
static uint64_t f32_s64_rpi(fake_lane *x) { return whole(F, ceil, 64, true, true); }
static uint64_t f64_u64_rni(fake_lane *x) { return whole(oracle_f64(x->a), rint, 64, false, true); }
static uint64_t f16_s32_rzi(fake_lane *x) {
    return whole(oracle_value((uint32_t)x->a, &oracle_f16), trunc, 32, true, false);
}
static uint64_t bf16_u32_rni(fake_lane *x) {
    return whole(oracle_value((uint32_t)x->a, &oracle_bf16), rint, 32, false, false);
}

static void floats_become_integers(void **state) {
    static const fake_row rows[] = {
        {"cvt.rzi.s32.f32 %r0, %r1;", f32_s32_rzi, NULL},
        {"cvt.rzi.u32.f32 %r0, %r1;", f32_u32_rzi, NULL},
        {"cvt.rni.s32.f32 %r0, %r1;", f32_s32_rni, NULL},
        {"cvt.rmi.s32.f32 %r0, %r1;", f32_s32_rmi, NULL},
        {"cvt.rpi.s32.f32 %r0, %r1;", f32_s32_rpi, NULL},
        {"cvt.rpi.ftz.s32.f32 %r0, %r1;", f32_s32_rpi_ftz, NULL},
        {"cvt.rni.u8.f32 %h0, %r1;", f32_u8_rni, NULL},
        {"cvt.rzi.s16.f32 %h0, %r1;", f32_s16_rzi, NULL},
        {"cvt.rzi.s64.f32 %d0, %r1;", f32_s64_rzi, NULL},
        {"cvt.rmi.u64.f32 %d0, %r1;", f32_u64_rmi, NULL},
        {"cvt.rzi.s32.f64 %r0, %d1;", f64_s32_rzi, NULL},
        {"cvt.rni.u64.f64 %d0, %d1;", f64_u64_rni, NULL},
        {"cvt.rzi.u32.f64 %r0, %d1;", f64_u32_rzi, NULL},
        {"cvt.rpi.u32.f64 %r0, %d1;", f64_u32_rpi, NULL},
        {"cvt.rmi.s32.f64 %r0, %d1;", f64_s32_rmi, NULL},
        {"cvt.rzi.s64.f64 %d0, %d1;", f64_s64_rzi, NULL},
        {"cvt.rzi.u64.f64 %d0, %d1;", f64_u64_rzi, NULL},
        {"cvt.rpi.s64.f32 %d0, %r1;", f32_s64_rpi, NULL},
        {"cvt.rzi.s32.f16 %r0, %h1;", f16_s32_rzi, NULL},
        {"cvt.rni.u32.bf16 %r0, %h1;", bf16_u32_rni, NULL},
        {"cvt.rzi.sat.s32.f32 %r0, %r1;", f32_s32_rzi, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- floats to floats -------------------------------------------------------------------------------

// A NaN of f64 keeps its sign and the top of its payload, and is quiet.
static uint64_t nan_of_f64(uint64_t bits) {
    return (bits >> 63 << 31) | 0x7fc00000u | (bits >> 29 & 0x7fffffu);
}
static uint64_t half_nan_of_f64(uint64_t bits, uint64_t quiet, unsigned drop) {
    return (bits >> 63 << 15) | quiet | (bits << 12 >> 12 >> drop);
}
#define F64_TO_F32(name, mode)                                                                               \
    static uint64_t name(fake_lane *x) {                                                                     \
        volatile double value = oracle_f64(x->a);                                                            \
        WITH_MODE(mode, float, (float)value)                                                                 \
        return isnan(value) ? nan_of_f64(x->a) : oracle_bits_f32(result);                                    \
    }
F64_TO_F32(f64_f32_rn, FE_TONEAREST)
F64_TO_F32(f64_f32_rz, FE_TOWARDZERO)
F64_TO_F32(f64_f32_rm, FE_DOWNWARD)
F64_TO_F32(f64_f32_rp, FE_UPWARD)
static uint64_t f64_f32_ftz(fake_lane *x) {
    double value = oracle_f64(x->a);
    return isnan(value) ? nan_of_f64(x->a) : oracle_bits_f32(oracle_flush((float)value));
}
static uint64_t f32_f64(fake_lane *x) { return oracle_bits_f64(F); }
static uint64_t f16_f32(fake_lane *x) {
    return oracle_bits_f32((float)oracle_value((uint32_t)x->a, &oracle_f16));
}
static uint64_t bf16_f32(fake_lane *x) { return (x->a & 0xffff) << 16; } // NaN and all
static uint64_t f32_rni(fake_lane *x) { return oracle_bits_f32((float)rint(F)); }
static uint64_t f32_rzi(fake_lane *x) { return oracle_bits_f32((float)trunc(F)); }
static uint64_t f32_rmi(fake_lane *x) { return oracle_bits_f32((float)floor(F)); }
static uint64_t f32_rpi(fake_lane *x) { return oracle_bits_f32((float)ceil(F)); }
static uint64_t f64_rmi(fake_lane *x) { return oracle_bits_f64(floor(oracle_f64(x->a))); }
static double saturate(double x) { return isnan(x) || x <= 0 ? 0 : x > 1 ? 1 : x; }
static uint64_t f32_sat(fake_lane *x) { return oracle_bits_f32((float)saturate(F)); }
static uint64_t f32_sat_ftz(fake_lane *x) { return oracle_bits_f32((float)saturate(FZ)); }
static bool both_nan_64(uint64_t got, uint64_t wanted) {
    return isnan(oracle_f64(got)) && isnan(oracle_f64(wanted));
}

#define SMALL(name, source, format, mode, finite)                                                            \
    static uint64_t name(fake_lane *x) { return oracle_code(source, 0, &oracle_##format, mode, finite); }
SMALL(f32_f16_rn, F, f16, TO_NEAREST, false)
SMALL(f32_f16_rz, F, f16, TO_ZERO, false)
SMALL(f32_f16_rm, F, f16, TO_MINUS, false)
SMALL(f32_f16_rp, F, f16, TO_PLUS, false)
SMALL(f64_f16_number, oracle_f64(x->a), f16, TO_NEAREST, false)
SMALL(f64_f16_toward_zero, oracle_f64(x->a), f16, TO_ZERO, false)
SMALL(f32_bf16_rn, F, bf16, TO_NEAREST, false)
SMALL(f32_bf16_rz, F, bf16, TO_ZERO, false)
SMALL(f64_bf16_number, oracle_f64(x->a), bf16, TO_NEAREST, false)
SMALL(f32_f16_sat, saturate(F), f16, TO_NEAREST, false)
SMALL(f32_f16_relu, (F <= 0 ? 0 : F), f16, TO_NEAREST, false)
SMALL(f32_bf16_finite, F, bf16, TO_NEAREST, true)
SMALL(f16_rni, rint(oracle_value((uint32_t)x->a, &oracle_f16)), f16, TO_NEAREST, false)
static uint64_t f64_f16_rn(fake_lane *x) {
    return isnan(oracle_f64(x->a)) ? half_nan_of_f64(x->a, 0x7e00, 42) : f64_f16_number(x);
}
static uint64_t f64_f16_rz(fake_lane *x) {
    return isnan(oracle_f64(x->a)) ? half_nan_of_f64(x->a, 0x7e00, 42) : f64_f16_toward_zero(x);
}
static uint64_t f64_bf16_rn(fake_lane *x) {
    return isnan(oracle_f64(x->a)) ? half_nan_of_f64(x->a, 0x7fc0, 45) : f64_bf16_number(x);
}
static uint64_t tf32(fake_lane *x, oracle_mode mode, bool finite) {
    return (uint64_t)oracle_code(F, 0, &oracle_tf32, mode, finite) << 13;
}
// .rna is done with integers: NaN loses its low bits, and .satfinite steps down from it as from infinity.
static uint64_t tf32_rna(fake_lane *x) { return isnan(F) ? x->a & 0xffffe000u : tf32(x, TO_AWAY, false); }
static uint64_t tf32_rna_finite(fake_lane *x) {
    return isnan(F) ? (x->a & 0xffffe000u) - 0x2000u : tf32(x, TO_AWAY, true);
}
static uint64_t f32_same(fake_lane *x) { return (uint32_t)x->a; }
static uint64_t f32_f64_ftz(fake_lane *x) {
    return isnan(F) ? UINT64_C(0x7fffffffe0000000) : oracle_bits_f64(FZ);
}
static uint64_t tf32_rn(fake_lane *x) { return tf32(x, TO_NEAREST, false); }
static uint64_t tf32_rz_finite(fake_lane *x) { return tf32(x, TO_ZERO, true); }

static void floats_change_precision(void **state) {
    static const fake_row rows[] = {
        {"cvt.rn.f32.f64 %r0, %d1;", f64_f32_rn, NULL},
        {"cvt.rz.f32.f64 %r0, %d1;", f64_f32_rz, NULL},
        {"cvt.rm.f32.f64 %r0, %d1;", f64_f32_rm, NULL},
        {"cvt.rp.f32.f64 %r0, %d1;", f64_f32_rp, NULL},
        {"cvt.rn.ftz.f32.f64 %r0, %d1;", f64_f32_ftz, NULL},
        {"cvt.f64.f32 %d0, %r1;", f32_f64, both_nan_64},
        {"cvt.f32.f16 %r0, %h1;", f16_f32, NULL},
        {"cvt.f32.bf16 %r0, %h1;", bf16_f32, NULL},
        {"cvt.rni.f32.f32 %r0, %r1;", f32_rni, NULL},
        {"cvt.rzi.f32.f32 %r0, %r1;", f32_rzi, NULL},
        {"cvt.rmi.f32.f32 %r0, %r1;", f32_rmi, NULL},
        {"cvt.rpi.f32.f32 %r0, %r1;", f32_rpi, NULL},
        {"cvt.rmi.f64.f64 %d0, %d1;", f64_rmi, both_nan_64},
        {"cvt.sat.f32.f32 %r0, %r1;", f32_sat, NULL},
        {"cvt.ftz.sat.f32.f32 %r0, %r1;", f32_sat_ftz, NULL},
        {"cvt.rn.f16.f32 %h0, %r1;", f32_f16_rn, NULL},
        {"cvt.rz.f16.f32 %h0, %r1;", f32_f16_rz, NULL},
        {"cvt.rm.f16.f32 %h0, %r1;", f32_f16_rm, NULL},
        {"cvt.rp.f16.f32 %h0, %r1;", f32_f16_rp, NULL},
        {"cvt.rn.f16.f64 %h0, %d1;", f64_f16_rn, NULL},
        {"cvt.rn.bf16.f32 %h0, %r1;", f32_bf16_rn, NULL},
        {"cvt.rz.bf16.f32 %h0, %r1;", f32_bf16_rz, NULL},
        {"cvt.rn.bf16.f64 %h0, %d1;", f64_bf16_rn, NULL},
        {"cvt.rn.sat.f16.f32 %h0, %r1;", f32_f16_sat, NULL},
        {"cvt.rn.relu.f16.f32 %h0, %r1;", f32_f16_relu, NULL},
        {"cvt.rn.satfinite.bf16.f32 %h0, %r1;", f32_bf16_finite, NULL},
        {"cvt.rni.f16.f16 %h0, %h1;", f16_rni, NULL},
        {"cvt.rna.tf32.f32 %r0, %r1;", tf32_rna, NULL},
        {"cvt.rna.satfinite.tf32.f32 %r0, %r1;", tf32_rna_finite, NULL},
        {"cvt.f32.f32 %r0, %r1;", f32_same, NULL},
        {"cvt.ftz.f64.f32 %d0, %r1;", f32_f64_ftz, NULL},
        {"cvt.rz.f16.f64 %h0, %d1;", f64_f16_rz, NULL},
        {"cvt.rp.ftz.f16.f32 %h0, %r1;", f32_f16_rp, NULL},
        {"cvt.rn.tf32.f32 %r0, %r1;", tf32_rn, NULL},
        {"cvt.rz.satfinite.tf32.f32 %r0, %r1;", tf32_rz_finite, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- pairs ------------------------------------------------------------------------------------------

// The first source is the upper half.
static uint64_t two_of(fake_lane *x, const oracle_format *format, unsigned bits, oracle_mode mode,
                       bool finite, bool relu) {
    double high = F, low = (double)oracle_f32(x->b);
    if (relu && high <= 0) high = 0;
    if (relu && low <= 0) low = 0;
    return (uint64_t)oracle_code(high, 0, format, mode, finite) << bits |
           oracle_code(low, 0, format, mode, finite);
}
static uint64_t f16x2(fake_lane *x) { return two_of(x, &oracle_f16, 16, TO_NEAREST, false, false); }
static uint64_t f16x2_rz(fake_lane *x) { return two_of(x, &oracle_f16, 16, TO_ZERO, false, false); }
static uint64_t bf16x2(fake_lane *x) { return two_of(x, &oracle_bf16, 16, TO_NEAREST, false, false); }
static uint64_t bf16x2_relu(fake_lane *x) { return two_of(x, &oracle_bf16, 16, TO_NEAREST, false, true); }
static uint64_t e4m3x2(fake_lane *x) { return two_of(x, &oracle_e4m3, 8, TO_NEAREST, true, false); }
static uint64_t e5m2x2_relu(fake_lane *x) { return two_of(x, &oracle_e5m2, 8, TO_NEAREST, true, true); }
static uint64_t e4m3x2_relu(fake_lane *x) { return two_of(x, &oracle_e4m3, 8, TO_NEAREST, true, true); }
static uint64_t e5m2x2(fake_lane *x) { return two_of(x, &oracle_e5m2, 8, TO_NEAREST, true, false); }
static uint64_t e4m3x2_f16x2(fake_lane *x) {
    double low = oracle_value((uint32_t)x->a & 0xffff, &oracle_f16),
           high = oracle_value((uint32_t)x->a >> 16, &oracle_f16);
    return (uint64_t)oracle_code(high, 0, &oracle_e4m3, TO_NEAREST, true) << 8 |
           oracle_code(low, 0, &oracle_e4m3, TO_NEAREST, true);
}
static uint64_t widened(fake_lane *x, const oracle_format *format) {
    double low = oracle_value((uint32_t)x->a & 0xff, format),
           high = oracle_value((uint32_t)x->a >> 8 & 0xff, format);
    return (uint64_t)oracle_code(high, 0, &oracle_f16, TO_NEAREST, false) << 16 |
           oracle_code(low, 0, &oracle_f16, TO_NEAREST, false);
}
static uint64_t f16x2_e4m3x2(fake_lane *x) { return widened(x, &oracle_e4m3); }
static uint64_t f16x2_e5m2x2(fake_lane *x) { return widened(x, &oracle_e5m2); }

static void pairs_convert(void **state) {
    static const fake_row rows[] = {
        {"cvt.rn.f16x2.f32 %r0, %r1, %r2;", f16x2, NULL},
        {"cvt.rz.f16x2.f32 %r0, %r1, %r2;", f16x2_rz, NULL},
        {"cvt.rn.bf16x2.f32 %r0, %r1, %r2;", bf16x2, NULL},
        {"cvt.rn.relu.bf16x2.f32 %r0, %r1, %r2;", bf16x2_relu, NULL},
        {"cvt.rn.satfinite.e4m3x2.f32 %h0, %r1, %r2;", e4m3x2, NULL},
        {"cvt.rn.satfinite.relu.e5m2x2.f32 %h0, %r1, %r2;", e5m2x2_relu, NULL},
        {"cvt.rn.satfinite.relu.e4m3x2.f32 %h0, %r1, %r2;", e4m3x2_relu, NULL},
        {"cvt.rn.satfinite.e5m2x2.f32 %h0, %r1, %r2;", e5m2x2, NULL},
        {"cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", e4m3x2_f16x2, NULL},
        {"cvt.rn.f16x2.e4m3x2 %r0, %h1;", f16x2_e4m3x2, NULL},
        {"cvt.rn.f16x2.e5m2x2 %r0, %h1;", f16x2_e5m2x2, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

static uint64_t pack_s16(fake_lane *x) {
    return (uint32_t)(uint16_t)clamp((int32_t)x->a, -32768, 32767) << 16 |
           (uint16_t)clamp((int32_t)x->b, -32768, 32767);
}
static uint64_t pack_u16(fake_lane *x) {
    return (uint32_t)clamp((int32_t)x->a, 0, 65535) << 16 | (uint32_t)clamp((int32_t)x->b, 0, 65535);
}
static uint64_t pack_s8(fake_lane *x) {
    return (uint32_t)x->c << 16 | (uint32_t)(uint8_t)clamp((int32_t)x->a, -128, 127) << 8 |
           (uint8_t)clamp((int32_t)x->b, -128, 127);
}
static uint64_t pack_u4(fake_lane *x) {
    return (uint32_t)x->c << 8 | (uint32_t)clamp((int32_t)x->a, 0, 15) << 4 |
           (uint32_t)clamp((int32_t)x->b, 0, 15);
}

static uint64_t pack_s2(fake_lane *x) {
    return (uint32_t)((uint32_t)x->c << 4 | ((uint32_t)clamp((int32_t)x->a, -2, 1) & 3) << 2 |
                      ((uint32_t)clamp((int32_t)x->b, -2, 1) & 3));
}

static void packing_saturates(void **state) {
    static const fake_row rows[] = {
        {"cvt.pack.sat.s16.s32 %r0, %r1, %r2;", pack_s16, NULL},
        {"cvt.pack.sat.u16.s32 %r0, %r1, %r2;", pack_u16, NULL},
        {"cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3;", pack_s8, NULL},
        {"cvt.pack.sat.u4.s32.b32 %r0, %r1, %r2, %r3;", pack_u4, NULL},
        {"cvt.pack.sat.s2.s32.b32 %r0, %r1, %r2, %r3;", pack_s2, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_cut_and_extended),
        cmocka_unit_test(integers_become_floats),
        cmocka_unit_test(floats_become_integers),
        cmocka_unit_test(floats_change_precision),
        cmocka_unit_test(pairs_convert),
        cmocka_unit_test(packing_saturates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
