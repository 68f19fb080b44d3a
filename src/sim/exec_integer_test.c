// Integer arithmetic, logic, shifts, fields and counts, against plain scalar C.
#include "sim/exec_fake.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

// ---- arithmetic -----------------------------------------------------------------------------------------

ORACLE_2(add_16, uint16_t, uint16_t, (uint16_t)(a + b))
ORACLE_2(add_32, uint32_t, uint32_t, a + b)
ORACLE_2(add_64, uint64_t, uint64_t, a + b)
ORACLE_2(sub_32, uint32_t, uint32_t, a - b)
ORACLE_2(sub_64, uint64_t, uint64_t, a - b)
ORACLE_2(mul_16, uint16_t, uint16_t, (uint16_t)((uint32_t)a *b))
ORACLE_2(mul_32, uint32_t, uint32_t, (uint32_t)((uint64_t)a *b))
ORACLE_2(mul_64, uint64_t, uint64_t, (uint64_t)((u128)a *b))
ORACLE_2(high_u16, uint16_t, uint16_t, (uint32_t)a *b >> 16)
ORACLE_2(high_s16, int16_t, int16_t, (uint16_t)((int32_t)a *b >> 16))
ORACLE_2(high_u32, uint32_t, uint32_t, (uint64_t)a *b >> 32)
ORACLE_2(high_s32, int32_t, int32_t, (uint32_t)((int64_t)a *b >> 32))
ORACLE_2(high_u64, uint64_t, uint64_t, (u128)a *b >> 64)
ORACLE_2(high_s64, int64_t, int64_t, (s128)a *b >> 64)
ORACLE_2(wide_u16, uint16_t, uint16_t, (uint32_t)a *b)
ORACLE_2(wide_s16, int16_t, int16_t, (uint32_t)((int32_t)a *b))
ORACLE_2(wide_u32, uint32_t, uint32_t, (uint64_t)a *b)
ORACLE_2(wide_s32, int32_t, int32_t, (int64_t)a *b)
ORACLE_3(mad_32, uint32_t, uint32_t, uint32_t, (uint32_t)((uint64_t)a *b + c))
ORACLE_3(mad_64, uint64_t, uint64_t, uint64_t, (uint64_t)((u128)a *b + c))
ORACLE_3(mad_wide_s32, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + c)
ORACLE_3(mad_high_s32, int32_t, int32_t, uint32_t, (uint32_t)(((int64_t)a * b >> 32) + c))
ORACLE_3(mad_high_u64, uint64_t, uint64_t, uint64_t, (uint64_t)((u128)a *b >> 64) + c)

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}
static uint32_t clamp_32(int64_t value) { return (uint32_t)clamp(value, INT32_MIN, INT32_MAX); }
ORACLE_2(add_sat, int32_t, int32_t, clamp_32((int64_t)a + b))
ORACLE_2(sub_sat, int32_t, int32_t, clamp_32((int64_t)a - b))
ORACLE_3(mad_high_sat, int32_t, int32_t, int32_t, clamp_32(((int64_t)a * b >> 32) + c))

static int64_t signed_24(uint32_t x) {
    return (x & 0x800000) != 0 ? (int64_t)(x & 0xffffff) - 0x1000000 : x & 0xffffff;
}
ORACLE_2(mul24_lo_u, uint32_t, uint32_t, (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff)))
ORACLE_2(mul24_hi_u, uint32_t, uint32_t, (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16))
ORACLE_2(mul24_lo_s, uint32_t, uint32_t, (uint32_t)(signed_24(a) * signed_24(b)))
ORACLE_2(mul24_hi_s, uint32_t, uint32_t, (uint32_t)(signed_24(a) * signed_24(b) >> 16))
ORACLE_3(mad24_lo_s, uint32_t, uint32_t, uint32_t, (uint32_t)(signed_24(a) * signed_24(b)) + c)
ORACLE_3(mad24_hi_sat, uint32_t, uint32_t, int32_t, clamp_32((signed_24(a) * signed_24(b) >> 16) + c))

ORACLE_3(sad_u32, uint32_t, uint32_t, uint32_t, (uint32_t)(c + (a < b ? b - a : a - b)))
ORACLE_3(sad_s32, int32_t, int32_t, uint32_t, (uint32_t)(c + (uint64_t)llabs((int64_t)a - b)))
ORACLE_3(sad_s16, int16_t, int16_t, uint16_t, (uint16_t)(c + abs(a - b)))
ORACLE_3(sad_u64, uint64_t, uint64_t, uint64_t, c + (a < b ? b - a : a - b))

ORACLE_2(div_u16, uint16_t, uint16_t, b == 0 ? 0xffff : a / b)
ORACLE_2(div_s16, int16_t, int16_t, b == 0 ? 0xffff : (uint16_t)(a / b))
ORACLE_2(div_u32, uint32_t, uint32_t, b == 0 ? UINT32_MAX : a / b)
ORACLE_2(div_s32, int32_t, int32_t, b == 0 ? UINT32_MAX : (uint32_t)((int64_t)a / b))
ORACLE_2(div_u64, uint64_t, uint64_t, b == 0 ? UINT64_MAX : a / b)
ORACLE_2(div_s64, int64_t, int64_t, b == 0 ? UINT64_MAX : (uint64_t)((s128)a / b))
ORACLE_2(rem_u16, uint16_t, uint16_t, b == 0 ? UINT16_MAX : a % b)
ORACLE_2(rem_s16, int16_t, int16_t, b == 0 ? UINT16_MAX : (uint16_t)(a % b))
ORACLE_2(rem_u32, uint32_t, uint32_t, b == 0 ? UINT32_MAX : a % b)
ORACLE_2(rem_s32, int32_t, int32_t, b == 0 ? UINT32_MAX : (uint32_t)((int64_t)a % b))
ORACLE_2(rem_u64, uint64_t, uint64_t, b == 0 ? UINT64_MAX : a % b)
ORACLE_2(rem_s64, int64_t, int64_t, b == 0 ? UINT64_MAX : (uint64_t)((s128)a % b))

ORACLE_2(min_s32, int32_t, int32_t, (uint32_t)(a < b ? a : b))
ORACLE_2(max_u32, uint32_t, uint32_t, a > b ? a : b)
ORACLE_2(max_s64, int64_t, int64_t, a > b ? a : b)
ORACLE_2(min_u64, uint64_t, uint64_t, a < b ? a : b)
ORACLE_2(min_s16, int16_t, int16_t, (uint16_t)(a < b ? a : b))
ORACLE_2(max_s32_relu, int32_t, int32_t, clamp(a > b ? a : b, 0, INT32_MAX))
ORACLE_2(min_s32_relu, int32_t, int32_t, clamp(a < b ? a : b, 0, INT32_MAX))
ORACLE_1(neg_32, uint32_t, (uint32_t) - (int64_t)a)
ORACLE_1(neg_64, uint64_t, 0 - a)
ORACLE_1(abs_16, int16_t, (uint16_t)abs(a))
ORACLE_1(abs_32, int32_t, (uint32_t)llabs((int64_t)a))
ORACLE_1(abs_64, int64_t, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)

static uint32_t each_half(uint32_t a, uint32_t b, int (*f)(int, int), bool is_signed) {
    uint32_t result = 0;
    for (int k = 0; k < 32; k += 16) {
        int x = is_signed ? (int16_t)(a >> k) : (uint16_t)(a >> k),
            y = is_signed ? (int16_t)(b >> k) : (uint16_t)(b >> k);
        result |= (uint32_t)(uint16_t)f(x, y) << k;
    }
    return result;
}
static int int_add(int x, int y) { return x + y; }
static int int_sub(int x, int y) { return x - y; }
static int int_min(int x, int y) { return x < y ? x : y; }
static int int_max(int x, int y) { return x > y ? x : y; }
static int int_max_relu(int x, int y) { return int_max(int_max(x, y), 0); }
ORACLE_2(add_16x2, uint32_t, uint32_t, each_half(a, b, int_add, false))
ORACLE_2(sub_16x2, uint32_t, uint32_t, each_half(a, b, int_sub, false))
ORACLE_2(min_s16x2, uint32_t, uint32_t, each_half(a, b, int_min, true))
ORACLE_2(max_u16x2, uint32_t, uint32_t, each_half(a, b, int_max, false))
ORACLE_2(max_s16x2_relu, uint32_t, uint32_t, each_half(a, b, int_max_relu, true))

static void arithmetic_matches_scalar_c(void **state) {
    static const fake_row rows[] = {
        {"add.u16 %h0, %h1, %h2;", add_16, NULL},
        {"add.s32 %r0, %r1, %r2;", add_32, NULL},
        {"add.u32 %r1, %r1, %r2;", add_32, NULL},
        {"add.s32 %r0, %r1, -7;", add_32, NULL},
        {"add.s64 %d2, %d1, %d2;", add_64, NULL},
        {"sub.s32 %r0, %r1, %r2;", sub_32, NULL},
        {"sub.u64 %d0, %d1, %d2;", sub_64, NULL},
        {"add.sat.s32 %r0, %r1, %r2;", add_sat, NULL},
        {"sub.sat.s32 %r0, %r1, %r2;", sub_sat, NULL},
        {"mul.lo.u16 %h0, %h1, %h2;", mul_16, NULL},
        {"mul.lo.s32 %r0, %r1, %r2;", mul_32, NULL},
        {"mul.lo.s64 %d0, %d1, %d2;", mul_64, NULL},
        {"mul.hi.u16 %h0, %h1, %h2;", high_u16, NULL},
        {"mul.hi.s16 %h0, %h1, %h2;", high_s16, NULL},
        {"mul.hi.u32 %r0, %r1, %r2;", high_u32, NULL},
        {"mul.hi.s32 %r0, %r1, %r2;", high_s32, NULL},
        {"mul.hi.u64 %d0, %d1, %d2;", high_u64, NULL},
        {"mul.hi.s64 %d0, %d1, %d2;", high_s64, NULL},
        {"mul.wide.u16 %r0, %h1, %h2;", wide_u16, NULL},
        {"mul.wide.s16 %r0, %h1, %h2;", wide_s16, NULL},
        {"mul.wide.u32 %d0, %r1, %r2;", wide_u32, NULL},
        {"mul.wide.s32 %d0, %r1, %r2;", wide_s32, NULL},
        {"mul.wide.s32 %d0, %r1, 4;", wide_s32, NULL},
        {"mad.lo.s32 %r0, %r1, %r2, %r3;", mad_32, NULL},
        {"mad.lo.u64 %d0, %d1, %d2, %d3;", mad_64, NULL},
        {"mad.wide.s32 %d0, %r1, %r2, %d3;", mad_wide_s32, NULL},
        {"mad.hi.s32 %r0, %r1, %r2, %r3;", mad_high_s32, NULL},
        {"mad.hi.u64 %d0, %d1, %d2, %d3;", mad_high_u64, NULL},
        {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;", mad_high_sat, NULL},
        {"mul24.lo.u32 %r0, %r1, %r2;", mul24_lo_u, NULL},
        {"mul24.hi.u32 %r0, %r1, %r2;", mul24_hi_u, NULL},
        {"mul24.lo.s32 %r0, %r1, %r2;", mul24_lo_s, NULL},
        {"mul24.hi.s32 %r0, %r1, %r2;", mul24_hi_s, NULL},
        {"mad24.lo.s32 %r0, %r1, %r2, %r3;", mad24_lo_s, NULL},
        {"mad24.hi.sat.s32 %r0, %r1, %r2, %r3;", mad24_hi_sat, NULL},
        {"sad.u32 %r0, %r1, %r2, %r3;", sad_u32, NULL},
        {"sad.s32 %r0, %r1, %r2, %r3;", sad_s32, NULL},
        {"sad.s16 %h0, %h1, %h2, %h3;", sad_s16, NULL},
        {"sad.u64 %d0, %d1, %d2, %d3;", sad_u64, NULL},
        {"min.s32 %r0, %r1, %r2;", min_s32, NULL},
        {"max.u32 %r0, %r1, %r2;", max_u32, NULL},
        {"max.s64 %d0, %d1, %d2;", max_s64, NULL},
        {"min.u64 %d0, %d1, %d2;", min_u64, NULL},
        {"min.s16 %h0, %h1, %h2;", min_s16, NULL},
        {"max.s32.relu %r0, %r1, %r2;", max_s32_relu, NULL},
        {"min.relu.s32 %r0, %r1, %r2;", min_s32_relu, NULL},
        {"neg.s32 %r0, %r1;", neg_32, NULL},
        {"neg.s64 %d0, %d1;", neg_64, NULL},
        {"abs.s16 %h0, %h1;", abs_16, NULL},
        {"abs.s32 %r0, %r1;", abs_32, NULL},
        {"abs.s64 %d0, %d1;", abs_64, NULL},
        {"add.u16x2 %r0, %r1, %r2;", add_16x2, NULL},
        {"sub.s16x2 %r0, %r1, %r2;", sub_16x2, NULL},
        {"min.s16x2 %r0, %r1, %r2;", min_s16x2, NULL},
        {"max.u16x2 %r0, %r1, %r2;", max_u16x2, NULL},
        {"max.relu.s16x2 %r0, %r1, %r2;", max_s16x2_relu, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

static void division_never_faults(void **state) {
    static const fake_row rows[] = {
        {"div.u16 %h0, %h1, %h2;", div_u16, NULL}, {"div.s16 %h0, %h1, %h2;", div_s16, NULL},
        {"div.u32 %r0, %r1, %r2;", div_u32, NULL}, {"div.s32 %r0, %r1, %r2;", div_s32, NULL},
        {"div.u64 %d0, %d1, %d2;", div_u64, NULL}, {"div.s64 %d0, %d1, %d2;", div_s64, NULL},
        {"rem.u16 %h0, %h1, %h2;", rem_u16, NULL}, {"rem.s16 %h0, %h1, %h2;", rem_s16, NULL},
        {"rem.u32 %r0, %r1, %r2;", rem_u32, NULL}, {"rem.s32 %r0, %r1, %r2;", rem_s32, NULL},
        {"rem.u64 %d0, %d1, %d2;", rem_u64, NULL}, {"rem.s64 %d0, %d1, %d2;", rem_s64, NULL},
        {"div.s32 %r0, %r1, 3;", div_s32, NULL},   {"rem.u32 %r0, %r1, 7;", rem_u32, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- carries --------------------------------------------------------------------------------------------

static uint64_t carried(fake_lane *lane, u128 sum, unsigned bits) {
    lane->carry = (unsigned)(sum >> bits) & 1;
    return bits == 32 ? (uint32_t)sum : (uint64_t)sum;
}
static uint64_t add_cc_32(fake_lane *x) { return carried(x, (u128)x->a + x->b, 32); }
static uint64_t addc_32(fake_lane *x) { return (uint32_t)(x->a + x->b + x->carry); }
static uint64_t addc_cc_64(fake_lane *x) { return carried(x, (u128)x->a + x->b + x->carry, 64); }
// a - b is a + ~b + 1: the flag says that nothing was borrowed.
static uint64_t sub_cc_64(fake_lane *x) { return carried(x, (u128)x->a + ~x->b + 1, 64); }
static uint64_t subc_cc_32(fake_lane *x) {
    return carried(x, (u128)(uint32_t)x->a + (uint32_t)~x->b + x->carry, 32);
}
static uint64_t mad_lo_cc_32(fake_lane *x) { return carried(x, (u128)(uint32_t)(x->a * x->b) + x->c, 32); }
static uint64_t madc_hi_u32(fake_lane *x) { return (uint32_t)((x->a * x->b >> 32) + x->c + x->carry); }
static uint64_t madc_hi_cc_s32(fake_lane *x) {
    uint32_t high = (uint32_t)((int64_t)(int32_t)x->a * (int32_t)x->b >> 32);
    return carried(x, (u128)high + x->c + x->carry, 32);
}
static uint64_t madc_lo_cc_64(fake_lane *x) { return carried(x, (u128)(x->a * x->b) + x->c + x->carry, 64); }

static void carries_go_from_one_to_the_next(void **state) {
    static const fake_row rows[] = {
        {"add.cc.u32 %r0, %r1, %r2;", add_cc_32, NULL},
        {"addc.u32 %r0, %r1, %r2;", addc_32, NULL},
        {"addc.cc.s64 %d0, %d1, %d2;", addc_cc_64, NULL},
        {"sub.cc.u64 %d0, %d1, %d2;", sub_cc_64, NULL},
        {"subc.cc.u32 %r0, %r1, %r2;", subc_cc_32, NULL},
        {"mad.lo.cc.u32 %r0, %r1, %r2, %r3;", mad_lo_cc_32, NULL},
        {"madc.hi.u32 %r0, %r1, %r2, %r3;", madc_hi_u32, NULL},
        {"madc.hi.cc.s32 %r0, %r1, %r2, %r3;", madc_hi_cc_s32, NULL},
        {"madc.lo.cc.u64 %d0, %d1, %d2, %d3;", madc_lo_cc_64, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- bits -------------------------------------------------------------------------------------------------

ORACLE_2(and_32, uint32_t, uint32_t, a &b)
ORACLE_2(or_64, uint64_t, uint64_t, a | b)
ORACLE_2(xor_16, uint16_t, uint16_t, a ^ b)
ORACLE_1(not_16, uint16_t, (uint16_t)~a)
ORACLE_1(not_64, uint64_t, ~a)
ORACLE_1(cnot_32, uint32_t, a == 0)
ORACLE_2(and_pred, uint8_t, uint8_t, a &b)
ORACLE_2(or_pred, uint8_t, uint8_t, a | b)
ORACLE_2(xor_pred, uint8_t, uint8_t, a ^ b)
ORACLE_1(not_pred, uint8_t, a ^ 1)

ORACLE_2(shl_16, uint16_t, uint32_t, b >= 16 ? 0 : (uint16_t)(a << b))
ORACLE_2(shl_32, uint32_t, uint32_t, b >= 32 ? 0 : a << b)
ORACLE_2(shl_64, uint64_t, uint32_t, b >= 64 ? 0 : a << b)
ORACLE_2(shr_u16, uint16_t, uint32_t, b >= 16 ? 0 : a >> b)
ORACLE_2(shr_u32, uint32_t, uint32_t, b >= 32 ? 0 : a >> b)
ORACLE_2(shr_u64, uint64_t, uint32_t, b >= 64 ? 0 : a >> b)
ORACLE_2(shr_s16, int16_t, uint32_t, (uint16_t)(b >= 16 ? (a < 0 ? -1 : 0) : a >> b))
ORACLE_2(shr_s32, int32_t, uint32_t, (uint32_t)(b >= 32 ? (a < 0 ? -1 : 0) : a >> b))
ORACLE_2(shr_s64, int64_t, uint32_t, b >= 64 ? (a < 0 ? -1 : 0) : a >> b)

static uint32_t funnel(uint64_t low, uint64_t high, uint32_t amount, bool left) {
    uint32_t bits[2] = {(uint32_t)low, (uint32_t)high}, result = 0;
    for (unsigned k = 0; k < 32; k++) {
        unsigned from = left ? 32 + k - amount : k + amount;
        result |= (bits[from / 32] >> from % 32 & 1) << k;
    }
    return result;
}
ORACLE_3(shf_l_wrap, uint32_t, uint32_t, uint32_t, funnel(a, b, c % 32, true))
ORACLE_3(shf_r_wrap, uint32_t, uint32_t, uint32_t, funnel(a, b, c % 32, false))
ORACLE_3(shf_l_clamp, uint32_t, uint32_t, uint32_t, c >= 32 ? a : funnel(a, b, c, true))
ORACLE_3(shf_r_clamp, uint32_t, uint32_t, uint32_t, c >= 32 ? b : funnel(a, b, c, false))

static unsigned ones(uint64_t x) {
    unsigned count = 0;
    for (; x; x >>= 1) count += x & 1;
    return count;
}
static uint32_t top_bit(uint64_t x) {
    for (int k = 63; k >= 0; k--)
        if (x >> k & 1) return (uint32_t)k;
    return UINT32_MAX;
}
ORACLE_1(popc_32, uint32_t, ones(a))
ORACLE_1(popc_64, uint64_t, ones(a))
ORACLE_1(clz_32, uint32_t, a == 0 ? 32 : 31 - top_bit(a))
ORACLE_1(clz_64, uint64_t, a == 0 ? 64 : 63 - top_bit(a))
ORACLE_1(bfind_u32, uint32_t, top_bit(a))
ORACLE_1(bfind_s32, int32_t, top_bit((uint32_t)(a < 0 ? ~a : a)))
ORACLE_1(bfind_u64, uint64_t, top_bit(a))
ORACLE_1(bfind_s64, int64_t, top_bit((uint64_t)(a < 0 ? ~a : a)))
ORACLE_1(bfind_shift, uint32_t, a == 0 ? UINT32_MAX : 31 - top_bit(a))

static uint64_t reversed(uint64_t x, unsigned bits) {
    uint64_t result = 0;
    for (unsigned k = 0; k < bits; k++) result |= (x >> k & 1) << (bits - 1 - k);
    return result;
}
ORACLE_1(brev_32, uint32_t, reversed(a, 32))
ORACLE_1(brev_64, uint64_t, reversed(a, 64))

static uint64_t extracted(uint64_t x, unsigned at, unsigned length, unsigned bits, bool is_signed) {
    unsigned last = at + length - 1 < bits - 1 ? at + length - 1 : bits - 1;
    uint64_t sign = is_signed && length > 0 ? x >> last & 1 : 0, result = 0;
    for (unsigned k = 0; k < bits; k++)
        result |= (k < length && at + k < bits ? x >> (at + k) & 1 : sign) << k;
    return result;
}
// Positions and lengths of 64-bit fields are whole words: past 64 all are alike.
static uint8_t within(uint32_t count) { return count > 64 ? 64 : (uint8_t)count; }
ORACLE_3(bfe_u32, uint32_t, uint8_t, uint8_t, extracted(a, b, c, 32, false))
ORACLE_3(bfe_s32, uint32_t, uint8_t, uint8_t, extracted(a, b, c, 32, true))
ORACLE_3(bfe_u64, uint64_t, uint32_t, uint32_t, extracted(a, within(b), within(c), 64, false))
ORACLE_3(bfe_s64, uint64_t, uint32_t, uint32_t, extracted(a, within(b), within(c), 64, true))

static uint64_t with_field(uint64_t x, uint64_t y, unsigned at, unsigned length, unsigned bits) {
    for (unsigned k = 0; k < length && at + k < bits; k++)
        y = (y & ~(UINT64_C(1) << (at + k))) | (x >> k & 1) << (at + k);
    return y;
}
static uint64_t bfi_32(fake_lane *x) { return with_field(x->a, x->b, (uint8_t)x->c, (uint8_t)x->e, 32); }
static uint64_t bfi_64(fake_lane *x) {
    return with_field(x->a, x->b, within((uint32_t)x->c), within((uint32_t)x->e), 64);
}

static uint32_t mask_between(uint64_t from, uint64_t length) {
    uint32_t mask = 0;
    for (uint64_t k = from; k < 32 && k - from < length; k++) mask |= 1u << k;
    return mask;
}
ORACLE_2(bmsk_clamp, uint32_t, uint32_t, mask_between(a, b))
ORACLE_2(bmsk_wrap, uint32_t, uint32_t, mask_between(a % 32, b % 32))
ORACLE_2(szext_s_clamp, uint32_t, uint32_t, b >= 32 ? a : extracted(a, 0, b, 32, true))
ORACLE_2(szext_u_wrap, uint32_t, uint32_t, extracted(a, 0, b % 32, 32, false))

static uint64_t fns(fake_lane *x) {
    int32_t n = (int32_t)x->c;
    unsigned base = (unsigned)x->b, seen = 0;
    if (x->b > 31) return UINT32_MAX;
    if (n == 0) return x->a >> base & 1 ? base : UINT32_MAX;
    if (n > 32 || n < -32) return UINT32_MAX;
    for (int k = (int)base; k >= 0 && k<32; k += n> 0 ? 1 : -1) {
        seen += x->a >> k & 1;
        if (seen == (unsigned)abs(n)) return (uint64_t)k;
    }
    return UINT32_MAX;
}

static uint32_t permute(uint32_t a, uint32_t b, const char *order) { // order: bytes of b:a, highest first
    uint8_t bytes[8];
    uint32_t result = 0;
    memcpy(bytes, &a, 4);
    memcpy(bytes + 4, &b, 4);
    for (int k = 0; k < 4; k++) result = result << 8 | bytes[order[k] - '0'];
    return result;
}
static uint64_t prmt(fake_lane *x) {
    uint32_t result = 0;
    for (int k = 0; k < 4; k++) {
        unsigned nibble = x->c >> 4 * k & 15,
                 byte = (unsigned)((x->b << 32 | x->a) >> 8 * (nibble & 7)) & 0xff;
        if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
        result |= (uint32_t)byte << 8 * k;
    }
    return result;
}
static uint64_t by_mode(fake_lane *x, const char *const orders[4]) {
    return permute((uint32_t)x->a, (uint32_t)x->b, orders[x->c & 3]);
}
static uint64_t prmt_f4e(fake_lane *x) {
    return by_mode(x, (const char *const[]){"3210", "4321", "5432", "6543"});
}
static uint64_t prmt_b4e(fake_lane *x) {
    return by_mode(x, (const char *const[]){"5670", "6701", "7012", "0123"});
}
static uint64_t prmt_rc8(fake_lane *x) {
    return by_mode(x, (const char *const[]){"0000", "1111", "2222", "3333"});
}
static uint64_t prmt_ecl(fake_lane *x) {
    return by_mode(x, (const char *const[]){"3210", "3211", "3222", "3333"});
}
static uint64_t prmt_ecr(fake_lane *x) {
    return by_mode(x, (const char *const[]){"0000", "1110", "2210", "3210"});
}
static uint64_t prmt_rc16(fake_lane *x) {
    return by_mode(x, (const char *const[]){"1010", "3232", "1010", "3232"});
}

static uint32_t table_of(uint64_t a, uint64_t b, uint64_t c, unsigned table) {
    uint32_t result = 0;
    for (unsigned k = 0; k < 32; k++)
        result |= (table >> ((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1)) & 1u) << k;
    return result;
}
static uint64_t lop3(fake_lane *x) { return table_of(x->a, x->b, x->c, (unsigned)x->e); }
// The operand after "|" is the predicate: bit 1 of the answer; the first is a sink.
static uint64_t lop3_or(fake_lane *x) { return (uint64_t)((lop3(x) != 0) | x->f) << 1; }
static uint64_t lop3_and(fake_lane *x) { return (uint64_t)((lop3(x) != 0) & x->f) << 1; }

static void logic_and_shifts_match(void **state) {
    static const fake_row rows[] = {
        {"and.b32 %r0, %r1, %r2;", and_32, NULL},
        {"or.b64 %d0, %d1, %d2;", or_64, NULL},
        {"xor.b16 %h0, %h1, %h2;", xor_16, NULL},
        {"not.b16 %h0, %h1;", not_16, NULL},
        {"not.b64 %d0, %d1;", not_64, NULL},
        {"cnot.b32 %r0, %r1;", cnot_32, NULL},
        {"and.pred %p0, %p1, %p2;", and_pred, NULL},
        {"or.pred %p0, %p1, %p2;", or_pred, NULL},
        {"xor.pred %p1, %p1, %p2;", xor_pred, NULL},
        {"not.pred %p0, %p1;", not_pred, NULL},
        {"shl.b16 %h0, %h1, %r2;", shl_16, NULL},
        {"shl.b32 %r0, %r1, %r2;", shl_32, NULL},
        {"shl.b32 %r0, %r1, 5;", shl_32, NULL},
        {"shl.b64 %d0, %d1, %r2;", shl_64, NULL},
        {"shr.u16 %h0, %h1, %r2;", shr_u16, NULL},
        {"shr.b32 %r0, %r1, %r2;", shr_u32, NULL},
        {"shr.u64 %d0, %d1, %r2;", shr_u64, NULL},
        {"shr.s16 %h0, %h1, %r2;", shr_s16, NULL},
        {"shr.s32 %r0, %r1, %r2;", shr_s32, NULL},
        {"shr.s64 %d0, %d1, %r2;", shr_s64, NULL},
        {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", shf_l_wrap, NULL},
        {"shf.r.wrap.b32 %r0, %r1, %r2, %r3;", shf_r_wrap, NULL},
        {"shf.l.clamp.b32 %r0, %r1, %r2, %r3;", shf_l_clamp, NULL},
        {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", shf_r_clamp, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

static void counts_and_fields_match(void **state) {
    static const fake_row rows[] = {
        {"popc.b32 %r0, %r1;", popc_32, NULL},
        {"popc.b64 %r0, %d1;", popc_64, NULL},
        {"clz.b32 %r0, %r1;", clz_32, NULL},
        {"clz.b64 %r0, %d1;", clz_64, NULL},
        {"bfind.u32 %r0, %r1;", bfind_u32, NULL},
        {"bfind.s32 %r0, %r1;", bfind_s32, NULL},
        {"bfind.u64 %r0, %d1;", bfind_u64, NULL},
        {"bfind.s64 %r0, %d1;", bfind_s64, NULL},
        {"bfind.shiftamt.u32 %r0, %r1;", bfind_shift, NULL},
        {"brev.b32 %r0, %r1;", brev_32, NULL},
        {"brev.b64 %d0, %d1;", brev_64, NULL},
        {"bfe.u32 %r0, %r1, %r2, %r3;", bfe_u32, NULL},
        {"bfe.s32 %r0, %r1, %r2, %r3;", bfe_s32, NULL},
        {"bfe.u64 %d0, %d1, %r2, %r3;", bfe_u64, NULL},
        {"bfe.s64 %d0, %d1, %r2, %r3;", bfe_s64, NULL},
        {"bfi.b32 %r0, %r1, %r2, %r3, %r4;", bfi_32, NULL},
        {"bfi.b64 %d0, %d1, %d2, %r3, %r4;", bfi_64, NULL},
        {"bmsk.clamp.b32 %r0, %r1, %r2;", bmsk_clamp, NULL},
        {"bmsk.wrap.b32 %r0, %r1, %r2;", bmsk_wrap, NULL},
        {"szext.clamp.s32 %r0, %r1, %r2;", szext_s_clamp, NULL},
        {"szext.wrap.u32 %r0, %r1, %r2;", szext_u_wrap, NULL},
        {"fns.b32 %r0, %r1, %r2, %r3;", fns, NULL},
        {"fns.b32 %r0, %r1, 16, 2;", fns, NULL},
        {"fns.b32 %r0, %r1, 16, -3;", fns, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

static void permutations_match(void **state) {
    static const fake_row rows[] = {
        {"prmt.b32 %r0, %r1, %r2, %r3;", prmt, NULL},
        {"prmt.b32 %r0, %r1, %r2, 0x7610;", prmt, NULL},
        {"prmt.b32.f4e %r0, %r1, %r2, %r3;", prmt_f4e, NULL},
        {"prmt.b32.b4e %r0, %r1, %r2, %r3;", prmt_b4e, NULL},
        {"prmt.b32.rc8 %r0, %r1, %r2, %r3;", prmt_rc8, NULL},
        {"prmt.b32.ecl %r0, %r1, %r2, %r3;", prmt_ecl, NULL},
        {"prmt.b32.ecr %r0, %r1, %r2, %r3;", prmt_ecr, NULL},
        {"prmt.b32.rc16 %r0, %r1, %r2, %r3;", prmt_rc16, NULL},
        {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", lop3, NULL},
        {"lop3.b32 %r0, %r1, %r2, %r3, 0xe8;", lop3, NULL},
        {"lop3.b32 %r0, %r1, %r2, %r3, 0x3c;", lop3, NULL},
        {"lop3.or.b32 _|%p0, %r1, %r2, %r3, 0x80, %p1;", lop3_or, NULL},
        {"lop3.and.b32 _|%p0, %r1, %r2, %r3, 0xc0, !%p1;", lop3_and, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_matches_scalar_c),     cmocka_unit_test(division_never_faults),
        cmocka_unit_test(carries_go_from_one_to_the_next), cmocka_unit_test(logic_and_shifts_match),
        cmocka_unit_test(counts_and_fields_match),         cmocka_unit_test(permutations_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
