// cvt and cvt.pack.
//
// The conversions that code is full of have loops of their own; every other one goes lane by lane
// through convert_lane, which knows all types, roundings and modifiers (convert_form, packed in
// op->offset). A register may be wider than the type it holds, so lanes are read at the register's stride.
#include "sim/exec.h"
#include "sim/formats.h"
#include "sim/rounding.h"

// ---- integers to integers: the low bits, extended ---------------------------------------------------

#define NARROWED(S, D)                                                                                       \
    LANES_1(from##S##_##D##_u8, uint##D##_t, uint##S##_t, (uint8_t)x)                                        \
    LANES_1(from##S##_##D##_s8, uint##D##_t, uint##S##_t, (int8_t)x)                                         \
    LANES_1(from##S##_##D##_u16, uint##D##_t, uint##S##_t, (uint16_t)x)                                      \
    LANES_1(from##S##_##D##_s16, uint##D##_t, uint##S##_t, (int16_t)x)                                       \
    LANES_1(from##S##_##D##_u32, uint##D##_t, uint##S##_t, (uint32_t)x)                                      \
    LANES_1(from##S##_##D##_s32, uint##D##_t, uint##S##_t, (int32_t)x)                                       \
    LANES_1(from##S##_##D##_64, uint##D##_t, uint##S##_t, x)
NARROWED(16, 16)
NARROWED(16, 32)
NARROWED(16, 64)
NARROWED(32, 16)
NARROWED(32, 32)
NARROWED(32, 64)
NARROWED(64, 16)
NARROWED(64, 32)
NARROWED(64, 64)

// Which row a register's width is.
static int width_index(unsigned bits) { return bits == 16 ? 0 : bits == 32 ? 1 : bits == 64 ? 2 : -1; }

static const lanes_pair *narrowed(unsigned source_bits, unsigned result_bits, ptx_type narrow) {
#define NARROW_ROW(S, D)                                                                                     \
    {                                                                                                        \
        &from##S##_##D##_u8, &from##S##_##D##_s8, &from##S##_##D##_u16, &from##S##_##D##_s16,                \
            &from##S##_##D##_u32, &from##S##_##D##_s32, &from##S##_##D##_64                                  \
    }
    static const lanes_pair *const table[3][3][7] = {
        {NARROW_ROW(16, 16), NARROW_ROW(16, 32), NARROW_ROW(16, 64)},
        {NARROW_ROW(32, 16), NARROW_ROW(32, 32), NARROW_ROW(32, 64)},
        {NARROW_ROW(64, 16), NARROW_ROW(64, 32), NARROW_ROW(64, 64)},
    };
    int from = width_index(source_bits), to = width_index(result_bits), kind;
    switch (narrow) {
    case PTX_U8: kind = 0; break;
    case PTX_S8: kind = 1; break;
    case PTX_U16: kind = 2; break;
    case PTX_S16: kind = 3; break;
    case PTX_U32: kind = 4; break;
    case PTX_S32: kind = 5; break;
    case PTX_U64:
    case PTX_S64: kind = 6; break;
    default: return NULL;
    }
    return from < 0 || to < 0 ? NULL : table[from][to][kind];
}

// ---- the common ones with floats ----------------------------------------------------------------------

// Where clang may suppose that the mode is to nearest, it adds unsigned integers up from halves: rounded down, 0 is -0.
#if defined(__clang__) && defined(__x86_64__)
#pragma STDC FENV_ACCESS ON
#endif
LANES_1(s32_f32, float, int32_t, (float)x)
LANES_1(u32_f32, float, uint32_t, (float)x)
LANES_1(s64_f32, float, int64_t, (float)x)
LANES_1(u64_f32, float, uint64_t, (float)x)
LANES_1(s32_f64, double, int32_t, (double)x)
LANES_1(u32_f64, double, uint32_t, (double)x)
LANES_1(s64_f64, double, int64_t, (double)x)
LANES_1(u64_f64, double, uint64_t, (double)x)
#if defined(__clang__) && defined(__x86_64__)
#pragma STDC FENV_ACCESS OFF
#endif
LANES_1(f32_f64, double, float, (double)x)
LANES_1(f64_f32, float, double, (float)x) // the NaN of a double keeps its sign and what fits of its payload

// .rzi to 32 bits: clamped; NaN is 0.
LANES_INLINE int32_t whole_s32(float x) {
    bool fits = x >= -0x1p31f && x < 0x1p31f;
    int32_t whole = (int32_t)(fits ? x : 0.0f);
    whole = x >= 0x1p31f ? INT32_MAX : whole;
    return x < -0x1p31f ? INT32_MIN : whole;
}
LANES_INLINE uint32_t whole_u32(float x) {
    bool low = x > -1.0f && x < 0x1p31f, high = x >= 0x1p31f && x < 0x1p32f;
    uint32_t whole = (uint32_t)(int32_t)(low ? x : high ? x - 0x1p31f : 0.0f);
    whole = high ? whole + 0x80000000u : whole;
    return x >= 0x1p32f ? UINT32_MAX : whole;
}
LANES_1(f32_s32, int32_t, float, whole_s32(x))
LANES_1(f32_u32, uint32_t, float, whole_u32(x))
LANES_1(f32_s32_rni, int32_t, float, whole_s32(__builtin_rintf(x)))
LANES_1(f32_s32_rmi, int32_t, float, whole_s32(__builtin_floorf(x)))

// From f64, and to 64 bits: clamped; NaN is the top bit alone.
LANES_INLINE int32_t long_s32(double x) {
    bool fits = x > -0x1p31 - 1.0 && x < 0x1p31;
    int32_t whole = (int32_t)(fits ? x : 0.0);
    return fits ? whole : x >= 0x1p31 ? INT32_MAX : INT32_MIN;
}
LANES_INLINE uint32_t long_u32(double x) {
    bool fits = x > -1.0 && x < 0x1p32;
    uint32_t whole = (uint32_t)(int64_t)(fits ? x : 0.0);
    return fits ? whole : x >= 0x1p32 ? UINT32_MAX : x <= -1.0 ? 0 : UINT32_C(1) << 31;
}
LANES_INLINE int64_t long_s64(double x) {
    bool fits = x >= -0x1p63 && x < 0x1p63;
    int64_t whole = (int64_t)(fits ? x : 0.0);
    return fits ? whole : x >= 0x1p63 ? INT64_MAX : INT64_MIN;
}
LANES_INLINE uint64_t long_u64(double x) {
    bool low = x > -1.0 && x < 0x1p63, high = x >= 0x1p63 && x < 0x1p64;
    uint64_t whole = (uint64_t)(int64_t)(low ? x : high ? x - 0x1p63 : 0.0);
    whole = high ? whole + (UINT64_C(1) << 63) : whole;
    return low || high ? whole : x >= 0x1p64 ? UINT64_MAX : x <= -1.0 ? 0 : UINT64_C(1) << 63;
}
#define LONG_WHOLE(suffix, rounded)                                                                          \
    LANES_1(f64_s32##suffix, int32_t, double, long_s32(rounded))                                             \
    LANES_1(f64_u32##suffix, uint32_t, double, long_u32(rounded))                                            \
    LANES_1(f64_s64##suffix, int64_t, double, long_s64(rounded))                                             \
    LANES_1(f64_u64##suffix, uint64_t, double, long_u64(rounded))                                            \
    LANES_1(f32_s64##suffix, int64_t, float, long_s64(rounded))                                              \
    LANES_1(f32_u64##suffix, uint64_t, float, long_u64(rounded))                                             \
    LANES_1(f64##suffix, double, double, x == x ? rounded : f64_quiet(x))
LONG_WHOLE(_rni, __builtin_rint(x))
LONG_WHOLE(_rzi, __builtin_trunc(x))
LONG_WHOLE(_rmi, __builtin_floor(x))
LONG_WHOLE(_rpi, __builtin_ceil(x))

LANES_1(f32_rni, float, float, f32_canonical(__builtin_rintf(x)))
LANES_1(f32_rzi, float, float, f32_canonical(__builtin_truncf(x)))
LANES_1(f32_rmi, float, float, f32_canonical(__builtin_floorf(x)))
LANES_1(f32_rpi, float, float, f32_canonical(__builtin_ceilf(x)))
LANES_1(f32_sat, float, float, f32_saturated(x))
LANES_1(f32_sat_ftz, float, float, f32_saturated(f32_flushed(x)))

LANES_1(bf16_f32, uint32_t, uint16_t, (uint32_t)x << 16)
LANES_1(f32_same, uint32_t, uint32_t, x)
LANES_1(f32_bf16, uint16_t, float, bf16_of_f32(x))
LANES_2(f32_bf16x2, uint32_t, float, float, (uint32_t)bf16_of_f32(x) << 16 | bf16_of_f32(y))

// f16 goes through the vector conversions of floats.h.
LANES_INLINE void widen_f16(sim_warp *warp, const sim_op *op, bool masked) {
    float value[SIM_LANES] __attribute__((aligned(64)));
    floats_of_f16(value, SIM_REG(const uint16_t, warp, op->a), SIM_LANES);
    float *d = SIM_REG(float, warp, op->d);
    const uint32_t *on = warp->lanes;
    LANES_EACH { d[i] = !masked || on[i] ? f32_canonical(value[i]) : d[i]; }
}
LANES_INLINE void narrow_f16(sim_warp *warp, const sim_op *op, bool masked) {
    uint16_t half[SIM_LANES] __attribute__((aligned(64)));
    f16_of_floats(half, SIM_REG(const float, warp, op->a), SIM_LANES);
    uint16_t *d = SIM_REG(uint16_t, warp, op->d);
    const uint32_t *on = warp->lanes;
    LANES_EACH { d[i] = !masked || on[i] ? half[i] : d[i]; }
}
LANES_INLINE void pack_f16(sim_warp *warp, const sim_op *op, bool masked) {
    uint16_t high[SIM_LANES] __attribute__((aligned(64))), low[SIM_LANES] __attribute__((aligned(64)));
    f16_of_floats(high, SIM_REG(const float, warp, op->a), SIM_LANES);
    f16_of_floats(low, SIM_REG(const float, warp, op->b), SIM_LANES);
    uint32_t *d = SIM_REG(uint32_t, warp, op->d);
    const uint32_t *on = warp->lanes;
    LANES_EACH { d[i] = !masked || on[i] ? (uint32_t)high[i] << 16 | low[i] : d[i]; }
}
#define BOTH(name, function)                                                                                 \
    static void name##_full(sim_warp *warp, const sim_op *op) { function(warp, op, false); }                 \
    static void name##_masked(sim_warp *warp, const sim_op *op) { function(warp, op, true); }                \
    static const lanes_pair name = {name##_full, name##_masked};
BOTH(f16_f32, widen_f16)
BOTH(f32_f16, narrow_f16)
BOTH(f32_f16x2, pack_f16)

// Small integers, in registers of 16 or 32 bits.
LANES_1(u8_f32_in16, float, uint16_t, (float)(int32_t)(uint8_t)x)
LANES_1(s8_f32_in16, float, uint16_t, (float)(int8_t)x)
LANES_1(u16_f32_in16, float, uint16_t, (float)(int32_t)x)
LANES_1(s16_f32_in16, float, uint16_t, (float)(int16_t)x)
LANES_1(u8_f32_in32, float, uint32_t, (float)(int32_t)(x & 0xff))
LANES_1(s8_f32_in32, float, uint32_t, (float)(int8_t)x)
LANES_1(u16_f32_in32, float, uint32_t, (float)(int32_t)(x & 0xffff))
LANES_1(s16_f32_in32, float, uint32_t, (float)(int16_t)x)

// ---- fp8: .rn.satfinite from floats, and to f16 -----------------------------------------------------------

// Normal numbers are rounded in their bits; below the least normal, adding a power of 2 whose ulp is the
// least subnormal rounds. What is too large, infinity too, is the largest.
LANES_INLINE uint32_t fp8_of(float x, uint32_t fraction, uint32_t bias, uint32_t largest, bool relu) {
    uint32_t bits = bits_of_f32(x), size = bits & 0x7fffffffu, drop = 23 - fraction;
    uint32_t least_normal = (128 - bias) << 23, magic = (127 + 24 - bias - fraction) << 23;
    uint32_t rounded = (size + ((1u << (drop - 1)) - 1) + (size >> drop & 1)) >> drop;
    uint32_t normal = rounded - ((127 - bias) << fraction);
    uint32_t small = bits_of_f32(f32_of_bits(size) + f32_of_bits(magic)) - magic;
    uint32_t code = size < least_normal ? small : normal;
    code = code > largest || size > 0x7f000000u ? largest : code;
    code |= bits >> 24 & 0x80;
    code = relu && bits >> 31 ? 0 : code;
    return size > 0x7f800000u ? 0x7f : code;
}
LANES_INLINE uint32_t e4m3_of(float x, bool relu) { return fp8_of(x, 3, 7, 0x7e, relu); }
LANES_INLINE uint32_t e5m2_of(float x, bool relu) { return fp8_of(x, 2, 15, 0x7b, relu); }
LANES_2(f32_e4m3x2, uint16_t, float, float, e4m3_of(x, false) << 8 | e4m3_of(y, false))
LANES_2(f32_e5m2x2, uint16_t, float, float, e5m2_of(x, false) << 8 | e5m2_of(y, false))
LANES_2(f32_e4m3x2_relu, uint16_t, float, float, e4m3_of(x, true) << 8 | e4m3_of(y, true))
LANES_2(f32_e5m2x2_relu, uint16_t, float, float, e5m2_of(x, true) << 8 | e5m2_of(y, true))

// Every number of e4m3 is a normal one of f16; e5m2 is f16's upper byte.
LANES_INLINE uint32_t f16_of_e4m3(uint32_t code) {
    uint32_t size = code & 0x7f, sign = (code & 0x80) << 8;
    uint32_t small = (bits_of_f32((float)(int32_t)size * 0x1p-9f) >> 13) - (112u << 10);
    uint32_t value = size >= 8 ? (size << 7) + (8u << 10) : size == 0 ? 0 : small;
    return size == 0x7f ? 0x7fff : sign | value;
}
LANES_INLINE uint32_t f16_of_e5m2(uint32_t code) { return (code & 0x7f) > 0x7c ? 0x7fff : code << 8; }
LANES_1(e4m3x2_f16x2, uint32_t, uint16_t, f16_of_e4m3(x >> 8) << 16 | f16_of_e4m3(x & 0xff))
LANES_1(e5m2x2_f16x2, uint32_t, uint16_t, f16_of_e5m2(x >> 8) << 16 | f16_of_e5m2(x & 0xff))

// ---- any conversion, lane by lane -----------------------------------------------------------------------

enum { CONVERT_FTZ = 1, CONVERT_SAT = 2, CONVERT_RELU = 4, CONVERT_FINITE = 8, CONVERT_WHOLE = 16 };

typedef struct convert_form {
    uint8_t to, from; // ptx_type
    uint8_t mode;     // round_mode
    uint8_t flags;
    uint8_t to_bytes, from_bytes; // strides
    uint8_t sources;
    uint8_t unused;
} convert_form;
_Static_assert(sizeof(convert_form) == sizeof(int64_t), "it is kept in op->offset");

typedef struct number {
    double real; // floats
    int64_t low; // integers, as 64 bits
    bool is_float, is_unsigned;
} number;

static number number_of(uint64_t bits, ptx_type type, unsigned flags) {
    number n = {0};
    switch (type) {
    case PTX_B8:
    case PTX_U8: n.low = (uint8_t)bits; break;
    case PTX_S8: n.low = (int8_t)bits; break;
    case PTX_B16:
    case PTX_U16: n.low = (uint16_t)bits; break;
    case PTX_S16: n.low = (int16_t)bits; break;
    case PTX_B32:
    case PTX_U32: n.low = (uint32_t)bits; break;
    case PTX_S32: n.low = (int32_t)bits; break;
    case PTX_U64:
        n.is_unsigned = true;
        n.low = (int64_t)bits;
        break;
    case PTX_S64: n.low = (int64_t)bits; break;
    case PTX_F16:
        n.is_float = true;
        n.real = (double)f32_of_f16((uint16_t)bits);
        break;
    case PTX_BF16:
        n.is_float = true;
        n.real = (double)f32_of_bf16((uint16_t)bits);
        break;
    case PTX_F64:
        n.is_float = true;
        n.real = f64_of_bits(bits);
        break;
    case PTX_E4M3:
        n.is_float = true;
        n.real = small_decode((uint32_t)bits & 0xff, &format_e4m3);
        break;
    case PTX_E5M2:
        n.is_float = true;
        n.real = small_decode((uint32_t)bits & 0xff, &format_e5m2);
        break;
    default: // f32 and tf32
        n.is_float = true;
        n.real = (double)(flags & CONVERT_FTZ ? f32_canonical(f32_flushed(f32_of_bits((uint32_t)bits)))
                                              : f32_of_bits((uint32_t)bits));
    }
    return n;
}

// The integer's range; a float is rounded, then clamped. NaN is 0, or the top bit alone where f64 or 64 bits
// are involved.
static uint64_t integer_of(number n, ptx_type to, ptx_type from, unsigned flags, round_mode mode) {
    unsigned bits = ptx_type_bits(to);
    bool is_signed = ptx_type_class(to) == 's';
    int64_t least = is_signed ? (int64_t)(UINT64_MAX << (bits - 1)) : 0;
    uint64_t most = is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
    if (n.is_float) {
        if (n.real != n.real) return from == PTX_F64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
        double whole = round_whole(n.real, mode);
        double above = (is_signed ? 1.0 : 2.0) * f64_of_bits((uint64_t)(1023 + bits - 1) << 52);
        if (whole >= above) return most;
        if (whole < (double)least) return (uint64_t)least;
        return whole < 0.0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
    }
    if (flags & CONVERT_SAT) {
        bool negative = !n.is_unsigned && n.low < 0;
        if (negative && n.low < least) return (uint64_t)least;
        if (!negative && (uint64_t)n.low > most) return most;
    }
    return (uint64_t)n.low;
}

static uint64_t float_of(double x, ptx_type to, unsigned flags, round_mode mode) {
    bool whole = flags & CONVERT_WHOLE, finite = flags & CONVERT_FINITE;
    if (whole) x = x == x ? round_whole(x, mode) : f64_quiet(x), mode = ROUND_NEAREST;
    if (flags & CONVERT_SAT) x = f64_saturated(x);
    if (flags & CONVERT_RELU) x = x <= 0.0 ? 0.0 : x;
    switch (to) {
    case PTX_F16: return small_encode(x, &format_f16, mode, finite);
    case PTX_BF16: return small_encode(x, &format_bf16, mode, finite);
    case PTX_E4M3: return small_encode(x, &format_e4m3, mode, true);
    case PTX_E5M2: return small_encode(x, &format_e5m2, mode, finite);
    case PTX_TF32: return small_encode(x, &format_tf32, mode, finite) << 13;
    case PTX_F64: return bits_of_f64(x);
    default: {
        float single = f32_canonical((float)x); // in the rounding mode that was set
        return bits_of_f32(flags & CONVERT_FTZ ? f32_flushed(single) : single);
    }
    }
}

// An integer as a double that rounds on as the integer would: exact, or odd where it has more than 53 bits.
static double real_of(number n) {
    if (n.is_float) return n.real;
    bool negative = !n.is_unsigned && n.low < 0;
    uint64_t size = negative ? 0 - (uint64_t)n.low : (uint64_t)n.low;
    if (size >> 53 != 0) size = (size & ~UINT64_C(0xfff)) | ((size & 0xfff) != 0 ? 0x1000 : 0);
    return negative ? -(double)size : (double)size;
}

// What is NaN in f64 keeps its sign and the top of its payload in a smaller format, and becomes quiet.
static uint64_t narrowed_nan(uint64_t bits, unsigned exponent_bits, unsigned fraction_bits) {
    uint64_t top = ((UINT64_C(1) << (exponent_bits + 1)) - 1) << (fraction_bits - 1);
    return bits >> 63 << (exponent_bits + fraction_bits) | top |
           (bits & ((UINT64_C(1) << 52) - 1)) >> (52 - fraction_bits);
}

// NaN of a kind that does not become the one pattern. False where it does.
static bool convert_nan(uint64_t bits, convert_form form, uint64_t *result) {
    bool from_f64 = form.from == PTX_F64 && !(form.flags & CONVERT_SAT);
    if (form.to == PTX_TF32 && form.mode == ROUND_AWAY) {
        // Done with integers: the low bits are dropped, and .satfinite steps down from infinity and NaN
        // alike.
        *result = (bits & 0xffffe000u) - (form.flags & CONVERT_FINITE ? 0x2000 : 0);
        return true;
    }
    if (from_f64 && form.to == PTX_F32)
        *result = narrowed_nan(bits, 8, 23);
    else if (from_f64 && form.to == PTX_BF16)
        *result = narrowed_nan(bits, 8, 7);
    else if (from_f64 && form.to == PTX_F16)
        *result = narrowed_nan(bits, 5, 10);
    else
        return false;
    return true;
}

static uint64_t convert_lane(uint64_t bits, convert_form form) {
    // f16 is no part of what .ftz flushes, as a result neither.
    unsigned flags = form.to == PTX_F16 && form.from == PTX_F32 ? form.flags & ~CONVERT_FTZ : form.flags;
    number n = number_of(bits, form.from, flags);
    char class = ptx_type_class(form.to);
    uint64_t nan;
    if (n.is_float && n.real != n.real && convert_nan(bits, form, &nan)) return nan;
    if (class == 'f') return float_of(real_of(n), form.to, form.flags, form.mode);
    uint64_t value = integer_of(n, form.to, form.from, form.flags, form.mode);
    unsigned spare = 64 - ptx_type_bits(form.to);
    return class == 's' ? (uint64_t)((int64_t)(value << spare) >> spare) : value << spare >> spare;
}

static uint64_t lane_read(const sim_warp *warp, uint32_t at, unsigned bytes, int i) {
    uint64_t bits = 0;
    memcpy(&bits, warp->frame + at + (size_t)i * bytes, bytes); // the host is little-endian
    return bits;
}

static ptx_type element_of(ptx_type type) {
    switch (type) {
    case PTX_F16X2: return PTX_F16;
    case PTX_BF16X2: return PTX_BF16;
    case PTX_E4M3X2: return PTX_E4M3;
    case PTX_E5M2X2: return PTX_E5M2;
    default: return type;
    }
}

// A pair of elements: of two sources (the first is the upper), or of the two halves of one.
static uint64_t convert_pair(uint64_t a, uint64_t b, convert_form form) {
    convert_form one = form;
    unsigned to_bits = ptx_type_bits(form.to) / 2, from_bits = ptx_type_bits(form.from) / 2;
    one.to = (uint8_t)element_of(form.to);
    one.from = (uint8_t)element_of(form.from);
    if (form.sources == 1) b = a, a >>= from_bits;
    return convert_lane(b, one) | convert_lane(a, one) << to_bits;
}

static void convert_lanes(sim_warp *warp, const sim_op *op, uint32_t mask) {
    convert_form form;
    memcpy(&form, &op->offset, sizeof form);
    bool paired = ptx_type_class(form.to) == 'v';
    for (int i = 0; i < SIM_LANES; i++) {
        if (!LANES_BIT(mask, i)) continue;
        uint64_t a = lane_read(warp, op->a, form.from_bytes, i);
        uint64_t b = form.sources > 1 ? lane_read(warp, op->b, form.from_bytes, i) : 0;
        uint64_t value = paired ? convert_pair(a, b, form) : convert_lane(a, form);
        memcpy(warp->frame + op->d + (size_t)i * form.to_bytes, &value, form.to_bytes);
    }
}
static void convert_full(sim_warp *warp, const sim_op *op) { convert_lanes(warp, op, SIM_ALL); }
static void convert_masked(sim_warp *warp, const sim_op *op) { convert_lanes(warp, op, warp->mask); }
static const lanes_pair convert_any = {convert_full, convert_masked};

// ---- cvt.pack ---------------------------------------------------------------------------------------------

// form: bits of a part, and whether it is signed.
enum { PACK_SIGNED = 64 };
LANES_INLINE uint32_t pack_part(int32_t x, uint32_t form) {
    uint32_t bits = form & 63;
    int32_t most = form & PACK_SIGNED ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    int32_t least = form & PACK_SIGNED ? -(1 << (bits - 1)) : 0;
    return (uint32_t)(x > most ? most : x < least ? least : x) & ((1u << bits) - 1);
}
LANES_INLINE uint32_t pack_parts(int32_t x, int32_t y, uint32_t form) {
    return pack_part(x, form) << (form & 63) | pack_part(y, form);
}
LANES_2(pack_2, uint32_t, int32_t, int32_t, pack_parts(x, y, form))
LANES_3(pack_3, uint32_t, int32_t, int32_t, uint32_t, pack_parts(x, y, form) | z << (2 * (form & 63)))

static bool select_pack(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    ptx_type part = inst->types[0];
    unsigned bits = ptx_type_bits(part);
    bool three = inst->operand_count > 3;
    if (inst->type_count < 2 || bits > 16 || (three && bits > 8)) return false;
    op->aux16 = (uint16_t)(bits | (ptx_type_class(part) == 's' ? PACK_SIGNED : 0));
    return lanes_bind(decoder, inst, op, three ? &pack_3 : &pack_2, PTX_B32, PTX_S32, PTX_S32,
                      three ? PTX_B32 : PTX_TYPE_NONE);
}

// ---- selection --------------------------------------------------------------------------------------

static bool is_integer(ptx_type type) {
    char class = ptx_type_class(type);
    return class == 'u' || class == 's' || class == 'b';
}

// Integer to integer in one loop: the narrower type decides, unless the register is wider than a result that
// is to be cut to an unsigned type from a signed one.
static const lanes_pair *pick_integer(const ptx_inst *inst, convert_form form) {
    ptx_type to = form.to, from = form.from;
    unsigned to_bits = ptx_type_bits(to), from_bits = ptx_type_bits(from);
    if (LANES_FLAG(inst, SAT)) return NULL;
    if (to_bits <= from_bits) return narrowed(8u * form.from_bytes, 8u * form.to_bytes, to);
    bool cut = ptx_type_class(from) == 's' && ptx_type_class(to) != 's' && 8u * form.to_bytes > to_bits;
    return cut ? NULL : narrowed(8u * form.from_bytes, 8u * form.to_bytes, from);
}

typedef struct common_conversion {
    uint8_t to, from;
    uint16_t round; // PTX_MOD_NONE: whatever rounding, set around the loop
    uint64_t flags; // exactly these
    const lanes_pair *pair;
} common_conversion;

static const lanes_pair *pick_common(const ptx_inst *inst, convert_form form) {
    static const common_conversion table[] = {
        {PTX_F32, PTX_S32, 0, 0, &s32_f32},
        {PTX_F32, PTX_U32, 0, 0, &u32_f32},
        {PTX_F32, PTX_S64, 0, 0, &s64_f32},
        {PTX_F32, PTX_U64, 0, 0, &u64_f32},
        {PTX_F64, PTX_S32, 0, 0, &s32_f64},
        {PTX_F64, PTX_U32, 0, 0, &u32_f64},
        {PTX_F64, PTX_S64, 0, 0, &s64_f64},
        {PTX_F64, PTX_U64, 0, 0, &u64_f64},
        {PTX_F64, PTX_F32, PTX_MOD_NONE, 0, &f32_f64},
        {PTX_F32, PTX_F64, 0, 0, &f64_f32},
        {PTX_S32, PTX_F32, PTX_MOD_RZI, 0, &f32_s32},
        {PTX_U32, PTX_F32, PTX_MOD_RZI, 0, &f32_u32},
        {PTX_S32, PTX_F32, PTX_MOD_RNI, 0, &f32_s32_rni},
        {PTX_S32, PTX_F32, PTX_MOD_RMI, 0, &f32_s32_rmi},
        {PTX_F32, PTX_F32, PTX_MOD_RNI, 0, &f32_rni},
        {PTX_F32, PTX_F32, PTX_MOD_RZI, 0, &f32_rzi},
        {PTX_F32, PTX_F32, PTX_MOD_RMI, 0, &f32_rmi},
        {PTX_F32, PTX_F32, PTX_MOD_RPI, 0, &f32_rpi},
        {PTX_F32, PTX_F32, PTX_MOD_NONE, 0, &f32_same},
        {PTX_F32, PTX_F32, PTX_MOD_NONE, PTX_FLAG(SAT), &f32_sat},
        {PTX_F32, PTX_F32, PTX_MOD_NONE, PTX_FLAG(SAT) | PTX_FLAG(FTZ), &f32_sat_ftz},
        {PTX_F32, PTX_F16, PTX_MOD_NONE, 0, &f16_f32},
        {PTX_F32, PTX_BF16, PTX_MOD_NONE, 0, &bf16_f32},
        {PTX_F16, PTX_F32, PTX_MOD_RN, 0, &f32_f16},
        {PTX_BF16, PTX_F32, PTX_MOD_RN, 0, &f32_bf16},
        {PTX_F16X2, PTX_F32, PTX_MOD_RN, 0, &f32_f16x2},
        {PTX_BF16X2, PTX_F32, PTX_MOD_RN, 0, &f32_bf16x2},
        {PTX_E4M3X2, PTX_F32, PTX_MOD_RN, PTX_FLAG(SATFINITE), &f32_e4m3x2},
        {PTX_E5M2X2, PTX_F32, PTX_MOD_RN, PTX_FLAG(SATFINITE), &f32_e5m2x2},
        {PTX_E4M3X2, PTX_F32, PTX_MOD_RN, PTX_FLAG(SATFINITE) | PTX_FLAG(RELU), &f32_e4m3x2_relu},
        {PTX_E5M2X2, PTX_F32, PTX_MOD_RN, PTX_FLAG(SATFINITE) | PTX_FLAG(RELU), &f32_e5m2x2_relu},
        {PTX_F16X2, PTX_E4M3X2, PTX_MOD_RN, 0, &e4m3x2_f16x2},
        {PTX_F16X2, PTX_E5M2X2, PTX_MOD_RN, 0, &e5m2x2_f16x2},
#define LONG_ROWS(mode, suffix)                                                                              \
    {PTX_S32, PTX_F64, PTX_MOD_##mode, 0, &f64_s32##suffix},                                                 \
        {PTX_U32, PTX_F64, PTX_MOD_##mode, 0, &f64_u32##suffix},                                             \
        {PTX_S64, PTX_F64, PTX_MOD_##mode, 0, &f64_s64##suffix},                                             \
        {PTX_U64, PTX_F64, PTX_MOD_##mode, 0, &f64_u64##suffix},                                             \
        {PTX_S64, PTX_F32, PTX_MOD_##mode, 0, &f32_s64##suffix},                                             \
        {PTX_U64, PTX_F32, PTX_MOD_##mode, 0, &f32_u64##suffix},                                             \
        {PTX_F64, PTX_F64, PTX_MOD_##mode, 0, &f64##suffix},
        LONG_ROWS(RNI, _rni) LONG_ROWS(RZI, _rzi) LONG_ROWS(RMI, _rmi) LONG_ROWS(RPI, _rpi)
#undef LONG_ROWS
    };
    ptx_mod round = inst->by_category[PTX_CAT_ROUND];
    if (8u * form.to_bytes != ptx_type_bits(form.to) || 8u * form.from_bytes != ptx_type_bits(form.from))
        return NULL;
    for (unsigned k = 0; k < BASE_COUNT(table); k++) {
        const common_conversion *row = &table[k];
        if (row->to != form.to || row->from != form.from || row->flags != inst->flags) continue;
        bool directed = k < 8 || (row->to == PTX_F32 && row->from == PTX_F64);
        bool floating =
            round == PTX_MOD_RN || round == PTX_MOD_RZ || round == PTX_MOD_RM || round == PTX_MOD_RP;
        if (directed ? floating || round == PTX_MOD_NONE : row->round == round) return row->pair;
    }
    return NULL;
}

// Exact, so that no rounding matters.
static const lanes_pair *pick_small_integer(const ptx_inst *inst, convert_form form) {
    bool in32 = form.from_bytes == 4;
    if (form.to != PTX_F32 || form.to_bytes != 4 || form.from_bytes > 4 || inst->flags != 0) return NULL;
    switch ((ptx_type)form.from) {
    case PTX_U8: return in32 ? &u8_f32_in32 : &u8_f32_in16;
    case PTX_S8: return in32 ? &s8_f32_in32 : &s8_f32_in16;
    case PTX_U16: return in32 ? &u16_f32_in32 : &u16_f32_in16;
    case PTX_S16: return in32 ? &s16_f32_in32 : &s16_f32_in16;
    default: return NULL;
    }
}

static bool form_of(const ptx_inst *inst, convert_form *form) {
    form->to = inst->types[0];
    form->from = inst->types[1];
    switch ((ptx_mod)inst->by_category[PTX_CAT_ROUND]) {
    case PTX_MOD_NONE:
    case PTX_MOD_RN: form->mode = ROUND_NEAREST; break;
    case PTX_MOD_RZ: form->mode = ROUND_ZERO; break;
    case PTX_MOD_RM: form->mode = ROUND_DOWN; break;
    case PTX_MOD_RP: form->mode = ROUND_UP; break;
    case PTX_MOD_RNA: form->mode = ROUND_AWAY; break;
    case PTX_MOD_RNI: form->mode = ROUND_NEAREST, form->flags |= CONVERT_WHOLE; break;
    case PTX_MOD_RZI: form->mode = ROUND_ZERO, form->flags |= CONVERT_WHOLE; break;
    case PTX_MOD_RMI: form->mode = ROUND_DOWN, form->flags |= CONVERT_WHOLE; break;
    case PTX_MOD_RPI: form->mode = ROUND_UP, form->flags |= CONVERT_WHOLE; break;
    default: return false; // .rs wants random bits
    }
    if (LANES_FLAG(inst, FTZ)) form->flags |= CONVERT_FTZ;
    if (LANES_FLAG(inst, SAT)) form->flags |= CONVERT_SAT;
    if (LANES_FLAG(inst, RELU)) form->flags |= CONVERT_RELU;
    if (LANES_FLAG(inst, SATFINITE)) form->flags |= CONVERT_FINITE;
    return !LANES_FLAG(inst, SCALED_N2_UE8M0);
}

static bool known_type(ptx_type type) {
    return type != PTX_PRED && type != PTX_F32X2 && type != PTX_U16X2 && type != PTX_S16X2 &&
           ptx_type_class(type) != 'o' && ptx_type_bits(type) >= 8 && ptx_type_bits(type) <= 64;
}

bool SIM_NAME(sim_select_convert)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    if (inst->op == PTX_OP_CVT_PACK) return select_pack(decoder, inst, op);
    convert_form form = {0};
    if (inst->op != PTX_OP_CVT || inst->type_count < 2 || inst->operand_count < 2 || inst->operand_count > 3)
        return false;
    if (!form_of(inst, &form) || !known_type(form.to) || !known_type(form.from)) return false;
    bool paired = ptx_type_class(form.to) == 'v', from_pair = ptx_type_class(form.from) == 'v';
    form.sources = (uint8_t)(inst->operand_count - 1);
    if ((form.sources == 2) != (paired && !from_pair) || (from_pair && !paired)) return false;
    form.to_bytes = (uint8_t)(sim_operand_bits(decoder, &inst->operands[0], form.to) / 8);
    form.from_bytes = (uint8_t)(sim_operand_bits(decoder, &inst->operands[1], form.from) / 8);
    op->d = sim_destination(decoder, &inst->operands[0], form.to);
    op->a = sim_source(decoder, &inst->operands[1], form.from);
    if (form.sources == 2) op->b = sim_source(decoder, &inst->operands[2], form.from);
    memcpy(&op->offset, &form, sizeof form);
    const lanes_pair *pair = NULL;
    if (is_integer(form.to) && is_integer(form.from))
        pair = pick_integer(inst, form);
    else
        pair = pick_common(inst, form);
    if (pair == NULL) pair = pick_small_integer(inst, form);
    bool rounds = form.to == PTX_F32 && !(form.flags & CONVERT_WHOLE);
    rounds = rounds || (form.to == PTX_F64 && is_integer(form.from));
    if (pair == NULL) pair = &convert_any;
    return rounding_use(op, pair, rounds ? inst->by_category[PTX_CAT_ROUND] : PTX_MOD_NONE);
}
