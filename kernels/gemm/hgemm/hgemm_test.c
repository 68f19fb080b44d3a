// hgemm: the reference in every order, its bound against what must pass and what must fail, and the plans: when operands are
// copied, who stores c, which tiles are taken.
#include <math.h>
#include <stdlib.h>

#include "private.h"
#include "tune.h"
#include "unit.h"

static void orders_of_two_by_three(void **state) {
    // a = 1 2 3 / 4 5 6, b = 1 0 / 0 1 / 10 100, as they lie in each order.
    static const double a[2][6] = {{1, 2, 3, 4, 5, 6}, {1, 4, 2, 5, 3, 6}};
    static const double b[2][6] = {{1, 0, 0, 1, 10, 100}, {1, 0, 10, 0, 1, 100}};
    const double product[] = {31, 302, 64, 605};
    for (uint32_t order = KZ_HGEMM_NN; order <= KZ_HGEMM_TT_F32; order++) {
        uint16_t left[6], right[6];
        double expected[4], bound[4];
        kz_case c = {.operation = order, .type = KZ_F16, .axes = {2, 2, 3}};
        for (uint64_t i = 0; i < 6; i++) {
            kz_element_set(KZ_F16, left, i, a[hgemm_a_mn(&c)][i]);
            kz_element_set(KZ_F16, right, i, b[!hgemm_b_mn(&c)][i]);
        }
        assert_int_equal(hgemm_reference(&c, (void *[]){left, right, NULL}, C, expected, bound, NULL), KZ_OK);
        for (int i = 0; i < 4; i++) {
            assert_true(expected[i] == product[i]);
            assert_true(bound[i] > 0 && bound[i] < 1e-2 * product[i]);
        }
    }
}

// Sums in f32, cut off at each step, pass; sums in f16 and zeros fail.
static void single_precision_passes_and_half_fails(void **state) {
    enum { SIDE = 4, DEPTH = 2048 };
    static uint16_t a[SIDE * DEPTH], b[SIDE * DEPTH];
    double expected[SIDE * SIDE], bound[SIDE * SIDE];
    uint32_t seed = 1;
    for (uint64_t i = 0; i < SIDE * DEPTH; i++) {
        seed = seed * 1664525u + 1013904223u;
        kz_element_set(KZ_F16, a, i, (double)(int32_t)seed / 2147483648.0);
        seed = seed * 1664525u + 1013904223u;
        kz_element_set(KZ_F16, b, i, (double)(int32_t)seed / 2147483648.0);
    }
    kz_case c = {.operation = KZ_HGEMM_NT_F32, .type = KZ_F16, .axes = {SIDE, SIDE, DEPTH}};
    assert_int_equal(hgemm_reference(&c, (void *[]){a, b, NULL}, C, expected, bound, NULL), KZ_OK);
    int half_wrong = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float single = 0.0f;
            uint16_t half = 0;
            for (int x = 0; x < DEPTH; x++) {
                double p = kz_element_get(KZ_F16, a, (uint64_t)(i * DEPTH + x)) *
                           kz_element_get(KZ_F16, b, (uint64_t)(j * DEPTH + x));
                single += (float)p;
                kz_element_set(KZ_F16, &half, 0, kz_element_get(KZ_F16, &half, 0) + p);
            }
            double e = expected[i * SIDE + j], most = bound[i * SIDE + j];
            assert_true(fabs(single - e) <= most);
            assert_true(fabs(e) > most); // zeros fail
            half_wrong += fabs(kz_element_get(KZ_F16, &half, 0) - e) > most;
        }
    assert_true(half_wrong >= SIDE * SIDE / 2);
}

// ---- plans -------------------------------------------------------------------------------------------------

static kz_status plan(const char *name, const kz_case *c, kz_plan *plan) {
    kz_device *device;
    kz_error error = {0};
    *plan = (kz_plan){0};
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    const kz_variant *variant = kz_variant_find(&kz_family_hgemm, name);
    assert_non_null(variant);
    kz_status status =
        kz_variant_plan(&kz_family_hgemm, variant, c, kz_device_get_info(device), plan, &error);
    kz_device_close(device);
    return status;
}

static void odd_rows_are_padded(void **state) {
    static kz_plan p;
    kz_case c = {.operation = KZ_HGEMM_NT, .type = KZ_BF16, .axes = {256, 256, 264}};
    assert_int_equal(plan("13_any_shape", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 1); // nothing to copy
    assert_int_equal(p.workspace_bytes, 0);
    c.axes[K] = 263; // rows of a and of b
    assert_int_equal(plan("13_any_shape", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 3);
    assert_int_equal(p.workspace_bytes, 2 * 256 * 264 * 2);
    c.operation = KZ_HGEMM_NN, c.axes[K] = 264, c.axes[N] = 255; // rows of b alone, and of c
    assert_int_equal(plan("13_any_shape", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 2);
    assert_has(p.steps[1].entry, "direct");
    c.misalign = 1;
    assert_int_equal(plan("13_any_shape", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("04_async_copy", &c, &p), KZ_OK);
}

static void tiles_fit_the_matrix(void **state) {
    static kz_plan p;
    kz_case c = {.operation = KZ_HGEMM_NT, .type = KZ_BF16, .axes = {4096, 4096, 4096}};
    assert_int_equal(plan("13_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "large");
    assert_int_equal(p.steps[0].launch.grid[0], 132);
    assert_int_equal(p.steps[0].launch.cluster[0], 2);
    c.axes[M] = c.axes[N] = 8192; // 16 rounds of 128 x 256, 21 of 128 x 192
    assert_int_equal(plan("13_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "wide");
    c.axes[M] = c.axes[N] = 1024; // 32 tiles of 128 x 256, 128 of 64 x 128
    assert_int_equal(plan("13_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "narrow");
    assert_int_equal(p.steps[0].launch.grid[0], 128);
    c.axes[M] = 5, c.axes[N] = 8192; // a's rows are the tile's columns
    assert_int_equal(plan("13_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "rows_16");
    assert_int_equal(p.steps[0].launch.grid[0], 128);
    assert_int_equal(p.steps[0].args[3].scalar, 8192);
    c.axes[M] = 100, c.axes[N] = 200, c.axes[K] = 10000; // 8 tiles, four blocks each
    assert_int_equal(plan("13_any_shape", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "split");
    assert_int_equal(p.steps[0].launch.grid[0], 32);
    assert_int_equal(p.steps[0].launch.cluster[0], 4);
}

static void shares_of_tiles(void **state) {
    static kz_plan p;
    kz_case c = {.operation = KZ_HGEMM_NT, .type = KZ_BF16, .axes = {4096, 4096, 4096}};
    assert_int_equal(plan("12_stream_k", &c, &p), KZ_OK); // 256 tiles of a cluster, 66 clusters: 58 over
    assert_int_equal(p.steps[0].args[7].scalar, 66 + 58);
    assert_int_equal(p.workspace_bytes, 132 * 128 * 256 * 4);
    c.axes[M] = 66 * 256, c.axes[N] = 256; // a round, full
    assert_int_equal(plan("12_stream_k", &c, &p), KZ_OK);
    assert_int_equal(p.steps[0].args[7].scalar, 0);
    assert_int_equal(p.workspace_bytes, 0);
    c.axes[M] = 256; // one tile, by all
    assert_int_equal(plan("12_stream_k", &c, &p), KZ_OK);
    assert_int_equal(p.steps[0].args[7].scalar, 0); // 64 chunks are too few for 66
    c.axes[K] = 64 * 66 * 4;
    assert_int_equal(plan("12_stream_k", &c, &p), KZ_OK);
    assert_int_equal(p.steps[0].args[7].scalar, 1);
    assert_int_equal(p.steps[0].launch.grid[0], 132);
}

static void tiles_of_two_widths(void **state) {
    static kz_plan p;
    enum { NARROW_B = 7, WIDE, NARROW };
    kz_case c = {.operation = KZ_HGEMM_NT, .type = KZ_BF16, .axes = {4096, 4096, 4096}};
    assert_int_equal(plan("15_two_widths", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "two_widths_wide_nt");
    assert_int_equal(p.steps[0].launch.grid[0], 132);
    assert_int_equal(p.steps[0].args[WIDE].scalar, 16);
    assert_int_equal(p.steps[0].args[NARROW].scalar, 8);
    assert_int_equal(p.maps[p.steps[0].args[NARROW_B].buffer].tensor.box[1], HGEMM_NARROW_N);
    c.axes[M] = c.axes[N] = 8192; // nine rounds of 208 and one of 128
    assert_int_equal(plan("15_two_widths", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "two_widths_widest_nt");
    assert_int_equal(p.steps[0].args[WIDE].scalar * HGEMM_WIDEST_N + p.steps[0].args[NARROW].scalar * 128,
                     8208);
    c.operation = KZ_HGEMM_NN;
    assert_int_equal(plan("15_two_widths", &c, &p), KZ_OK);
    assert_has(p.steps[0].entry, "two_widths_wide_nn");
    c.axes[M] = 100, c.axes[N] = 200; // two blocks
    assert_int_equal(plan("15_two_widths", &c, &p), KZ_OK);
    assert_int_equal(p.steps[0].launch.grid[0], 2);
    c.operation = KZ_HGEMM_TN;
    assert_int_equal(plan("15_two_widths", &c, &p), KZ_UNSUPPORTED);
}

static void rungs_refuse_what_they_do_not_do(void **state) {
    static kz_plan p;
    kz_case c = {.operation = KZ_HGEMM_TN, .type = KZ_BF16, .axes = {256, 256, 256}};
    assert_int_equal(plan("10_tensor_store", &c, &p), KZ_UNSUPPORTED);
    c.operation = KZ_HGEMM_NT, c.axes[K] = 255;
    assert_int_equal(plan("10_tensor_store", &c, &p), KZ_UNSUPPORTED);
    c.axes[K] = 256, c.axes[N] = 255; // b's rows are whole, c's are not
    assert_int_equal(plan("10_tensor_store", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("09_cluster", &c, &p), KZ_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_two_by_three),
        cmocka_unit_test(single_precision_passes_and_half_fails),
        cmocka_unit_test(odd_rows_are_padded),
        cmocka_unit_test(tiles_fit_the_matrix),
        cmocka_unit_test(tiles_of_two_widths),
        cmocka_unit_test(shares_of_tiles),
        cmocka_unit_test(rungs_refuse_what_they_do_not_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
