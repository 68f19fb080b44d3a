// Comparison, selection and moves.
#include "sim/exec_fake.h"
#include "sim/exec_oracle.h"

// ---- setp -------------------------------------------------------------------------------------------------

#define ORDERS(name, T)                                                                                      \
    ORACLE_2(name##_eq, T, T, a == b)                                                                        \
    ORACLE_2(name##_ne, T, T, a != b)                                                                        \
    ORACLE_2(name##_lt, T, T, a < b)                                                                         \
    ORACLE_2(name##_le, T, T, a <= b)                                                                        \
    ORACLE_2(name##_gt, T, T, a > b)                                                                         \
    ORACLE_2(name##_ge, T, T, a >= b)
ORDERS(u16, uint16_t)
ORDERS(s16, int16_t)
ORDERS(u32, uint32_t)
ORDERS(s32, int32_t)
ORDERS(u64, uint64_t)
ORDERS(s64, int64_t)
#define INTEGER_ROWS(t, operands)                                                                            \
    {"setp.eq." #t " %p0, " operands, t##_eq, NULL}, {"setp.ne." #t " %p0, " operands, t##_ne, NULL},        \
        {"setp.lt." #t " %p0, " operands, t##_lt, NULL}, {"setp.le." #t " %p0, " operands, t##_le, NULL},    \
        {"setp.gt." #t " %p0, " operands, t##_gt, NULL}, {                                                   \
        "setp.ge." #t " %p0, " operands, t##_ge, NULL                                                        \
    }

static void integers_compare(void **state) {
    static const fake_row rows[] = {
        INTEGER_ROWS(u16, "%h1, %h2;"),
        INTEGER_ROWS(s16, "%h1, %h2;"),
        INTEGER_ROWS(u32, "%r1, %r2;"),
        INTEGER_ROWS(s32, "%r1, %r2;"),
        INTEGER_ROWS(u64, "%d1, %d2;"),
        INTEGER_ROWS(s64, "%d1, %d2;"),
        {"setp.lo.u32 %p0, %r1, %r2;", u32_lt, NULL},
        {"setp.ls.u32 %p0, %r1, %r2;", u32_le, NULL},
        {"setp.hi.u64 %p0, %d1, %d2;", u64_gt, NULL},
        {"setp.hs.u32 %p0, %r1, %r2;", u32_ge, NULL},
        {"setp.eq.b32 %p0, %r1, 0;", u32_eq, NULL},
        {"setp.gt.s32 %p0, %r1, -1;", s32_gt, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// A type for the floats of each instruction, as double.
static double f32(uint64_t bits) { return (double)oracle_f32(bits); }
static double f32_ftz(uint64_t bits) { return (double)oracle_flush(oracle_f32(bits)); }
static double f64(uint64_t bits) { return oracle_f64(bits); }
static double f16(uint64_t bits) { return oracle_value((uint32_t)bits & 0xffff, &oracle_f16); }
static double bf16(uint64_t bits) { return oracle_value((uint32_t)bits & 0xffff, &oracle_bf16); }
#define FLOAT_ORACLE(t, name, expression)                                                                    \
    static uint64_t t##_##name(fake_lane *x) {                                                               \
        double a = t(x->a), b = t(x->b);                                                                     \
        bool unordered = isnan(a) || isnan(b);                                                               \
        (void)unordered;                                                                                     \
        return expression;                                                                                   \
    }
#define FLOAT_ORACLES(t)                                                                                     \
    FLOAT_ORACLE(t, eq, !unordered && a == b)                                                                \
    FLOAT_ORACLE(t, ne, !unordered && a != b)                                                                \
    FLOAT_ORACLE(t, lt, !unordered && a < b)                                                                 \
    FLOAT_ORACLE(t, le, !unordered && a <= b)                                                                \
    FLOAT_ORACLE(t, gt, !unordered && a > b)                                                                 \
    FLOAT_ORACLE(t, ge, !unordered && a >= b)                                                                \
    FLOAT_ORACLE(t, equ, unordered || a == b)                                                                \
    FLOAT_ORACLE(t, neu, unordered || a != b)                                                                \
    FLOAT_ORACLE(t, ltu, unordered || a < b)                                                                 \
    FLOAT_ORACLE(t, leu, unordered || a <= b)                                                                \
    FLOAT_ORACLE(t, gtu, unordered || a > b)                                                                 \
    FLOAT_ORACLE(t, geu, unordered || a >= b)                                                                \
    FLOAT_ORACLE(t, num, !unordered)                                                                         \
    FLOAT_ORACLE(t, nan, unordered)
FLOAT_ORACLES(f32)
FLOAT_ORACLES(f32_ftz)
FLOAT_ORACLES(f64)
FLOAT_ORACLES(f16)
FLOAT_ORACLES(bf16)
#define FLOAT_ROW(t, dotted, name, operands)                                                                 \
    { "setp." #name dotted " %p0, " operands, t##_##name, NULL }
#define FLOAT_ROWS(t, dotted, operands)                                                                      \
    FLOAT_ROW(t, dotted, eq, operands), FLOAT_ROW(t, dotted, ne, operands),                                  \
        FLOAT_ROW(t, dotted, lt, operands), FLOAT_ROW(t, dotted, le, operands),                              \
        FLOAT_ROW(t, dotted, gt, operands), FLOAT_ROW(t, dotted, ge, operands),                              \
        FLOAT_ROW(t, dotted, equ, operands), FLOAT_ROW(t, dotted, neu, operands),                            \
        FLOAT_ROW(t, dotted, ltu, operands), FLOAT_ROW(t, dotted, leu, operands),                            \
        FLOAT_ROW(t, dotted, gtu, operands), FLOAT_ROW(t, dotted, geu, operands),                            \
        FLOAT_ROW(t, dotted, num, operands), FLOAT_ROW(t, dotted, nan, operands)

static void floats_compare_ordered_and_unordered(void **state) {
    static const fake_row rows[] = {
        FLOAT_ROWS(f32, ".f32", "%r1, %r2;"),   FLOAT_ROWS(f32_ftz, ".ftz.f32", "%r1, %r2;"),
        FLOAT_ROWS(f64, ".f64", "%d1, %d2;"),   FLOAT_ROWS(f16, ".f16", "%h1, %h2;"),
        FLOAT_ROWS(bf16, ".bf16", "%h1, %h2;"),
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

static uint64_t both(bool p, bool q) { return (uint64_t)p | (uint64_t)q << 1; }
static uint64_t s32_lt_and(fake_lane *x) { return s32_lt(x) & x->c; }
static uint64_t s32_lt_pq(fake_lane *x) { return both(s32_lt(x), !s32_lt(x)); }
static uint64_t s32_ge_pq_or(fake_lane *x) { return both(s32_ge(x) | x->c, (!s32_ge(x)) | x->c); }
static uint64_t f32_gtu_xor(fake_lane *x) { return both(f32_gtu(x) ^ x->c, (!f32_gtu(x)) ^ x->c); }
static uint64_t f16x2_lt(fake_lane *x) {
    fake_lane high = {.a = x->a >> 16, .b = x->b >> 16};
    return both(f16_lt(x), f16_lt(&high));
}
static uint64_t bf16x2_neu_and(fake_lane *x) {
    fake_lane high = {.a = x->a >> 16, .b = x->b >> 16};
    return both(bf16_neu(x) & x->c, bf16_neu(&high) & x->c);
}

static void setp_combines_and_writes_two(void **state) {
    static const fake_row rows[] = {
        {"setp.lt.and.s32 %p0, %r1, %r2, %p3;", s32_lt_and, NULL},
        {"setp.lt.and.s32 %p3, %r1, %r2, !%p3;", s32_lt_and, NULL},
        {"setp.lt.s32 %p0|%p1, %r1, %r2;", s32_lt_pq, NULL},
        {"setp.ge.or.s32 %p0|%p1, %r1, %r2, !%p3;", s32_ge_pq_or, NULL},
        {"setp.gtu.xor.f32 %p0|%p1, %r1, %r2, %p3;", f32_gtu_xor, NULL},
        {"setp.lt.f16x2 %p0|%p1, %r1, %r2;", f16x2_lt, NULL},
        {"setp.neu.and.bf16x2 %p0|%p1, %r1, %r2, %p3;", bf16x2_neu_and, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- set, testp, selp, slct -------------------------------------------------------------------------

static uint64_t set_u32_s32(fake_lane *x) { return s32_lt(x) ? 0xffffffffu : 0; }
static uint64_t set_f32_f32(fake_lane *x) { return f32_ge(x) ? 0x3f800000u : 0; }
static uint64_t set_f32_u32_or(fake_lane *x) { return u32_ne(x) | x->c ? 0x3f800000u : 0; }
static uint64_t set_f16(fake_lane *x) { return f16_ltu(x) ? 0x3c00 : 0; }
static uint64_t set_f16x2(fake_lane *x) {
    uint64_t p = f16x2_lt(x);
    return (p & 1 ? 0x3c00 : 0) | (p & 2 ? 0x3c000000 : 0);
}
static uint64_t set_u32_f16x2(fake_lane *x) {
    uint64_t p = f16x2_lt(x);
    return (p & 1 ? 0xffffu : 0) | (p & 2 ? 0xffff0000u : 0);
}
static uint64_t is_finite(fake_lane *x) { return isfinite(oracle_f32(x->a)); }
static uint64_t infinite(fake_lane *x) { return isinf(oracle_f64(x->a)) != 0; }
static uint64_t number(fake_lane *x) { return !isnan(oracle_f32(x->a)); }
static uint64_t notanumber(fake_lane *x) { return isnan(oracle_f64(x->a)) != 0; }
static uint64_t normal(fake_lane *x) { return isnormal(oracle_f32(x->a)) || oracle_f32(x->a) == 0; }
static uint64_t subnormal(fake_lane *x) { return fpclassify(oracle_f32(x->a)) == FP_SUBNORMAL; }
static uint64_t choose(fake_lane *x) { return x->c ? x->a : x->b; }
static uint64_t choose_sign(fake_lane *x) { return (int32_t)x->c >= 0 ? x->a : x->b; }
static uint64_t choose_float(fake_lane *x) { return oracle_f32(x->c) >= 0 ? x->a : x->b; }

static void selection_matches(void **state) {
    static const fake_row rows[] = {
        {"set.lt.u32.s32 %r0, %r1, %r2;", set_u32_s32, NULL},
        {"set.ge.f32.f32 %r0, %r1, %r2;", set_f32_f32, NULL},
        {"set.ne.or.f32.u32 %r0, %r1, %r2, %p3;", set_f32_u32_or, NULL},
        {"set.ltu.f16.f16 %h0, %h1, %h2;", set_f16, NULL},
        {"set.lt.f16x2.f16x2 %r0, %r1, %r2;", set_f16x2, NULL},
        {"set.lt.u32.f16x2 %r0, %r1, %r2;", set_u32_f16x2, NULL},
        {"testp.finite.f32 %p0, %r1;", is_finite, NULL},
        {"testp.infinite.f64 %p0, %d1;", infinite, NULL},
        {"testp.number.f32 %p0, %r1;", number, NULL},
        {"testp.notanumber.f64 %p0, %d1;", notanumber, NULL},
        {"testp.normal.f32 %p0, %r1;", normal, NULL},
        {"testp.subnormal.f32 %p0, %r1;", subnormal, NULL},
        {"selp.b16 %h0, %h1, %h2, %p3;", choose, NULL},
        {"selp.b32 %r0, %r1, %r2, %p3;", choose, NULL},
        {"selp.s32 %r0, 1, 0, %p3;", choose, NULL},
        {"selp.f64 %d1, %d1, %d2, %p3;", choose, NULL},
        {"slct.u32.s32 %r0, %r1, %r2, %r3;", choose_sign, NULL},
        {"slct.b64.s32 %d0, %d1, %d2, %r3;", choose_sign, NULL},
        {"slct.b16.f32 %h0, %h1, %h2, %r3;", choose_float, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// ---- moves ------------------------------------------------------------------------------------------

static uint64_t same(fake_lane *x) { return x->a; }

static void moves_copy(void **state) {
    static const fake_row rows[] = {
        {"mov.b16 %h0, %h1;", same, NULL},  {"mov.u32 %r0, %r1;", same, NULL},
        {"mov.f32 %r0, %r1;", same, NULL},  {"mov.b64 %d0, %d1;", same, NULL},
        {"mov.pred %p0, %p1;", same, NULL}, {"mov.u32 %r0, 17;", same, NULL},
        {"mov.b128 %q0, %q1;", same, NULL},
    };
    fake_check_all(rows, BASE_COUNT(rows));
}

// Packs or unpacks with `line`: the bytes of the registers named, part by part, must be the whole's.
static void check_parts(const char *text) {
    fake_line line;
    fake_open(&line, text);
    bool packing = line.inst->operands[1].kind == PTX_OPERAND_VECTOR;
    const ptx_operand *vector = &line.inst->operands[packing ? 1 : 0],
                      *whole = &line.inst->operands[packing ? 0 : 1];
    unsigned bytes = ptx_type_bits(line.inst->types[0]) / 8, part_bytes = bytes / vector->element_count;
    uint8_t *before = aligned_alloc(64, FAKE_BYTES), *after = aligned_alloc(64, FAKE_BYTES);
    assert_non_null(before);
    assert_non_null(after);
    memset(before, 0, FAKE_BYTES);
    for (unsigned n = 0; fake_isa_get(n) != NULL; n++) {
        for (unsigned round = 0; round < 4; round++) {
            uint64_t counter = round;
            uint32_t mask = round % 2 ? 0x5a0ff137 : SIM_ALL;
            fake_fill(&line, before, &counter);
            memcpy(after, before, FAKE_BYTES);
            sim_op op;
            assert_true(fake_select(&line, fake_isa_get(n), after, &op));
            fake_run(&op, after, mask);
            for (unsigned i = 0; i < SIM_LANES; i++)
                for (unsigned k = 0; k < vector->element_count; k++) {
                    const ptx_operand *part = &vector->elements[k];
                    if (part->kind != PTX_OPERAND_REG) continue;
                    size_t in_whole = (size_t)whole->reg * FAKE_SLOT + i * bytes + k * part_bytes;
                    size_t in_part = (size_t)part->reg * FAKE_SLOT + i * part_bytes;
                    size_t to = packing ? in_whole : in_part, from = packing ? in_part : in_whole;
                    bool on = mask >> i & 1;
                    if (memcmp(after + to, before + (on ? from : to), part_bytes) != 0)
                        fail_msg("%s on %s: lane %u part %u", text, fake_isa_get(n)->name, i, k);
                }
        }
    }
    free(before);
    free(after);
    fake_close(&line);
}

static void parts_are_packed_and_unpacked(void **state) {
    check_parts("mov.b32 %r0, {%h1, %h2};");
    check_parts("mov.b32 {%h0, %h1}, %r2;");
    check_parts("mov.b64 %d0, {%r1, %r2};");
    check_parts("mov.b64 {%r0, %r1}, %d2;");
    check_parts("mov.b64 {%r0, _}, %d2;");
    check_parts("mov.b64 {_, %r0}, %d2;");
    check_parts("mov.b64 %d0, {%h1, %h2, %h3, %h4};");
    check_parts("mov.b64 {%h0, %h1, %h2, %h3}, %d4;");
    check_parts("mov.b128 %q0, {%d1, %d2};");
    check_parts("mov.b128 {%d0, %d1}, %q2;");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_compare),
        cmocka_unit_test(floats_compare_ordered_and_unordered),
        cmocka_unit_test(setp_combines_and_writes_two),
        cmocka_unit_test(selection_matches),
        cmocka_unit_test(moves_copy),
        cmocka_unit_test(parts_are_packed_and_unpacked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
