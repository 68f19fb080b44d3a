// gemv: the formats bit by bit, packing and what it refuses, the reference's bound against what must pass and what must fail, and
// the plans' choice of blocks.
#include <math.h>
#include <stdlib.h>

#include "kz/family.h"
#include "private.h"
#include "unit.h"

enum { GROUP = KZ_GEMV_GROUP };

static const kz_gemv_format packed_formats[] = {KZ_GEMV_INT8, KZ_GEMV_FP8, KZ_GEMV_INT4, KZ_GEMV_INT3};

// Row 0 of a W of one group with scale 1.
static void read_group(kz_gemv_format format, const void *w, double *to) {
    uint16_t scale[2];
    kz_element_set(KZ_F16, scale, 0, 1.0);
    const gemv_matrix matrix = {format, KZ_F16, GROUP, w, scale};
    gemv_read_row(&matrix, 0, to);
}

static void codes_are_where_the_header_says(void **state) {
    uint8_t w[GROUP] = {0};
    double row[GROUP];
    w[1] = 0x9c; // elements 2 and 3: 12 - 8 and 9 - 8
    read_group(KZ_GEMV_INT4, w, row);
    assert_true(row[0] == -8 && row[2] == 4 && row[3] == 1);
    w[1] = 0xff;
    read_group(KZ_GEMV_INT8, w, row);
    assert_true(row[0] == 0 && row[1] == -1);
    uint32_t words[12] = {0};
    words[1] = 5u << 3 | 3u << 19; // pair 6: elements 12 and 13
    words[0] = 1u << 15,
    words[2] = 3u << 30 >> 15; // element 30: bits 0 and 2; bit 0 of word 2's high half is pair 10's
    read_group(KZ_GEMV_INT3, words, row);
    assert_true(row[12] == 1 && row[13] == -1 && row[14] == -4);
    assert_true(row[30] == 1 && row[31] == -4 && row[21] == -3);
}

static void packed_rows_are_near_what_was_packed(void **state) {
    enum { ROWS = 3, DEPTH = 2 * GROUP };
    static const double steps[] = {127, 14 /* 4 digits, at worst */, 7, 3};
    float from[ROWS * DEPTH];
    for (int i = 0; i < ROWS * DEPTH; i++) from[i] = (float)sin(i) * (i < GROUP ? 1.0f : 100.0f);
    for (int f = 0; f < 4; f++) {
        uint8_t w[ROWS * DEPTH];
        uint16_t scale[ROWS * 2];
        assert_int_equal(kz_gemv_pack(packed_formats[f], KZ_F16, ROWS, DEPTH, from, w, scale, NULL), KZ_OK);
        const gemv_matrix matrix = {packed_formats[f], KZ_F16, DEPTH, w, scale};
        for (int r = 0; r < ROWS; r++) {
            double row[DEPTH];
            gemv_read_row(&matrix, (uint64_t)r, row);
            for (int i = 0; i < DEPTH; i++) {
                double most = r == 0 && i < GROUP ? 1.0 : 100.0, off = row[i] - from[r * DEPTH + i];
                if (fabs(off) > 0.51 * most / steps[f])
                    fail_msg("format %d, row %d: element %d is off by %g", f, r, i, off);
            }
        }
    }
}

static void bytes_of_each_format(void **state) {
    assert_int_equal(kz_gemv_bytes(KZ_GEMV_DENSE, 3, 5), 30);
    assert_int_equal(kz_gemv_bytes(KZ_GEMV_FP8, 3, 256), 768);
    assert_int_equal(kz_gemv_bytes(KZ_GEMV_INT4, 3, 256), 384);
    assert_int_equal(kz_gemv_bytes(KZ_GEMV_INT3, 3, 256), 288);
    assert_int_equal(kz_gemv_bytes((kz_gemv_format)9, 3, 256), 0);
}

static void packing_refuses_what_it_cannot(void **state) {
    float from[GROUP] = {1};
    uint8_t w[2 * GROUP];
    uint16_t scale[1];
    kz_error error = {0};
    assert_int_equal(kz_gemv_pack(KZ_GEMV_INT4, KZ_F16, 1, 100, from, w, scale, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "k is 100"));
    assert_int_equal(kz_gemv_pack(KZ_GEMV_INT4, KZ_F32, 1, GROUP, from, w, scale, &error), KZ_INVALID);
    assert_int_equal(kz_gemv_pack((kz_gemv_format)9, KZ_F16, 1, GROUP, from, w, scale, &error), KZ_INVALID);
    assert_int_equal(kz_gemv_pack(KZ_GEMV_INT4, KZ_F16, 1, GROUP, from, w, NULL, &error), KZ_INVALID);
    from[7] = INFINITY;
    assert_int_equal(kz_gemv_pack(KZ_GEMV_INT4, KZ_F16, 1, GROUP, from, w, scale, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "not finite"));
    from[7] = 1e8f; // whose scale no f16 is
    assert_int_equal(kz_gemv_pack(KZ_GEMV_INT4, KZ_F16, 1, GROUP, from, w, scale, &error), KZ_INVALID);
    assert_int_equal(kz_gemv_pack(KZ_GEMV_INT4, KZ_BF16, 1, GROUP, from, w, scale, &error), KZ_OK);
}

// ---- the reference --------------------------------------------------------------------------------------

static void a_product_one_can_see(void **state) {
    const double w[] = {1, 2, 3, /**/ 4, 5, 6}, x[] = {1, 0, 10, /**/ 0, 1, 100},
                 y[] = {31, 64, /**/ 302, 605};
    uint16_t w_bits[6], x_bits[6];
    double expected[4], bound[4];
    for (int i = 0; i < 6; i++) {
        kz_element_set(KZ_F16, w_bits, (uint64_t)i, w[i]);
        kz_element_set(KZ_F16, x_bits, (uint64_t)i, x[i]);
    }
    const kz_case c = {.operation = KZ_GEMV_DENSE, .type = KZ_F16, .axes = {2, 2, 3}};
    assert_int_equal(gemv_reference(&c, (void *[]){w_bits, NULL, x_bits, NULL}, Y, expected, bound, NULL),
                     KZ_OK);
    for (int i = 0; i < 4; i++) {
        assert_true(expected[i] == y[i]);
        assert_true(bound[i] > 0 && bound[i] < 1e-2 * fabs(y[i]));
    }
}

static void single_precision_passes_and_half_fails(void **state) {
    enum { DEPTH = 4096, ROWS = 32 };
    static uint16_t w[ROWS * DEPTH], x[DEPTH];
    double expected[ROWS], bound[ROWS];
    uint32_t seed = 1;
    for (int i = 0; i < ROWS * DEPTH + DEPTH; i++) {
        seed = seed * 1664525u + 1013904223u;
        kz_element_set(KZ_F16, i < DEPTH ? x : w, (uint64_t)(i < DEPTH ? i : i - DEPTH),
                       (int32_t)seed * 0x1p-31);
    }
    const kz_case c = {.operation = KZ_GEMV_DENSE, .type = KZ_F16, .axes = {1, ROWS, DEPTH}};
    assert_int_equal(gemv_reference(&c, (void *[]){w, NULL, x, NULL}, Y, expected, bound, NULL), KZ_OK);
    int half_wrong = 0;
    for (int j = 0; j < ROWS; j++) {
        float sum = 0.0f;
        uint16_t half[2] = {0};
        for (int i = 0; i < DEPTH; i++) {
            double product =
                kz_element_get(KZ_F16, w, (uint64_t)(j * DEPTH + i)) * kz_element_get(KZ_F16, x, (uint64_t)i);
            sum += (float)product;
            kz_element_set(KZ_F16, half, 0, kz_element_get(KZ_F16, half, 0) + product);
        }
        kz_element_set(KZ_F16, half, 1, sum);
        assert_true(fabs(kz_element_get(KZ_F16, half, 1) - expected[j]) <= bound[j]);
        assert_true(fabs(expected[j]) > bound[j]); // zeros fail
        half_wrong += fabs(kz_element_get(KZ_F16, half, 0) - expected[j]) > bound[j];
    }
    assert_true(half_wrong > ROWS / 2);
}

// ---- plans ------------------------------------------------------------------------------------------

static kz_status plan_of(const char *variant, kz_gemv_format format, int64_t m, int64_t n, int64_t k,
                         kz_plan *plan, kz_error *error) {
    const kz_case c = {.operation = format, .type = KZ_BF16, .axes = {m, n, k}};
    const kz_device_info device = {
        .kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132, .shared_per_block_optin = 227 << 10};
    const kz_family *family = kz_family_find("gemv");
    *plan = (kz_plan){0};
    return kz_variant_plan(family, kz_variant_find(family, variant), &c, &device, plan, error);
}

static void few_rows_are_split(void **state) {
    kz_plan plan;
    kz_error error = {0};
    assert_int_equal(plan_of("07_split", KZ_GEMV_DENSE, 1, 512, 8192, &plan, &error), KZ_OK);
    assert_true(plan.steps[0].launch.cluster[0] >= 2);
    assert_int_equal(plan.steps[0].launch.grid[0] % plan.steps[0].launch.cluster[0], 0);
    assert_int_equal(plan_of("07_split", KZ_GEMV_DENSE, 1, 8192, 8192, &plan, &error), KZ_OK);
    assert_int_equal(plan.steps[0].launch.cluster[0], 0);
    assert_int_equal(plan_of("06_bulk_ring", KZ_GEMV_DENSE, 1, 512, 8192, &plan, &error), KZ_OK);
    assert_int_equal(plan.steps[0].launch.cluster[0], 0);
}

static void rings_fit_and_blocks_share_a_multiprocessor(void **state) {
    kz_plan plan;
    kz_error error = {0};
    for (int f = KZ_GEMV_DENSE; f <= KZ_GEMV_INT3; f++)
        for (int64_t m = 1; m <= 16; m++) {
            assert_int_equal(plan_of("06_bulk_ring", (kz_gemv_format)f, m, 1 << 16, 8192, &plan, &error),
                             KZ_OK);
            const kz_launch *launch = &plan.steps[0].launch;
            uint32_t blocks = launch->grid[0] / 132;
            if (launch->dynamic_shared_bytes * blocks > 226 << 10)
                fail_msg("format %d, m = %d: %u blocks of %u bytes", f, (int)m, blocks,
                         launch->dynamic_shared_bytes);
        }
    assert_int_equal(plan_of("06_bulk_ring", KZ_GEMV_INT8, 1, 64, 1 << 20, &plan, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "do not fit"));
}

static void one_token_goes_by_registers_where_rows_are_enough(void **state) {
    kz_plan plan;
    kz_error error = {0};
    assert_int_equal(plan_of("08_dependent_launch", KZ_GEMV_DENSE, 1, 8192, 8192, &plan, &error), KZ_OK);
    assert_string_equal(plan.steps[0].entry, "gemv_dependent_launch_short_dense_bf16");
    assert_true(plan.steps[0].launch.overlap);
    assert_int_equal(plan.steps[0].launch.block[0], 512);
    assert_int_equal(plan_of("08_dependent_launch", KZ_GEMV_DENSE, 1, 4096, 14336, &plan, &error), KZ_OK);
    assert_string_equal(plan.steps[0].entry, "gemv_dependent_launch_long_dense_bf16");
    assert_int_equal(plan_of("08_dependent_launch", KZ_GEMV_DENSE, 1, 64, 8192, &plan, &error), KZ_OK);
    assert_string_equal(plan.steps[0].entry, "gemv_dependent_launch_few_dense_bf16");
    assert_int_equal(plan_of("08_dependent_launch", KZ_GEMV_DENSE, 2, 4095, 4095, &plan, &error), KZ_OK);
    assert_int_equal(plan.steps[0].launch.grid[0], 256); // a warp per row, not a block per unit
    assert_int_equal(plan_of("08_dependent_launch", KZ_GEMV_DENSE, 2, 8192, 8192, &plan, &error), KZ_OK);
    assert_string_equal(plan.steps[0].entry, "gemv_dependent_launch_few_dense_bf16");
    assert_int_equal(plan_of("08_dependent_launch", KZ_GEMV_INT4, 9, 8192, 8192, &plan, &error), KZ_OK);
    assert_string_equal(plan.steps[0].entry, "gemv_dependent_launch_many_int4_bf16");
}

static void what_no_kernel_does_is_refused_in_words(void **state) {
    kz_plan plan;
    kz_error error = {0};
    assert_int_equal(plan_of("02_warp", KZ_GEMV_DENSE, 17, 8, 8, &plan, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "1 to 16 rows of x, not 17"));
    assert_int_equal(plan_of("02_warp", KZ_GEMV_INT4, 1, 8, 100, &plan, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "multiple of 128"));
    assert_int_equal(plan_of("03_vector", KZ_GEMV_INT4, 1, 8, 128, &plan, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "05_tensor"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_where_the_header_says),
        cmocka_unit_test(packed_rows_are_near_what_was_packed),
        cmocka_unit_test(bytes_of_each_format),
        cmocka_unit_test(packing_refuses_what_it_cannot),
        cmocka_unit_test(a_product_one_can_see),
        cmocka_unit_test(single_precision_passes_and_half_fails),
        cmocka_unit_test(few_rows_are_split),
        cmocka_unit_test(rings_fit_and_blocks_share_a_multiprocessor),
        cmocka_unit_test(one_token_goes_by_registers_where_rows_are_enough),
        cmocka_unit_test(what_no_kernel_does_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
