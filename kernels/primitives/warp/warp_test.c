// warp: the reference against rows done by hand, which kernels the plans launch, and the public operation.
#include <math.h>

#include "kz/family.h"
#include "warp.h"
#include "unit.h"

enum { IN, OUT, SECOND };

static void reference(kz_warp_operation operation, kz_type type, int64_t n, void *in, void *second,
                      size_t which, double *expected, double *bound) {
    kz_case c = {.operation = operation, .type = type, .axes = {n}};
    const kz_family *family = kz_family_find("warp");
    assert_int_equal(family->reference(&c, (void *[]){in, NULL, second}, which, expected, bound, NULL),
                     KZ_OK);
}

// 40 elements are a row of 32 and one of 8.
static void rows_begin_anew(void **state) {
    float in[40];
    double expected[40], bound[40];
    for (int i = 0; i < 40; i++) in[i] = (float)i;
    reference(KZ_WARP_SUM, KZ_F32, 40, in, NULL, OUT, expected, bound);
    assert_true(expected[0] == 496 && expected[1] == 284);
    reference(KZ_WARP_MAX, KZ_F32, 40, in, NULL, OUT, expected, bound);
    assert_true(expected[0] == 31 && expected[1] == 39 && bound[1] == 0);
    reference(KZ_WARP_INCLUSIVE, KZ_F32, 40, in, NULL, OUT, expected, bound);
    assert_true(expected[31] == 496 && expected[32] == 32 && expected[33] == 65);
    assert_true(bound[32] == 0 && bound[31] > 0 && bound[31] < 0.01); // one element is not rounded
    reference(KZ_WARP_EXCLUSIVE, KZ_F32, 40, in, NULL, OUT, expected, bound);
    assert_true(expected[31] == 465 && expected[32] == 0 && expected[33] == 32);
}

static void integers_wrap(void **state) {
    int32_t in[2] = {INT32_MAX, 1};
    double expected[2], bound[2];
    reference(KZ_WARP_INCLUSIVE, KZ_I32, 2, in, NULL, OUT, expected, bound);
    assert_true(expected[0] == INT32_MAX && expected[1] == INT32_MIN && bound[1] == 0);
}

static void votes_count_and_find(void **state) {
    float in[34] = {0};
    double expected[2], bound[2];
    in[5] = 1, in[31] = 2, in[6] = NAN, in[7] = -1;
    reference(KZ_WARP_VOTE, KZ_F32, 34, in, NULL, OUT, expected, bound);
    assert_true(expected[0] == 2 && expected[1] == 0);
    reference(KZ_WARP_VOTE, KZ_F32, 34, in, NULL, SECOND, expected, bound);
    assert_true(expected[0] == 5 && expected[1] == 32);
}

static void equals_find_each_other(void **state) {
    int32_t in[34] = {0};
    double expected[34], bound[34];
    in[1] = 7, in[31] = 7, in[32] = 7;
    reference(KZ_WARP_MATCH, KZ_I32, 34, in, NULL, OUT, expected, bound);
    assert_true(expected[1] == 0x80000002u && expected[31] == 0x80000002u && expected[0] == 0x7ffffffdu);
    assert_true(expected[32] == 1 && expected[33] == 2); // the row before is another one
    reference(KZ_WARP_DISTINCT, KZ_I32, 34, in, NULL, OUT, expected, bound);
    assert_true(expected[0] == 2 && expected[1] == 2);
}

// a has one element, at row 2, column 3: it takes row 3 of b to row 2 of the result.
static void matrices_are_row_major(void **state) {
    static float a[1024], b[1024];
    static double expected[1024], bound[1024];
    for (int i = 0; i < 1024; i++) b[i] = (float)i;
    a[2 * 32 + 3] = 2;
    reference(KZ_WARP_PRODUCT, KZ_F32, 1024, a, b, OUT, expected, bound);
    assert_true(expected[2 * 32 + 5] == 2 * (3 * 32 + 5) && expected[3 * 32 + 5] == 0);
}

static kz_plan plan_of(const char *variant, kz_warp_operation operation, kz_type type, int64_t n,
                       kz_status expected) {
    kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132, .gpu = "h200"};
    kz_plan plan = {0};
    kz_error error = {0};
    kz_case c = {.operation = operation, .type = type, .axes = {n}};
    const kz_variant *found = kz_variant_find(kz_family_find("warp"), variant);
    assert_int_equal(kz_variant_plan(kz_family_find("warp"), found, &c, &device, &plan, &error), expected);
    return plan;
}

static void plans_deal_out_rows(void **state) {
    assert_int_equal(plan_of("01_thread", KZ_WARP_SUM, KZ_F32, 32 * 257, KZ_OK).steps[0].launch.grid[0], 2);
    assert_int_equal(plan_of("03_shuffle", KZ_WARP_SUM, KZ_F32, 257, KZ_OK).steps[0].launch.grid[0], 2);
    assert_int_equal(plan_of("04_butterfly", KZ_WARP_SUM, KZ_F32, 8193, KZ_OK).steps[0].launch.grid[0], 2);
    kz_plan plan = plan_of("06_vector", KZ_WARP_VOTE, KZ_F32, 1000, KZ_OK);
    assert_string_equal(plan.steps[0].entry, "warp_vector_vote_f32");
    assert_int_equal(plan.steps[0].arg_count, 4);
    assert_int_equal(plan_of("06_vector", KZ_WARP_SUM, KZ_F32, 1000, KZ_OK).steps[0].arg_count, 3);
    assert_int_equal(plan_of("06_vector", KZ_WARP_SUM, KZ_F32, 0, KZ_OK).step_count, 0);
}

static void what_is_not_done_is_refused(void **state) {
    plan_of("03_shuffle", KZ_WARP_PRODUCT, KZ_F32, 1000, KZ_UNSUPPORTED); // no whole matrices
    plan_of("03_shuffle", KZ_WARP_MATCH, KZ_F32, 32, KZ_UNSUPPORTED);
    plan_of("03_shuffle", KZ_WARP_VOTE, KZ_I32, 32, KZ_UNSUPPORTED);
    plan_of("03_shuffle", KZ_WARP_SUM, KZ_F64, 32, KZ_UNSUPPORTED);
    plan_of("04_butterfly", KZ_WARP_VOTE, KZ_F32, 32, KZ_UNSUPPORTED);
    plan_of("05_warp_intrinsics", KZ_WARP_SUM, KZ_F32, 32, KZ_UNSUPPORTED);
    plan_of("05_warp_intrinsics", KZ_WARP_INCLUSIVE, KZ_I32, 32, KZ_UNSUPPORTED);
    plan_of("06_vector", KZ_WARP_COUNT, KZ_I32, 32, KZ_UNSUPPORTED);
}

static void the_operation_votes(void **state) {
    kz_error error = {0};
    kz_device *device;
    assert_int_equal(kz_device_open("sim", &device, &error), KZ_OK);
    float in[40] = {0};
    uint32_t count[2], first[2];
    kz_ptr d_in, d_count, d_first;
    in[9] = 1, in[10] = 1, in[39] = 1;
    assert_int_equal(kz_memory_alloc(device, sizeof in, &d_in, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof count, &d_count, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof first, &d_first, &error), KZ_OK);
    kz_copy_to_device(device, NULL, d_in, in, sizeof in, &error);
    kz_operation *operation;
    assert_int_equal(kz_warp_open(device, KZ_WARP_VOTE, KZ_F32, 40, NULL, &operation, &error), KZ_OK);
    assert_int_equal(kz_warp_run(operation, NULL, d_in, d_count, d_first, &error), KZ_OK);
    kz_copy_to_host(device, NULL, count, d_count, sizeof count, &error);
    kz_copy_to_host(device, NULL, first, d_first, sizeof first, &error);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_true(count[0] == 2 && first[0] == 9 && count[1] == 1 && first[1] == 7);
    kz_operation_close(operation);
    kz_memory_free(device, d_in, &error);
    kz_memory_free(device, d_count, &error);
    kz_memory_free(device, d_first, &error);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_begin_anew),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(votes_count_and_find),
        cmocka_unit_test(equals_find_each_other),
        cmocka_unit_test(matrices_are_row_major),
        cmocka_unit_test(plans_deal_out_rows),
        cmocka_unit_test(what_is_not_done_is_refused),
        cmocka_unit_test(the_operation_votes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
