// Dot products and video instructions, scalar and packed, against loops over bytes.
#include "sim/exec_fake.h"

static int64_t byte_of(uint64_t x, int k, bool is_signed) {
    return is_signed ? (int8_t)(x >> 8 * k) : (uint8_t)(x >> 8 * k);
}
static int64_t half_of(uint64_t x, int k, bool is_signed) {
    return is_signed ? (int16_t)(x >> 16 * k) : (uint16_t)(x >> 16 * k);
}
static int64_t word_of(uint64_t x, bool is_signed) { return is_signed ? (int32_t)x : (int64_t)(uint32_t)x; }
static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

// ---- dot products -----------------------------------------------------------------------------------

static uint64_t dot4(fake_lane *x, bool sa, bool sb) {
    int64_t sum = 0;
    for (int k = 0; k < 4; k++) sum += byte_of(x->a, k, sa) * byte_of(x->b, k, sb);
    return (uint32_t)(x->c + (uint64_t)sum);
}
static uint64_t dot2(fake_lane *x, bool sa, bool sb, int first) {
    int64_t sum = 0;
    for (int k = 0; k < 2; k++) sum += half_of(x->a, k, sa) * byte_of(x->b, first + k, sb);
    return (uint32_t)(x->c + (uint64_t)sum);
}
static uint64_t dp4a_uu(fake_lane *x) { return dot4(x, false, false); }
static uint64_t dp4a_us(fake_lane *x) { return dot4(x, false, true); }
static uint64_t dp4a_su(fake_lane *x) { return dot4(x, true, false); }
static uint64_t dp4a_ss(fake_lane *x) { return dot4(x, true, true); }
static uint64_t dp2a_lo_ss(fake_lane *x) { return dot2(x, true, true, 0); }
static uint64_t dp2a_hi_ss(fake_lane *x) { return dot2(x, true, true, 2); }
static uint64_t dp2a_lo_us(fake_lane *x) { return dot2(x, false, true, 0); }
static uint64_t dp2a_hi_uu(fake_lane *x) { return dot2(x, false, false, 2); }

static void dot_products_match(void **state) {
    static const fake_row rows[] = {
        {"dp4a.u32.u32 %r0, %r1, %r2, %r3;", dp4a_uu, NULL},
        {"dp4a.u32.s32 %r0, %r1, %r2, %r3;", dp4a_us, NULL},
        {"dp4a.s32.u32 %r0, %r1, %r2, %r3;", dp4a_su, NULL},
        {"dp4a.s32.s32 %r3, %r1, %r2, %r3;", dp4a_ss, NULL},
        {"dp2a.lo.s32.s32 %r0, %r1, %r2, %r3;", dp2a_lo_ss, NULL},
        {"dp2a.hi.s32.s32 %r0, %r1, %r2, %r3;", dp2a_hi_ss, NULL},
        {"dp2a.lo.u32.s32 %r0, %r1, %r2, %r3;", dp2a_lo_us, NULL},
        {"dp2a.hi.u32.u32 %r0, %r1, %r2, %r3;", dp2a_hi_uu, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- one part ---------------------------------------------------------------------------------------

static uint64_t vadd(fake_lane *x) { return (uint32_t)(x->a + x->b); }
static uint64_t vadd_parts(fake_lane *x) {
    return (uint32_t)(byte_of(x->a, 1, true) + half_of(x->b, 1, false));
}
static uint64_t vsub_sat(fake_lane *x) {
    return (uint32_t)clamp(word_of(x->a, true) - word_of(x->b, true), INT32_MIN, INT32_MAX);
}
static uint64_t vsub_sat_unsigned(fake_lane *x) {
    return (uint32_t)clamp(word_of(x->a, true) - word_of(x->b, true), 0, UINT32_MAX);
}
static uint64_t vabsdiff_add(fake_lane *x) {
    int64_t difference = byte_of(x->a, 0, false) - byte_of(x->b, 3, false);
    return (uint32_t)(x->c + (uint64_t)(difference < 0 ? -difference : difference));
}
static uint64_t vmin_max(fake_lane *x) {
    int32_t least = (int32_t)clamp(half_of(x->a, 0, true), INT32_MIN, half_of(x->b, 1, true)),
            c = (int32_t)x->c;
    return (uint32_t)(least > c ? least : c);
}
static uint64_t vmax_merge(fake_lane *x) { // into byte 2, saturated to a byte
    int64_t a = word_of(x->a, false), b = word_of(x->b, false), most = clamp(a > b ? a : b, 0, 255);
    return (uint32_t)((uint64_t)most << 16 | (x->c & 0xff00ffff));
}
static uint64_t vshl_wrap(fake_lane *x) { return (uint32_t)(x->a << (x->b & 31)); }
static uint64_t vshr_clamp(fake_lane *x) {
    return (uint32_t)(word_of(x->a, true) >> clamp(word_of(x->b, false), 0, 32));
}
static uint64_t vset_lt_add(fake_lane *x) {
    return (uint32_t)(x->c + (word_of(x->a, true) < word_of(x->b, false)));
}
static uint64_t vmad(fake_lane *x) {
    return (uint32_t)(byte_of(x->a, 0, true) * half_of(x->b, 0, false) + (int64_t)(int32_t)x->c);
}
static uint64_t vmad_shr7(fake_lane *x) {
    __int128 sum = (__int128)word_of(x->a, true) * word_of(x->b, true) + (int32_t)x->c;
    __int128 scaled = sum >> 7;
    return (uint32_t)(scaled > INT32_MAX ? INT32_MAX : scaled < INT32_MIN ? INT32_MIN : (int64_t)scaled);
}

static void scalar_video_matches(void **state) {
    static const fake_row rows[] = {
        {"vadd.u32.u32.u32 %r0, %r1, %r2;", vadd, NULL},
        {"vadd.s32.s32.u32 %r0, %r1.b1, %r2.h1;", vadd_parts, NULL},
        {"vsub.s32.s32.s32.sat %r0, %r1, %r2;", vsub_sat, NULL},
        {"vsub.u32.s32.s32.sat %r0, %r1, %r2;", vsub_sat_unsigned, NULL},
        {"vabsdiff.u32.u32.u32.add %r0, %r1.b0, %r2.b3, %r3;", vabsdiff_add, NULL},
        {"vmin.s32.s32.s32.max %r0, %r1.h0, %r2.h1, %r3;", vmin_max, NULL},
        {"vmax.u32.u32.u32.sat %r0.b2, %r1, %r2, %r3;", vmax_merge, NULL},
        {"vshl.u32.u32.u32.wrap %r0, %r1, %r2;", vshl_wrap, NULL},
        {"vshr.s32.s32.u32.clamp %r0, %r1, %r2;", vshr_clamp, NULL},
        {"vset.s32.u32.lt.add %r0, %r1, %r2, %r3;", vset_lt_add, NULL},
        {"vmad.s32.s32.u32 %r0, %r1.b0, %r2.h0, %r3;", vmad, NULL},
        {"vmad.s32.s32.s32.sat.shr7 %r0, %r1, %r2, %r3;", vmad_shr7, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- all parts --------------------------------------------------------------------------------------

typedef int64_t combine(int64_t a, int64_t b);
static int64_t sum(int64_t a, int64_t b) { return a + b; }
static int64_t difference(int64_t a, int64_t b) { return a - b; }
static int64_t distance(int64_t a, int64_t b) { return a > b ? a - b : b - a; }
static int64_t average(int64_t a, int64_t b) { return (a + b + (a + b >= 0)) >> 1; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t at_least(int64_t a, int64_t b) { return a >= b; }

// Bytes (4) or halves (2); limits: 0 none, 1 unsigned, 2 signed saturation.
static uint64_t each(fake_lane *x, int parts, combine *f, bool sa, bool sb, int limits) {
    uint64_t result = 0;
    int bits = 32 / parts;
    for (int k = 0; k < parts; k++) {
        int64_t a = parts == 4 ? byte_of(x->a, k, sa) : half_of(x->a, k, sa);
        int64_t b = parts == 4 ? byte_of(x->b, k, sb) : half_of(x->b, k, sb);
        int64_t value = f(a, b), top = INT64_C(1) << bits;
        if (limits == 1) value = clamp(value, 0, top - 1);
        if (limits == 2) value = clamp(value, -top / 2, top / 2 - 1);
        result |= ((uint64_t)value & (uint64_t)(top - 1)) << (bits * k);
    }
    return result;
}
static uint64_t vadd4(fake_lane *x) { return each(x, 4, sum, false, false, 0); }
static uint64_t vadd4_sat(fake_lane *x) { return each(x, 4, sum, true, true, 2); }
static uint64_t vsub2_sat(fake_lane *x) { return each(x, 2, difference, false, false, 1); }
static uint64_t vavrg4(fake_lane *x) { return each(x, 4, average, true, true, 0); }
static uint64_t vavrg2(fake_lane *x) { return each(x, 2, average, false, false, 0); }
static uint64_t vabsdiff4(fake_lane *x) { return each(x, 4, distance, false, false, 0); }
static uint64_t vmin2(fake_lane *x) { return each(x, 2, least, true, true, 0); }
static uint64_t vmax4(fake_lane *x) { return each(x, 4, most, false, false, 0); }
static uint64_t vset4(fake_lane *x) { return each(x, 4, at_least, false, false, 0); }
static uint64_t vabsdiff4_add(fake_lane *x) {
    uint64_t total = x->c;
    for (int k = 0; k < 4; k++) total += (uint64_t)distance(byte_of(x->a, k, false), byte_of(x->b, k, false));
    return (uint32_t)total;
}
static uint64_t vadd4_masked(fake_lane *x) { return (vadd4(x) & 0x00ff00ff) | (x->c & 0xff00ff00); }
static uint64_t vadd2_swapped(fake_lane *x) { // h01 of a, h11 of b's place in b:a, that is a's upper half
    uint32_t low = (uint16_t)(half_of(x->a, 1, false) + half_of(x->a, 1, false));
    uint32_t high = (uint16_t)(half_of(x->a, 0, false) + half_of(x->a, 1, false));
    return (uint64_t)high << 16 | low;
}
static uint64_t vset2_add(fake_lane *x) {
    return (uint32_t)(x->c + (uint64_t)(half_of(x->a, 0, true) < half_of(x->b, 0, true)) +
                      (uint64_t)(half_of(x->a, 1, true) < half_of(x->b, 1, true)));
}

static void packed_video_matches(void **state) {
    static const fake_row rows[] = {
        {"vadd4.u32.u32.u32 %r0, %r1, %r2, %r3;", vadd4, NULL},
        {"vadd4.s32.s32.s32.sat %r0, %r1, %r2, %r3;", vadd4_sat, NULL},
        {"vadd4.u32.u32.u32 %r0.b20, %r1, %r2, %r3;", vadd4_masked, NULL},
        {"vadd2.u32.u32.u32 %r0, %r1.h01, %r2.h11, %r3;", vadd2_swapped, NULL},
        {"vsub2.u32.u32.u32.sat %r0, %r1, %r2, %r3;", vsub2_sat, NULL},
        {"vavrg4.s32.s32.s32 %r0, %r1, %r2, %r3;", vavrg4, NULL},
        {"vavrg2.u32.u32.u32 %r0, %r1, %r2, %r3;", vavrg2, NULL},
        {"vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3;", vabsdiff4, NULL},
        {"vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", vabsdiff4_add, NULL},
        {"vmin2.s32.s32.s32 %r0, %r1, %r2, %r3;", vmin2, NULL},
        {"vmax4.u32.u32.u32 %r0, %r1, %r2, %r3;", vmax4, NULL},
        {"vset4.u32.u32.ge %r0, %r1, %r2, %r3;", vset4, NULL},
        {"vset2.s32.s32.lt.add %r0, %r1, %r2, %r3;", vset2_add, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_products_match),
        cmocka_unit_test(scalar_video_matches),
        cmocka_unit_test(packed_video_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
