// transformer_block: its parts' kernels are found in the code of their families, for shapes that take all kinds of them; what a part may
// begin before; how much of a stack plans take.
#include <pthread.h>
#include <stdlib.h>
// cmocka's header wants it before it

#include "unit.h"

#include "gemm/gemm/part.h"
#include "private.h"

// Opens the operation, which loads all that its plan launches, and says whether it launches a kernel of that name.
static bool launches(kz_device *device, kz_type type, kz_transformer_block_shape shape, const char *entry) {
    kz_operation *operation;
    kz_error error = {0};
    bool found = false;
    shape.size = sizeof shape;
    if (kz_transformer_block_open(device, KZ_TRANSFORMER_BLOCK_FORWARD, type, &shape, NULL, &operation,
                                  &error))
        fail_msg("%s", error.message);
    const kz_plan *plan = kz_operation_plan(operation);
    for (uint32_t i = 0; i < plan->step_count; i++) found |= strcmp(plan->steps[i].entry, entry) == 0;
    kz_operation_close(operation);
    return found;
}

// Kernels whose names do not say which variant they are of, and those that few rows take.
static void kernels_of_parts_are_found(void **state) {
    const kz_transformer_block_shape odd = {0, 1, 2048, 4100, 2, 1, 4001}, one = {0, 1, 1, 2048, 16, 4, 5632};
    kz_device *device;
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    assert_true(launches(device, KZ_BF16, odd, "gemm_pad"));
    assert_true(launches(device, KZ_BF16, one, "gemv_dependent_launch_short_dense_bf16"));
    kz_device_close(device);
    assert_int_equal(kz_device_open("sim:t4", &device, NULL), KZ_OK);
    assert_true(launches(device, KZ_F16, one, "rmsnorm_packs_rmsnorm_f16"));
    kz_device_close(device);
}

// A gemv reads its weights before the step in front has ended: they may not be what that step leaves.
static void weights_that_a_step_leaves_are_no_gemv(void **state) {
    const kz_gemm_problem problem = {
        .size = sizeof problem, .type = KZ_BF16, .m = 1, .n = 512, .k = 512, .b_transposed = true};
    kz_device *device;
    kz_plan *plan = calloc(1, sizeof *plan);
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    const kz_planner p = {.family = &kz_family_transformer_block,
                          .c = &(kz_case){.type = KZ_BF16},
                          .device = kz_device_get_info(device),
                          .plan = plan};
    const kz_arg a = kz_arg_buffer(0), c = kz_arg_buffer(2), region = kz_plan_add_region(plan, "b", 1 << 19);
    assert_int_equal(gemm_add_product(&p, &problem, a, kz_arg_buffer(1), c), KZ_OK);
    assert_int_equal(plan->step_count, 1);
    assert_memory_equal(plan->steps[0].entry, "gemv_", 5);
    assert_int_equal(gemm_add_product(&p, &problem, a, region, c), KZ_OK);
    assert_memory_equal(plan->steps[1].entry, "gemm_", 5);
    free(plan);
    kz_device_close(device);
}

// A plan is too large for the stacks that other languages and C libraries give to threads, a plan in a plan the more so.
static void *open_on_a_small_stack(void *context) {
    const kz_transformer_block_shape shape = {
        .size = sizeof shape, .batch = 1, .tokens = 8, .width = 32, .heads = 2, .kv_heads = 1, .hidden = 16};
    kz_transformer_block_shape bad = shape;
    kz_operation *operation = NULL;
    bad.heads = 3;
    kz_status refused = kz_transformer_block_open(context, KZ_TRANSFORMER_BLOCK_FORWARD, KZ_F16, &bad, NULL,
                                                  &operation, NULL);
    kz_status status = kz_transformer_block_open(context, KZ_TRANSFORMER_BLOCK_FORWARD, KZ_F16, &shape, NULL,
                                                 &operation, NULL);
    kz_operation_close(operation);
    return refused == KZ_UNSUPPORTED && status == KZ_OK ? context : NULL;
}
static void threads_have_small_stacks(void **state) {
    kz_device *device;
    pthread_attr_t small;
    pthread_t thread;
    void *result;
    assert_int_equal(kz_device_open("sim", &device, NULL), KZ_OK);
    pthread_attr_init(&small);
    assert_int_equal(pthread_attr_setstacksize(&small, 192 << 10), 0);
    assert_int_equal(pthread_create(&thread, &small, open_on_a_small_stack, device), 0);
    pthread_join(thread, &result);
    assert_ptr_equal(result, device);
    pthread_attr_destroy(&small);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_parts_are_found),
        cmocka_unit_test(weights_that_a_step_leaves_are_no_gemv),
        cmocka_unit_test(threads_have_small_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
