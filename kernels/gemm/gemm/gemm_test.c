// gemm: whom kz_gemm_open gives a problem to, what it refuses, and results that no case of the table has: alpha 0, NaN in c,
// addresses, offsets that lie.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "unit.h"

// ---- a problem on the simulator ------------------------------------------------------------------------------

static kz_device *open_device(const char *id) {
    kz_device *device;
    kz_error error = {0};
    assert_int_equal(kz_device_open(id, &device, &error), KZ_OK);
    return device;
}

static kz_ptr put(kz_device *device, const void *data, size_t bytes) {
    kz_ptr at;
    assert_int_equal(kz_memory_alloc(device, bytes, &at, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, at, data, bytes, NULL), KZ_OK);
    return at;
}

// Runs it, waits and closes.
static void run(kz_device *device, const kz_gemm_problem *p, const char *variant, const kz_gemm_buffers *buffers) {
    kz_operation *operation;
    kz_error error = {0};
    if (kz_gemm_open(device, p, variant, &operation, &error)) fail_msg("%s", error.message);
    kz_ptr workspace = 0;
    uint64_t bytes = kz_operation_workspace(operation);
    if (bytes) assert_int_equal(kz_memory_alloc(device, bytes, &workspace, NULL), KZ_OK);
    if (kz_gemm_run(operation, NULL, buffers, workspace, bytes, &error)) fail_msg("%s", error.message);
    if (kz_device_synchronize(device, &error)) fail_msg("%s", error.message);
    if (workspace) kz_memory_free(device, workspace, NULL);
    kz_operation_close(operation);
}

// ---- whom it is given to -------------------------------------------------------------------------------------

static void expect_route(const char *id, const kz_gemm_problem *p, const char *wanted) {
    kz_device *device = open_device(id);
    char text[1024];
    kz_error error = {0};
    if (kz_gemm_explain(device, p, text, sizeof text, &error)) fail_msg("%s", error.message);
    if (strncmp(text, wanted, strlen(wanted)) != 0) fail_msg("%s: wanted %s", text, wanted);
    kz_device_close(device);
}

static void each_problem_has_its_family(void **state) {
    kz_gemm_problem p = {.size = sizeof p, .type = KZ_F32, .m = 256, .n = 256, .k = 256};
    expect_route("sim:h200", &p, "sgemm/");
    p.lda = 260; // rows with gaps
    expect_route("sim:h200", &p, "gemm/01_universal");
    p.lda = 0, p.b_transposed = true;
    expect_route("sim:h200", &p, "gemm/01_universal");
    p.type = KZ_BF16;
    expect_route("sim:h200", &p, "gemm/");
    expect_route("sim:a100", &p, "hgemm/04_async_copy");
    p.beta = &(double){1};
    expect_route("sim:a100", &p, "gemm/01_universal");
    p.beta = NULL, p.m = 7;
    expect_route("sim:h200", &p, "gemv/");
    p.k = 255;
    expect_route("sim:h200", &p, "gemm/");
    p.k = 256, p.form = KZ_GEMM_POINTERS, p.count = 3;
    expect_route("sim:h200", &p, "gemm/01_universal");
    p.form = KZ_GEMM_STRIDED, p.type = KZ_F64;
    expect_route("sim:h200", &p, "gemm/01_universal");
}

// ---- what it refuses -----------------------------------------------------------------------------------------

static void refuse(const kz_gemm_problem *p, kz_status wanted, const char *words) {
    kz_device *device = open_device("sim:h200");
    kz_operation *operation = NULL;
    kz_error error = {0};
    assert_int_equal(kz_gemm_open(device, p, NULL, &operation, &error), wanted);
    assert_null(operation);
    assert_has(error.message, words);
    kz_device_close(device);
}

static void impossible_problems_are_refused(void **state) {
    const kz_gemm_problem good = {.size = sizeof good, .type = KZ_BF16, .m = 8, .n = 8, .k = 8};
    kz_gemm_problem p = good;
    p.size = 0;
    refuse(&p, KZ_INVALID, "set it");
    p = good, p.lda = 7;
    refuse(&p, KZ_INVALID, "lda is 7");
    p = good, p.type = KZ_I32;
    refuse(&p, KZ_UNSUPPORTED, "no i32");
    p = good, p.type = KZ_F64, p.result = KZ_GEMM_TO_F32;
    refuse(&p, KZ_UNSUPPORTED, "f64");
    p = good, p.form = (kz_gemm_form)9;
    refuse(&p, KZ_INVALID, "no kz_gemm_form");
    p = good, p.form = KZ_GEMM_STRIDED, p.count = 2, p.stride_c = 63;
    refuse(&p, KZ_INVALID, "overlap");
    p.stride_c = KZ_GEMM_SHARED;
    refuse(&p, KZ_INVALID, "overlap");
    p = good, p.form = KZ_GEMM_GROUPED, p.count = 2, p.stride_a = 64;
    refuse(&p, KZ_INVALID, "have no strides");
    p = good, p.alignment = 3;
    refuse(&p, KZ_INVALID, "alignment");
    p = good, p.m = SIZE_MAX / 2, p.lda = SIZE_MAX / 2;
    refuse(&p, KZ_INVALID, "more than any memory");
    refuse(NULL, KZ_INVALID, "is NULL");
}

// ---- results ---------------------------------------------------------------------------------------------------

enum { SIDE = 4 };

// a = b = the identity times 2, so that a b is 4 on the diagonal; c holds `before`.
static void multiply_floats(const double *alpha, const double *beta, float in_a, float before, float got[SIDE * SIDE]) {
    kz_device *device = open_device("sim:h200");
    float a[SIDE * SIDE] = {0}, b[SIDE * SIDE] = {0}, c[SIDE * SIDE];
    for (int i = 0; i < SIDE; i++) a[i * SIDE + i] = in_a, b[i * SIDE + i] = 2;
    for (int i = 0; i < SIDE * SIDE; i++) c[i] = before;
    kz_gemm_problem p = {.size = sizeof p, .m = SIDE, .n = SIDE, .k = SIDE, .alpha = alpha, .beta = beta};
    kz_gemm_buffers buffers = {sizeof buffers, put(device, a, sizeof a), put(device, b, sizeof b),
                               put(device, c, sizeof c), 0};
    run(device, &p, "01_universal", &buffers);
    assert_int_equal(kz_copy_to_host(device, NULL, got, buffers.c, sizeof c, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    kz_device_close(device);
}

static void zeros_are_not_multiplied(void **state) {
    float c[SIDE * SIDE];
    multiply_floats(NULL, NULL, 2, NAN, c); // beta 0 reads no c
    assert_true(c[0] == 4 && c[1] == 0 && c[5] == 4);
    multiply_floats(&(double){0}, &(double){3}, NAN, 5, c); // alpha 0 reads no a
    assert_true(c[0] == 15 && c[1] == 15);
    multiply_floats(&(double){0}, NULL, NAN, NAN, c);
    assert_true(c[0] == 0 && c[1] == 0);
    multiply_floats(&(double){-0.5}, &(double){2}, 2, 5, c);
    assert_true(c[0] == 8 && c[1] == 10);
}

static void addresses_lead_anywhere(void **state) {
    kz_device *device = open_device("sim:h200");
    double one[SIDE * SIDE], zeros[SIDE * SIDE] = {0}, got[SIDE * SIDE];
    kz_ptr a[3], b[3], c[3];
    for (int i = 0; i < 3; i++) {
        for (int x = 0; x < SIDE * SIDE; x++) one[x] = i + 1;
        a[2 - i] = b[i] = put(device, one, sizeof one);
        c[i] = put(device, zeros, sizeof zeros);
    }
    kz_gemm_problem p = {.size = sizeof p,
                         .type = KZ_F64,
                         .m = SIDE,
                         .n = SIDE,
                         .k = SIDE,
                         .a_transposed = true,
                         .form = KZ_GEMM_POINTERS,
                         .count = 3};
    kz_gemm_buffers buffers = {sizeof buffers, put(device, a, sizeof a), put(device, b, sizeof b),
                               put(device, c, sizeof c), 0};
    run(device, &p, NULL, &buffers);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kz_copy_to_host(device, NULL, got, c[i], sizeof got, NULL), KZ_OK);
        assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
        for (int x = 0; x < SIDE * SIDE; x++) assert_true(got[x] == SIDE * (3 - i) * (i + 1));
    }
    kz_device_close(device);
}

// Offsets that go back or past the end: c is written inside its rows alone (the simulator watches), and rows in no group stay.
static void offsets_that_lie_stay_inside(void **state) {
    kz_device *device = open_device("sim:h200");
    enum { ROWS = 40, WIDTH = 16, GROUPS = 4 };
    static uint16_t a[ROWS * WIDTH], b[GROUPS * WIDTH * WIDTH], c[ROWS * WIDTH];
    for (uint64_t i = 0; i < ROWS * WIDTH; i++) kz_element_set(KZ_BF16, a, i, 1), kz_element_set(KZ_BF16, c, i, 7);
    for (uint64_t i = 0; i < GROUPS * WIDTH * WIDTH; i++) kz_element_set(KZ_BF16, b, i, 1);
    const uint32_t offsets[GROUPS + 1] = {8, 20, 12, 90, UINT32_MAX};
    kz_gemm_problem p = {.size = sizeof p,
                         .type = KZ_BF16,
                         .m = ROWS,
                         .n = WIDTH,
                         .k = WIDTH,
                         .form = KZ_GEMM_GROUPED,
                         .count = GROUPS};
    kz_gemm_buffers buffers = {sizeof buffers, put(device, a, sizeof a), put(device, b, sizeof b),
                               put(device, c, sizeof c), put(device, offsets, sizeof offsets)};
    run(device, &p, NULL, &buffers);
    assert_int_equal(kz_copy_to_host(device, NULL, c, buffers.c, sizeof c, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    for (uint64_t i = 0; i < ROWS * WIDTH; i++) assert_true(kz_element_get(KZ_BF16, c, i) == (i / WIDTH < 8 ? 7 : 16));
    kz_device_close(device);
}

// ---- the reference ---------------------------------------------------------------------------------------------

static void sums_in_half_precision_fail(void **state) {
    enum { DEPTH = 2048 };
    static uint16_t a[DEPTH], b[DEPTH];
    uint16_t half = 0, c[1] = {0};
    double expected, bound, single = 0;
    for (uint64_t i = 0; i < DEPTH; i++) {
        kz_element_set(KZ_F16, a, i, 0.5 + (double)(i * 37 % 64) / 64);
        kz_element_set(KZ_F16, b, i, 0.5);
        double term = kz_element_get(KZ_F16, a, i) * 0.5;
        kz_element_set(KZ_F16, &half, 0, kz_element_get(KZ_F16, &half, 0) + term);
        single = (float)(single + term);
    }
    kz_case x = {.operation = TO_F32 * ORDERS + 1, .type = KZ_F16, .axes = {1, 1, DEPTH, 1}};
    assert_int_equal(gemm_reference(&x, (void *[]){a, b, c}, C, &expected, &bound, NULL), KZ_OK);
    assert_true(fabs(single - expected) <= bound);
    assert_true(fabs(kz_element_get(KZ_F16, &half, 0) - expected) > bound);
    assert_true(fabs(expected) > bound); // zeros fail
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_problem_has_its_family), cmocka_unit_test(impossible_problems_are_refused),
        cmocka_unit_test(zeros_are_not_multiplied),    cmocka_unit_test(addresses_lead_anywhere),
        cmocka_unit_test(offsets_that_lie_stay_inside), cmocka_unit_test(sums_in_half_precision_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
