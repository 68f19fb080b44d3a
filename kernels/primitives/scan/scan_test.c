// scan: the reference against results done by hand, its bounds against what must fail, the plans' limits, and
// the public operation on the cpu.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kz/family.h"
#include "scan.h"

enum { N = 65536, EXCLUSIVE = KZ_SCAN_FUNCTIONS };

static double expected[2 * N], bound[2 * N];

// Fills `expected` and `bound`. `values` are 2 n numbers for affine maps.
static void reference(uint32_t operation, kz_type type, const double *values, const uint8_t *heads,
                      int64_t n) {
    int64_t numbers = operation % KZ_SCAN_FUNCTIONS == KZ_SCAN_AFFINE ? 2 * n : n;
    void *in = malloc((size_t)numbers * 8 + 8);
    for (int64_t i = 0; i < numbers; i++) kz_element_set(type, in, (uint64_t)i, values[i]);
    kz_case c = {.operation = operation, .type = type, .axes = {n}};
    void *host[] = {in, NULL, (void *)heads};
    assert_int_equal(kz_family_find("scan")->reference(&c, host, 1, expected, bound, NULL), KZ_OK);
    free(in);
}

static void assert_results(const double *results, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_true(results[i] == expected[i] || (isnan(results[i]) && isnan(expected[i])));
}
#define EXPECT(...) assert_results((double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static void sums(void **state) {
    double values[] = {1, 2, 3.5, -4};
    reference(KZ_SCAN_SUM, KZ_F32, values, NULL, 4);
    EXPECT(1, 3, 6.5, 2.5);
    assert_true(bound[0] == 0.0 && bound[3] > 0.0 && bound[3] < 1e-5);
    reference(EXCLUSIVE + KZ_SCAN_SUM, KZ_F32, values, NULL, 4);
    EXPECT(0, 1, 3, 6.5);
    assert_true(bound[0] == 0.0 && bound[1] == 0.0 && bound[3] > 0.0);
    // In double 1e16 + 1 is 1e16: the reference must know better.
    reference(KZ_SCAN_SUM, KZ_F64, (double[]){1e16, 1, 1, -1e16}, NULL, 4);
    assert_true(expected[3] == 2.0);
    reference(KZ_SCAN_SUM, KZ_F16, (double[]){65504, 65504, -65504}, NULL, 3);
    EXPECT(65504, INFINITY, 65504); // float holds what f16 does not
    reference(KZ_SCAN_SUM, KZ_F32, (double[]){1, INFINITY, 1, -INFINITY, 1}, NULL, 5);
    EXPECT(1, INFINITY, INFINITY, NAN, NAN);
    reference(KZ_SCAN_SUM, KZ_I32, (double[]){INT32_MAX, 1, 1}, NULL, 3);
    EXPECT(INT32_MAX, INT32_MIN, INT32_MIN + 1.0);
    assert_true(bound[2] == 0.0);
}

static void extremes(void **state) {
    double values[] = {3, -7, 5};
    reference(KZ_SCAN_MIN, KZ_I32, values, NULL, 3);
    EXPECT(3, -7, -7);
    reference(EXCLUSIVE + KZ_SCAN_MIN, KZ_I32, values, NULL, 3);
    EXPECT(INT32_MAX, 3, -7);
    reference(EXCLUSIVE + KZ_SCAN_MAX, KZ_BF16, values, NULL, 3);
    EXPECT(-INFINITY, 3, 3);
    reference(KZ_SCAN_MAX, KZ_F32, (double[]){1, NAN, 2}, NULL, 3);
    EXPECT(1, NAN, NAN);
}

// x -> 2 x + 1, then x -> 3 x + 5: 6 x + 8. The other way round it would be 6 x + 11.
static void maps_keep_their_order(void **state) {
    double maps[] = {2, 1, 3, 5};
    reference(KZ_SCAN_AFFINE, KZ_I32, maps, NULL, 2);
    EXPECT(2, 1, 6, 8);
    reference(KZ_SCAN_AFFINE, KZ_F32, maps, NULL, 2);
    EXPECT(2, 1, 6, 8);
    assert_true(bound[3] > 0.0 && bound[3] < 3.0); // the wrong order fails
    reference(EXCLUSIVE + KZ_SCAN_AFFINE, KZ_I32, maps, NULL, 2);
    EXPECT(1, 0, 2, 1);
}

static void segments(void **state) {
    double values[] = {1, 2, 3, 4, 5};
    const uint8_t heads[] = {0, 0, 1, 0, 7}; // the first begins at the beginning, with a head or without
    reference(KZ_SCAN_SEGMENTED_SUM, KZ_I32, values, heads, 5);
    EXPECT(1, 3, 3, 7, 5);
    reference(EXCLUSIVE + KZ_SCAN_SEGMENTED_SUM, KZ_F32, values, heads, 5);
    EXPECT(0, 1, 0, 3, 0);
    assert_true(bound[2] == 0.0 && bound[4] == 0.0);
}

static void a_float_accumulator_passes_and_a_half_one_fails(void **state) {
    double *values = malloc(N * sizeof *values);
    uint32_t x = 12345;
    for (int i = 0; i < N; i++) {
        x = x * 1664525u + 1013904223u;
        values[i] = kz_saturate(KZ_F32, (double)(float)((double)(int32_t)x / 2147483648.0));
    }
    reference(KZ_SCAN_SUM, KZ_F32, values, NULL, N);
    float serial = 0.0f;
    uint16_t narrow = 0;
    int zeros_wrong = 0, half_wrong = 0;
    for (int i = 0; i < N; i++) {
        serial += (float)values[i];
        assert_true(fabs(serial - expected[i]) <= bound[i]);
        kz_element_set(KZ_F16, &narrow, 0, kz_element_get(KZ_F16, &narrow, 0) + values[i]);
        half_wrong += fabs(kz_element_get(KZ_F16, &narrow, 0) - expected[i]) > bound[i];
        zeros_wrong += fabs(expected[i]) > bound[i];
    }
    assert_true(half_wrong > N / 2 && zeros_wrong > N / 2);
    free(values);
}

static kz_status plan(const char *variant, const kz_case *c, kz_plan *plan, kz_error *error) {
    const kz_device_info h200 = {.sm = 90, .multiprocessors = 132, .shared_per_block_optin = 232448};
    *plan = (kz_plan){0};
    return kz_variant_find(kz_family_find("scan"), variant)->plan(c, &h200, plan, error);
}

static void plans(void **state) {
    kz_plan made;
    kz_error error = {0};
    kz_case c = {.operation = KZ_SCAN_SUM, .type = KZ_F32, .axes = {(int64_t)1 << 29}};
    assert_int_equal(plan("08_look_ahead", &c, &made, &error), KZ_OK);
    assert_true(made.step_count == 1 && made.workspace_bytes == 0 && made.steps[0].launch.grid[0] == 132);
    c.axes[0] = 1 << 14; // two tiles: no block without one
    assert_int_equal(plan("08_look_ahead", &c, &made, &error), KZ_OK);
    assert_int_equal(made.steps[0].launch.grid[0], 2);
    c.axes[0] = (int64_t)1 << 34; // more than the module has mail for
    assert_int_equal(plan("08_look_ahead", &c, &made, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "06_look_back"));
    assert_int_equal(plan("07_mail", &c, &made, &error), KZ_UNSUPPORTED);
    assert_int_equal(plan("06_look_back", &c, &made, &error), KZ_OK);
    c = (kz_case){.operation = KZ_SCAN_AFFINE, .type = KZ_F16, .axes = {10}};
    assert_int_equal(plan("01_hillis_steele", &c, &made, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "affine of f16"));
}

// On the cpu an address is a host address.
static kz_ptr at(const void *memory) { return (kz_ptr)(uintptr_t)memory; }

static void the_operation(void **state) {
    kz_device *device;
    kz_operation *scan;
    kz_error error = {0};
    int32_t in[4] = {3, -8, 5, 1}, out[4] = {99, 99, 99, 99};
    const uint8_t heads[4] = {1, 0, 1, 0};
    double workspace[64];
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(kz_scan_open(device, KZ_SCAN_SUM, KZ_SCAN_EXCLUSIVE, KZ_I32, 4, NULL, &scan, &error),
                     KZ_OK);
    assert_true(kz_operation_workspace(scan) <= sizeof workspace);
    assert_int_equal(kz_scan_run(scan, NULL, at(in), at(out), 0, at(workspace), sizeof workspace, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_memory_equal(out, ((int32_t[]){0, 3, -5, 0}), sizeof out);
    kz_operation_close(scan);

    assert_int_equal(
        kz_scan_open(device, KZ_SCAN_SEGMENTED_SUM, KZ_SCAN_INCLUSIVE, KZ_I32, 4, NULL, &scan, &error),
        KZ_OK);
    assert_int_equal(kz_scan_run(scan, NULL, at(in), at(out), 0, at(workspace), sizeof workspace, &error),
                     KZ_INVALID); // no heads
    assert_int_equal(
        kz_scan_run(scan, NULL, at(in), at(out), at(heads), at(workspace), sizeof workspace, &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_memory_equal(out, ((int32_t[]){3, -5, 5, 6}), sizeof out);
    kz_operation_close(scan);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(extremes),
        cmocka_unit_test(maps_keep_their_order),
        cmocka_unit_test(segments),
        cmocka_unit_test(a_float_accumulator_passes_and_a_half_one_fails),
        cmocka_unit_test(plans),
        cmocka_unit_test(the_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
