// scan: the reference against results done by hand, its bounds against what must fail, the plans' limits, and
// the public operation on the cpu.
#include <math.h>
#include <stdlib.h>

#include "kz/family.h"
#include "scan.h"
#include "unit.h"

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
    reference(KZ_SCAN_SUM, KZ_U32, (double[]){UINT32_MAX, 2, 5}, NULL, 3);
    EXPECT(UINT32_MAX, 1, 6);
    // A double would lose the 1; an i64 does not.
    reference(KZ_SCAN_SUM, KZ_I64, (double[]){0x1p60, 1, -0x1p60}, NULL, 3);
    EXPECT(0x1p60, 0x1p60, 1);
    reference(KZ_SCAN_SUM, KZ_I64, (double[]){0x1p62, 0x1p62}, NULL, 2);
    EXPECT(0x1p62, -0x1p63);
    assert_true(bound[1] == 0.0);
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
    reference(EXCLUSIVE + KZ_SCAN_MIN, KZ_U32, (double[]){3000000000, 1}, NULL, 2);
    EXPECT(UINT32_MAX, 3000000000);
    reference(EXCLUSIVE + KZ_SCAN_MAX, KZ_U32, (double[]){3000000000, 1}, NULL, 2);
    EXPECT(0, 3000000000);
    reference(KZ_SCAN_MAX, KZ_I64, (double[]){-0x1p40, 0x1p40, 0}, NULL, 3);
    EXPECT(-0x1p40, 0x1p40, 0x1p40);
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
    reference(KZ_SCAN_SEGMENTED_MAX, KZ_F32, (double[]){2, NAN, -3, -4, 5}, heads, 5);
    EXPECT(2, NAN, -3, -3, 5); // a head ends a NaN's reign
    reference(EXCLUSIVE + KZ_SCAN_SEGMENTED_MIN, KZ_U32, values, heads, 5);
    EXPECT(UINT32_MAX, 1, UINT32_MAX, 3, UINT32_MAX);
    reference(KZ_SCAN_SEGMENTED_SUM, KZ_I64, (double[]){0x1p60, 1, 0x1p60, 1, 7}, heads, 5);
    EXPECT(0x1p60, 0x1p60, 0x1p60, 0x1p60, 7);
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
    const kz_device_info h200 = {
        .kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132, .shared_per_block_optin = 232448};
    *plan = (kz_plan){0};
    return kz_variant_plan(kz_family_find("scan"), kz_variant_find(kz_family_find("scan"), variant), c, &h200,
                           plan, error);
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
    c.axes[0] = (int64_t)1 << 34; // more tiles than the module has statuses for
    assert_int_equal(plan("08_look_ahead", &c, &made, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "06_look_back"));
    assert_int_equal(plan("07_epoch_flags", &c, &made, &error), KZ_UNSUPPORTED);
    assert_int_equal(plan("06_look_back", &c, &made, &error), KZ_OK);
    c = (kz_case){.operation = KZ_SCAN_AFFINE, .type = KZ_F16, .axes = {10}};
    assert_int_equal(plan("01_hillis_steele", &c, &made, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "affine of f16"));
    // The first rungs have a few types; the error says who has all.
    c = (kz_case){.operation = KZ_SCAN_MIN, .type = KZ_I64, .axes = {10}};
    assert_int_equal(plan("03_warp_shuffle", &c, &made, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "07_epoch_flags"));
    assert_int_equal(plan("07_epoch_flags", &c, &made, &error), KZ_OK);
    assert_string_equal(made.steps[0].entry, "scan_epoch_flags_min_i64");
    c = (kz_case){.operation = KZ_SCAN_SUM, .type = KZ_U32, .axes = {10}}; // bit by bit an i32's
    assert_int_equal(plan("01_hillis_steele", &c, &made, &error), KZ_OK);
    assert_string_equal(made.steps[0].entry, "scan_hillis_steele_sum_i32");
    c = (kz_case){.operation = KZ_SCAN_SEGMENTED_MAX, .type = KZ_F32, .axes = {(int64_t)1 << 33}};
    assert_int_equal(plan("08_look_ahead", &c, &made, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "split"));
}

static const char *chosen(kz_case c, int sm, bool deterministic) {
    const kz_device_info device = {.kind = KZ_DEVICE_SIM,
                                   .sm = sm,
                                   .gpu = "h200",
                                   .multiprocessors = 132,
                                   .shared_per_block_optin = 232448};
    return kz_choose(kz_family_find("scan"), &c, &device, deterministic, NULL)->name;
}

// What is rounded in a changing order is not for those who want the same bits, on old GPUs neither.
static void deterministic_choices(void **state) {
    kz_case c = {.operation = KZ_SCAN_SUM, .type = KZ_F32, .axes = {1 << 16}};
    assert_string_equal(chosen(c, 90, false), "07_epoch_flags");
    assert_string_equal(chosen(c, 90, true), "08_look_ahead");
    for (kz_scan_function f = KZ_SCAN_SUM; f < KZ_SCAN_FUNCTIONS; f++)
        for (kz_type type = 0; type < KZ_TYPE_COUNT; type++) {
            kz_plan made;
            kz_error error;
            c = (kz_case){.operation = f, .type = type, .axes = {1 << 16}};
            if (plan("07_epoch_flags", &c, &made, &error) != KZ_OK) continue;
            bool sums = f != KZ_SCAN_MIN && f != KZ_SCAN_MAX && f < KZ_SCAN_SEGMENTED_MIN;
            bool rounded = type == KZ_F32 || type == KZ_F64 || type == KZ_F16 || type == KZ_BF16;
            assert_string_equal(chosen(c, 80, true),
                                sums && rounded ? "05_reduce_then_scan" : "07_epoch_flags");
        }
}

// On the cpu an address is a host address.
static kz_ptr at(const void *memory) { return (kz_ptr)(uintptr_t)memory; }

// Every type and function of the interface, by the variants that the device chooses: 1, 1, 1, ... and a head at 2.
static void every_type(void **state) {
    const kz_type types[] = {KZ_F32, KZ_F64, KZ_F16, KZ_BF16, KZ_I32, KZ_U32, KZ_I64};
    const uint8_t heads[4] = {0, 0, 1, 0};
    const double sum[] = {1, 2, 3, 4}, ones[] = {1, 1, 1, 1}, segmented[] = {1, 2, 1, 2};
    const double *const results[] = {sum, ones, ones, NULL, segmented, ones, ones};
    kz_device *device;
    kz_error error = {0};
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    int opened = 0;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (kz_scan_function f = KZ_SCAN_SUM; f < KZ_SCAN_FUNCTIONS; f++) {
            kz_operation *scan;
            double in[4], out[4];
            _Alignas(KZ_WORKSPACE_ALIGNMENT) double workspace[64];
            for (uint64_t i = 0; i < 4; i++) kz_element_set(types[t], in, i, 1);
            if (f == KZ_SCAN_AFFINE) continue;
            if (kz_scan_open(device, f, KZ_SCAN_INCLUSIVE, types[t], 4, NULL, &scan, &error) != KZ_OK) {
                assert_true(f >= KZ_SCAN_SEGMENTED_SUM);
                continue;
            }
            opened++;
            assert_int_equal(kz_scan_run(scan, NULL, at(in), at(out),
                                         f < KZ_SCAN_SEGMENTED_SUM ? 0 : at(heads), at(workspace),
                                         sizeof workspace, &error),
                             KZ_OK);
            assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
            for (uint64_t i = 0; i < 4; i++) assert_true(kz_element_get(types[t], out, i) == results[f][i]);
            kz_operation_close(scan);
        }
    assert_int_equal(opened, 7 * 3 + 5 + 3 + 3);
    kz_device_close(device);
}

// Arrays that lie askew of each other: none of them has the others' place in its 16 bytes.
static void arrays_askew(void **state) {
    enum { COUNT = 9001, ROOM = COUNT + 16 };
    const char *const variants[] = {"05_reduce_then_scan", "06_look_back", "07_epoch_flags", "08_look_ahead"};
    const unsigned askew[][3] = {{0, 1, 3}, {3, 0, 1}, {1, 2, 0}}; // elements: in, out, heads
    kz_device *device;
    kz_error error = {0};
    kz_ptr in, out, heads, workspace;
    float *host = malloc(ROOM * sizeof *host);
    uint8_t *host_heads = malloc(ROOM);
    assert_int_equal(kz_device_open("sim", &device, &error), KZ_OK);
    kz_memory_alloc(device, ROOM * sizeof *host, &in, &error);
    kz_memory_alloc(device, ROOM * sizeof *host, &out, &error);
    kz_memory_alloc(device, ROOM, &heads, &error);
    assert_int_equal(kz_memory_alloc(device, 1 << 16, &workspace, &error), KZ_OK);
    for (size_t v = 0; v < 4; v++)
        for (size_t a = 0; a < 3; a++) {
            kz_operation *scan;
            for (int i = 0; i < COUNT; i++) host[i] = 1, host_heads[i] = i % 1000 == 999;
            kz_ptr from = in + askew[a][0] * 4, to = out + askew[a][1] * 4, at_heads = heads + askew[a][2];
            kz_copy_to_device(device, NULL, from, host, COUNT * sizeof *host, &error);
            kz_copy_to_device(device, NULL, at_heads, host_heads, COUNT, &error);
            assert_int_equal(kz_scan_open(device, KZ_SCAN_SEGMENTED_SUM, KZ_SCAN_INCLUSIVE, KZ_F32, COUNT,
                                          variants[v], &scan, &error),
                             KZ_OK);
            assert_int_equal(kz_scan_run(scan, NULL, from, to, at_heads, workspace, 1 << 16, &error), KZ_OK);
            kz_copy_to_host(device, NULL, host, to, COUNT * sizeof *host, &error);
            assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
            for (int i = 0; i < COUNT; i++)
                assert_true(host[i] == (float)((i + 1) % 1000 + (i < 999 ? 0 : 1)));
            kz_operation_close(scan);
        }
    kz_memory_free(device, in, &error);
    kz_memory_free(device, out, &error);
    kz_memory_free(device, heads, &error);
    kz_memory_free(device, workspace, &error);
    kz_device_close(device);
    free(host);
    free(host_heads);
}

// Past a double's digits.
static void long_sums(void **state) {
    kz_device *device;
    kz_operation *scan;
    kz_error error = {0};
    int64_t in[3] = {INT64_MAX - 1, 1, 1}, out[3];
    _Alignas(KZ_WORKSPACE_ALIGNMENT) double workspace[64];
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(kz_scan_open(device, KZ_SCAN_SUM, KZ_SCAN_INCLUSIVE, KZ_I64, 3, NULL, &scan, &error),
                     KZ_OK);
    assert_int_equal(kz_scan_run(scan, NULL, at(in), at(out), 0, at(workspace), sizeof workspace, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_true(out[0] == INT64_MAX - 1 && out[1] == INT64_MAX && out[2] == INT64_MIN);
    kz_operation_close(scan);
    kz_device_close(device);
}

static void the_operation(void **state) {
    kz_device *device;
    kz_operation *scan;
    kz_error error = {0};
    int32_t in[4] = {3, -8, 5, 1}, out[4] = {99, 99, 99, 99};
    const uint8_t heads[4] = {1, 0, 1, 0};
    _Alignas(KZ_WORKSPACE_ALIGNMENT) double workspace[64];
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
        cmocka_unit_test(deterministic_choices),
        cmocka_unit_test(every_type),
        cmocka_unit_test(arrays_askew),
        cmocka_unit_test(long_sums),
        cmocka_unit_test(the_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
