// layernorm: the reference against a row worked out by hand; rows of nothing; what a caller may ask for, and what he may not.
#include <math.h>

#include "kz/family.h"
#include "layernorm.h"
#include "unit.h"

static double expected[4], bound[4];

static void refer(kz_layernorm function, int64_t columns, void *const *host, size_t which) {
    const kz_case c = {.operation = function, .type = KZ_F32, .axes = {1, columns}};
    assert_int_equal(kz_family_find("layernorm")->reference(&c, host, which, expected, bound, NULL), KZ_OK);
}

static void a_row_by_hand(void **state) {
    float x[] = {1.0f, 3.0f}, residual[] = {1.0f, 3.0f}, gamma[] = {2.0f, -1.0f}, beta[] = {0.5f, 0.25f};
    double rstd = 1.0 / sqrt(1.0 + 1e-5); // a mean of 2, a variance of 1
    refer(KZ_LAYERNORM_FORWARD, 2, (void *[]){x, gamma, beta, NULL, NULL, NULL}, 3);
    assert_float_equal(expected[0], -rstd * 2.0 + 0.5, 1e-9);
    assert_float_equal(expected[1], -rstd + 0.25, 1e-9);
    refer(KZ_LAYERNORM_FORWARD, 2, (void *[]){x, gamma, beta, NULL, NULL, NULL}, 4);
    assert_float_equal(expected[0], 2.0, 1e-12);
    refer(KZ_LAYERNORM_RESIDUAL, 2, (void *[]){x, residual, gamma, beta, NULL, NULL, NULL, NULL}, 4);
    assert_true(expected[0] == 2.0 && expected[1] == 6.0 && bound[0] == 0.0);
    refer(KZ_LAYERNORM_RESIDUAL, 2, (void *[]){x, residual, gamma, beta, NULL, NULL, NULL, NULL}, 5);
    assert_float_equal(expected[0], -4.0 / sqrt(4.0 + 1e-5) + 0.5, 1e-6);
}

static void a_gradient_by_hand(void **state) {
    float dy[] = {1.0f, 0.0f}, x[] = {1.0f, 3.0f}, gamma[] = {1.0f, 1.0f}, mean = 2.0f, rstd = 0.5f;
    void *host[] = {dy, x, gamma, &mean, &rstd, NULL, NULL, NULL};
    // h is -1/2, 1/2; g is 1, 0; the means of g and g h are 1/2 and -1/4
    refer(KZ_LAYERNORM_BACKWARD, 2, host, 5);
    assert_float_equal(expected[0], 0.5 * (1.0 - 0.5 - 0.125), 1e-9);
    assert_float_equal(expected[1], 0.5 * (0.0 - 0.5 + 0.125), 1e-9);
    refer(KZ_LAYERNORM_BACKWARD, 2, host, 6);
    assert_true(expected[0] == -0.5 && expected[1] == 0.0);
    refer(KZ_LAYERNORM_BACKWARD, 2, host, 7);
    assert_true(expected[0] == 1.0 && expected[1] == 0.0);
}

static void refusals(void **state) {
    kz_device *device = NULL;
    kz_operation *operation = NULL;
    kz_error error;
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    assert_int_equal(
        kz_layernorm_open(device, (kz_layernorm)7, KZ_F32, 4, 10, 1e-5f, NULL, &operation, &error),
        KZ_INVALID);
    assert_non_null(strstr(error.message, "none of enum kz_layernorm"));
    assert_int_equal(
        kz_layernorm_open(device, KZ_LAYERNORM_FP8, KZ_F32, 4, 10, 1e-5f, "01_thread", &operation, &error),
        KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "02_block"));
    assert_int_equal(kz_layernorm_open(device, KZ_LAYERNORM_BACKWARD, KZ_F32, 4, 9000, 1e-5f, "05_registers",
                                       &operation, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "03_welford"));
    assert_int_equal(kz_layernorm_open(device, KZ_LAYERNORM_FORWARD, KZ_F32, 1, 1ULL << 30, 1e-5f,
                                       "03_welford", &operation, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "2^30"));
    kz_device_close(device);
}

// Another epsilon than the default reaches the kernel, and the workspace is the caller's.
static void an_epsilon_and_a_workspace(void **state) {
    kz_device *device = NULL;
    kz_operation *forward = NULL, *backward = NULL;
    float data[8] = {1.0f, 3.0f, 1.0f, 1.0f, 0.0f, 0.0f}, rstd = 0.0f;
    kz_ptr at;
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 256, &at, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, at, data, sizeof data, NULL), KZ_OK);
    assert_int_equal(
        kz_layernorm_open(device, KZ_LAYERNORM_FORWARD, KZ_F32, 1, 2, 3.0f, NULL, &forward, NULL), KZ_OK);
    assert_int_equal(
        kz_layernorm_run_forward(forward, NULL, at, at + 8, at + 16, at + 32, at + 40, at + 44, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_host(device, NULL, &rstd, at + 44, 4, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    assert_float_equal(rstd, 0.5f, 1e-6);
    assert_int_equal(
        kz_layernorm_open(device, KZ_LAYERNORM_BACKWARD, KZ_F32, 1, 2, 3.0f, NULL, &backward, NULL), KZ_OK);
    assert_int_equal(kz_operation_workspace(backward), 16); // a row of sums of two columns, twice
    assert_int_equal(kz_operation_workspace(forward), 0);
    kz_operation_close(forward), kz_operation_close(backward);
    kz_memory_free(device, at, NULL);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_by_hand),
        cmocka_unit_test(a_gradient_by_hand),
        cmocka_unit_test(refusals),
        cmocka_unit_test(an_epsilon_and_a_workspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
