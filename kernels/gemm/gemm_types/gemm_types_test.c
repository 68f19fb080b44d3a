// gemm_types: the reference in every format and order, its bounds against what must pass and what must fail,
// and the plans: what is repacked, who stores c, which tiles are taken.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gemm/fp8.h"
#include "kz/device/gemm_shape.h"
#include "private.h"
#include "tune.h"
#include "unit.h"

static uint32_t operation_of(kz_gemm_format format, kz_gemm_types_order order) {
    return ORDERS * format + order;
}

// ---- the reference -------------------------------------------------------------------------------------------

static void put(gemm_element element, void *data, uint64_t index, double value) {
    if (element == GEMM_TF32)
        ((float *)data)[index] = (float)value;
    else if (element == GEMM_INT8)
        ((int8_t *)data)[index] = (int8_t)value;
    else
        ((uint8_t *)data)[index] = gemm_fp8_code(element == GEMM_8_E4M3 ? GEMM_E4M3 : GEMM_E5M2, value);
}

static void orders_of_two_by_three(void **state) {
    // a = 1 2 3 / 4 5 6, b = 1 0 / 0 1 / 10 20, as they lie in each order.
    static const double a[2][6] = {{1, 2, 3, 4, 5, 6}, {1, 4, 2, 5, 3, 6}};
    static const double b[2][6] = {{1, 0, 0, 1, 10, 20}, {1, 0, 10, 0, 1, 20}};
    const double product[] = {31, 62, 64, 125};
    for (uint32_t o = 0; o <= operation_of(KZ_GEMM_E4M3_FINE, KZ_GEMM_TYPES_TT); o++) {
        float left[6], right[6], scale_a[] = {2, 3}, scale_b[] = {5};
        double expected[4], bound[4];
        kz_case c = {.operation = o, .axes = {2, 2, 3}};
        const gemm_types_format *f = gemm_types_format_of(&c);
        for (uint64_t i = 0; i < 6; i++) {
            put(f->element, left, i, a[gemm_types_a_mn(&c)][i]);
            put(f->element, right, i, b[!gemm_types_b_mn(&c)][i]);
        }
        void *host[] = {left, right, NULL, scale_a, scale_b};
        assert_int_equal(gemm_types_reference(&c, host, C, expected, bound, NULL), KZ_OK);
        for (int i = 0; i < 4; i++) {
            double scale = f->scales == SCALES_NONE     ? 1
                           : f->scales == SCALES_TENSOR ? 10
                                                        : 5 * scale_a[i / 2];
            assert_true(expected[i] == product[i] * scale);
            assert_true(f->element == GEMM_INT8 ? bound[i] == 0
                                                : bound[i] > 0 && bound[i] < 0.1 * expected[i]);
        }
    }
}

// Scales of 1 x 128 and 128 x 128: rows and columns on both sides of a block's edge.
static void blocks_have_their_own_scales(void **state) {
    enum { SIDE = 130, DEPTH = 200 };
    static uint8_t a[SIDE * DEPTH], b[SIDE * DEPTH];
    static float scale_a[2 * SIDE], scale_b[2 * 2] = {1, 10, 100, 1000};
    static double expected[SIDE * SIDE], bound[SIDE * SIDE];
    memset(a, 0x38, sizeof a), memset(b, 0x38, sizeof b); // ones
    for (int i = 0; i < SIDE; i++) scale_a[i] = (float)(i + 1), scale_a[SIDE + i] = 0.5f;
    kz_case c = {.operation = operation_of(KZ_GEMM_E4M3_FINE, KZ_GEMM_TYPES_NT), .axes = {SIDE, SIDE, DEPTH}};
    void *host[] = {a, b, NULL, scale_a, scale_b};
    assert_int_equal(gemm_types_scale_count(&c, SCALE_A), 2 * SIDE);
    assert_int_equal(gemm_types_scale_count(&c, SCALE_B), 4);
    assert_int_equal(gemm_types_reference(&c, host, C, expected, bound, NULL), KZ_OK);
    assert_true(expected[3 * SIDE + 5] == 128 * 4 * 1 + 72 * 0.5 * 10);
    assert_true(expected[129 * SIDE + 128] == 128 * 130 * 100 + 72 * 0.5 * 1000);
}

// ---- bounds: sums as Hopper's tensor cores keep them ------------------------------------------------------------

enum { SIDE = 6, MOST = 8192 };

typedef struct sample {
    kz_case c;
    float a[SIDE * MOST], b[SIDE * MOST], scale_a[SIDE * MOST / 128], scale_b[MOST / 128];
    double expected[SIDE * SIDE], bound[SIDE * SIDE];
} sample;

static void draw(sample *s, kz_gemm_format format, kz_data data, int64_t k) {
    s->c =
        (kz_case){.operation = operation_of(format, KZ_GEMM_TYPES_NT), .axes = {SIDE, SIDE, k}, .data = data};
    void *host[] = {s->a, s->b, NULL, s->scale_a, s->scale_b};
    uint64_t count = (uint64_t)(SIDE * k);
    for (uint32_t which = A; which <= B; which++)
        if (!gemm_types_fill(&s->c, which, 1, 0, count, host[which]))
            for (uint64_t i = 0; i < count; i++)
                ((float *)host[which])[i] = (float)((int64_t)kz_draw(1, which, i) >> 10) * 0x1p-53f;
    for (int which = SCALE_A; which <= SCALE_B; which++)
        gemm_types_fill(&s->c, (size_t)which, 1, 0, gemm_types_scale_count(&s->c, which), host[which]);
    assert_int_equal(gemm_types_reference(&s->c, host, C, s->expected, s->bound, NULL), KZ_OK);
}

static double cut_off(double value, double place) { return trunc(value / place) * place; }
// The value with so many digits.
static double keep(double value, int digits) {
    return value == 0 ? 0 : cut_off(value, ldexp(1, ilogb(value) - digits + 1));
}
static double round_to(double value, int digits) {
    double place = value == 0 ? 1 : ldexp(1, ilogb(value) - digits + 1);
    return nearbyint(value / place) * place;
}

// One step of a tensor core: terms cut off `bits` below the largest one's first, the result after bits + 1 (fp8) or 24 digits.
static double step(const double *terms, int count, double sum, int bits) {
    int most = sum != 0 ? ilogb(sum) : -1000;
    for (int i = 0; i < count; i++)
        if (terms[i] != 0 && ilogb(terms[i]) > most) most = ilogb(terms[i]);
    if (most == -1000) return 0;
    double place = ldexp(1, most - bits), total = cut_off(sum, place);
    for (int i = 0; i < count; i++) total += cut_off(terms[i], place);
    return keep(total, bits < 24 ? bits + 1 : 24);
}

typedef struct how {
    int count, bits; // of a step
    int promote;     // terms that are summed by themselves; 0: all
    int digits;      // of the operands
} how;

static double sum_up(const sample *s, int row, int column, how h) {
    gemm_element element = gemm_types_format_of(&s->c)->element;
    int k = (int)s->c.axes[K], each = h.promote > 0 ? h.promote : k;
    double total = 0;
    for (int from = 0; from < k; from += each) {
        double sum = 0, terms[64];
        int end = from + each < k ? from + each : k;
        for (int x = from; x < end; x += h.count) {
            int count = end - x < h.count ? end - x : h.count;
            for (int i = 0; i < count; i++)
                terms[i] = round_to(gemm_types_get(element, s->a, (uint64_t)(row * k + x + i)), h.digits) *
                           round_to(gemm_types_get(element, s->b, (uint64_t)(column * k + x + i)), h.digits);
            sum = step(terms, count, sum, h.bits);
        }
        total = (float)(total +
                        sum * gemm_types_scale(&s->c, SCALE_A, s->scale_a, (uint64_t)row, (uint64_t)from) *
                            gemm_types_scale(&s->c, SCALE_B, s->scale_b, (uint64_t)column, (uint64_t)from));
    }
    return total;
}

static int count_wrong(const sample *s, how h) {
    int wrong = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        wrong += !(fabs(sum_up(s, i / SIDE, i % SIDE, h) - s->expected[i]) <= s->bound[i]);
    return wrong;
}

static void tf32_passes_and_bf16_fails(void **state) {
    static sample s;
    for (int64_t k = 1; k <= 4096; k *= 16) {
        draw(&s, KZ_GEMM_TF32, KZ_DATA_UNIFORM, k);
        assert_int_equal(count_wrong(&s, (how){8, 25, 0, 11}), 0);
    }
    assert_true(count_wrong(&s, (how){8, 25, 0, 8}) > 0);
    assert_true(count_wrong(&s, (how){8, 10, 0, 11}) > 0); // sums of 11 digits
}

static void three_products_pass_and_one_fails(void **state) {
    static sample s;
    draw(&s, KZ_GEMM_TF32X3, KZ_DATA_UNIFORM, 2048);
    assert_int_equal(count_wrong(&s, (how){8, 25, 0, 22}), 0);
    assert_true(count_wrong(&s, (how){8, 25, 0, 11}) > SIDE * SIDE / 2);
    draw(&s, KZ_GEMM_TF32X3, KZ_DATA_UNIFORM, 64);
    assert_true(count_wrong(&s, (how){8, 25, 0, 16}) > SIDE * SIDE / 2); // three products of bf16
}

static void fp8_passes_and_coarser_sums_fail(void **state) {
    static sample s;
    for (int data = KZ_DATA_UNIFORM; data <= KZ_DATA_POSITIVE; data++)
        for (int64_t k = 2; k <= MOST; k *= 8) {
            draw(&s, KZ_GEMM_E4M3, (kz_data)data, k);
            assert_int_equal(count_wrong(&s, (how){32, 13, 0, 53}), 0);
            draw(&s, KZ_GEMM_E5M2, (kz_data)data, k);
            assert_int_equal(count_wrong(&s, (how){32, 13, 0, 53}), 0);
        }
    draw(&s, KZ_GEMM_E4M3, KZ_DATA_UNIFORM, MOST);
    assert_true(count_wrong(&s, (how){32, 8, 0, 53}) > SIDE * SIDE / 2);
}

// What is cut off adds up where all terms have one sign; sums that begin anew every 128 lose little.
static void promoted_sums_pass_and_others_fail(void **state) {
    static sample s;
    for (int format = KZ_GEMM_E4M3_PROMOTED; format <= KZ_GEMM_E4M3_FINE; format++)
        for (int data = KZ_DATA_UNIFORM; data <= KZ_DATA_POSITIVE; data++)
            for (int64_t k = 2; k <= MOST; k *= 8) {
                draw(&s, (kz_gemm_format)format, (kz_data)data, k);
                assert_int_equal(count_wrong(&s, (how){32, 13, 128, 53}), 0);
            }
    draw(&s, KZ_GEMM_E4M3_PROMOTED, KZ_DATA_POSITIVE, MOST);
    assert_int_equal(count_wrong(&s, (how){32, 13, 0, 53}), SIDE * SIDE);
}

// ---- plans -------------------------------------------------------------------------------------------------------

static kz_status plan(const char *name, const kz_case *c, kz_plan *plan) {
    kz_device *device;
    kz_error error = {0};
    *plan = (kz_plan){0};
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    const kz_variant *variant = kz_variant_find(&kz_family_gemm_types, name);
    assert_non_null(variant);
    kz_status status =
        kz_variant_plan(&kz_family_gemm_types, variant, c, kz_device_get_info(device), plan, &error);
    kz_device_close(device);
    return status;
}

static kz_case case_of(kz_gemm_format format, kz_gemm_types_order order, int64_t m, int64_t n, int64_t k) {
    return (kz_case){
        .operation = operation_of(format, order), .type = gemm_types_formats[format].out, .axes = {m, n, k}};
}

static void operands_are_repacked_where_they_must(void **state) {
    static kz_plan p;
    kz_case c = case_of(KZ_GEMM_E4M3, KZ_GEMM_TYPES_NT, 256, 256, 272);
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 1);
    assert_int_equal(p.workspace_bytes, 0);
    c.axes[K] = 271;
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "pad");
    assert_int_equal(p.step_count, 3);
    assert_int_equal(p.workspace_bytes, 2 * 256 * 272);
    c = case_of(KZ_GEMM_TF32, KZ_GEMM_TYPES_TN, 256, 512, 10);
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "transpose_4");
    assert_has(p.steps[1].entry, "transpose_4");
    assert_int_equal(p.workspace_bytes, (256 + 512) * 12 * 4);
    c = case_of(KZ_GEMM_TF32X3, KZ_GEMM_TYPES_NT, 256, 512,
                10); // a flag, two parts each; the flag is looked at in the end
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 5);
    assert_has(p.steps[4].entry, "repair");
    assert_int_equal(p.workspace_bytes, 256 + 2 * (256 + 512) * 12 * 4);
}

static void tiles_fit_the_matrix(void **state) {
    static kz_plan p;
    kz_case c = case_of(KZ_GEMM_E4M3_FINE, KZ_GEMM_TYPES_NT, 4096, 4096, 4096);
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "large");
    assert_int_equal(p.steps[0].launch.cluster[0], 2);
    assert_int_equal(p.steps[0].launch.dynamic_shared_bytes, KZ_GEMM_SHARED_BYTES(128, 128, 6, 2, true));
    c.axes[N] = 4095;
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "large_direct");
    c.axes[M] = 64, c.axes[N] = 2112, c.axes[K] = 7168; // 33 tiles, four blocks each
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "split");
    assert_int_equal(p.steps[0].launch.grid[0], 132);
    c.axes[N] = 7168, c.axes[K] = 16384; // 56 tiles, two blocks each
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "pair");
    assert_int_equal(p.steps[0].launch.grid[0], 112);
    c.axes[N] = 2112, c.axes[K] = 512; // too short to share
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "narrow");
    c = case_of(KZ_GEMM_INT8, KZ_GEMM_TYPES_NT, 64, 2112, 7168); // sums of integers are not shared
    assert_int_equal(plan("04_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "narrow");
}

static void rungs_refuse_what_they_do_not_do(void **state) {
    static kz_plan p;
    kz_case c = case_of(KZ_GEMM_E4M3, KZ_GEMM_TYPES_NN, 256, 256, 256);
    assert_int_equal(plan("02_cluster", &c, &p), KZ_UNSUPPORTED);
    c = case_of(KZ_GEMM_E4M3, KZ_GEMM_TYPES_NT, 256, 256, 264);
    assert_int_equal(plan("02_cluster", &c, &p), KZ_UNSUPPORTED);
    c.axes[K] = 256;
    assert_int_equal(plan("02_cluster", &c, &p), KZ_OK);
    c.type = KZ_F32;
    assert_int_equal(plan("02_cluster", &c, &p), KZ_UNSUPPORTED);
    c = case_of(KZ_GEMM_TF32X3, KZ_GEMM_TYPES_NT, 256, 256, 256);
    assert_int_equal(plan("02_cluster", &c, &p), KZ_UNSUPPORTED);
    c = case_of(KZ_GEMM_E4M3_FINE, KZ_GEMM_TYPES_NT, 256, 256, 256);
    assert_int_equal(plan("03_ping_pong", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("02_cluster", &c, &p), KZ_OK);
}

// 04's tiles in kernels of its own; what needs a copy, or is not promoted, is refused.
static void two_sets_take_the_same_tiles(void **state) {
    static kz_plan p;
    kz_case c = case_of(KZ_GEMM_E4M3_FINE, KZ_GEMM_TYPES_NT, 4096, 4096, 4096);
    assert_int_equal(plan("06_two_sets", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "two_sets_large_e4m3_fine");
    assert_int_equal(p.step_count, 1);
    c.axes[M] = 64, c.axes[N] = 2112, c.axes[K] = 7168;
    assert_int_equal(plan("06_two_sets", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "two_sets_split");
    c.axes[N] = 7168, c.axes[K] = 16384;
    assert_int_equal(plan("06_two_sets", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "two_sets_pair");
    c.axes[N] = 2112, c.axes[K] = 512;
    assert_int_equal(plan("06_two_sets", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "two_sets_narrow");
    c.axes[N] = 2111;
    assert_int_equal(plan("06_two_sets", &c, &p), KZ_UNSUPPORTED);
    c.axes[N] = 2112, c.axes[K] = 511;
    assert_int_equal(plan("06_two_sets", &c, &p), KZ_UNSUPPORTED);
    c = case_of(KZ_GEMM_E4M3, KZ_GEMM_TYPES_NT, 256, 256, 256);
    assert_int_equal(plan("06_two_sets", &c, &p), KZ_UNSUPPORTED);
    c = case_of(KZ_GEMM_E4M3_PROMOTED, KZ_GEMM_TYPES_TN, 256, 256, 256);
    assert_int_equal(plan("06_two_sets", &c, &p), KZ_UNSUPPORTED);
}

// b is transposed into the workspace first.
static void the_operation_multiplies(void **state) {
    static const int8_t a[2 * 3] = {1, 2, 3, 4, 5, -6}, b[3 * 2] = {1, 0, 0, 1, 10, 100};
    static const int32_t product[] = {31, 302, -56, -595};
    int32_t c[4] = {0};
    kz_device *device;
    kz_operation *operation;
    kz_ptr memory;
    kz_error error = {0};
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    assert_int_equal(
        kz_gemm_types_open(device, KZ_GEMM_INT8, KZ_GEMM_TYPES_NN, 2, 2, 3, NULL, &operation, &error), KZ_OK);
    assert_string_equal(kz_operation_variant(operation), "04_any_shape");
    uint64_t bytes = kz_operation_workspace(operation);
    assert_true(bytes > 0);
    assert_int_equal(kz_memory_alloc(device, 768 + bytes, &memory, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, memory, a, sizeof a, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, memory + 256, b, sizeof b, &error), KZ_OK);
    assert_int_equal(kz_gemm_types_run(operation, NULL, memory, memory + 256, memory + 512, 0, 0,
                                       memory + 768, bytes, &error),
                     KZ_OK);
    assert_int_equal(kz_copy_to_host(device, NULL, c, memory + 512, sizeof c, &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_memory_equal(c, product, sizeof c);
    kz_operation_close(operation);
    kz_memory_free(device, memory, NULL);
    kz_device_close(device);
}

static void formats_that_are_none_are_refused(void **state) {
    kz_device *device;
    kz_operation *operation;
    kz_error error = {0};
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    assert_int_equal(
        kz_gemm_types_open(device, (kz_gemm_format)99, KZ_GEMM_TYPES_NT, 1, 1, 1, NULL, &operation, &error),
        KZ_INVALID);
    assert_has(error.message, "no format 99");
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_two_by_three),
        cmocka_unit_test(blocks_have_their_own_scales),
        cmocka_unit_test(tf32_passes_and_bf16_fails),
        cmocka_unit_test(three_products_pass_and_one_fails),
        cmocka_unit_test(fp8_passes_and_coarser_sums_fail),
        cmocka_unit_test(promoted_sums_pass_and_others_fail),
        cmocka_unit_test(operands_are_repacked_where_they_must),
        cmocka_unit_test(tiles_fit_the_matrix),
        cmocka_unit_test(rungs_refuse_what_they_do_not_do),
        cmocka_unit_test(two_sets_take_the_same_tiles),
        cmocka_unit_test(the_operation_multiplies),
        cmocka_unit_test(formats_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
