// What the calls that open an operation refuse: numbers that mean nothing, and sizes whose product wraps around 2^64. A call that
// refuses leaves no operation behind, so that a caller may close what it has.
#include <math.h>

#include "ml_ops/adamw/adamw.h"
#include "ml_ops/cross_entropy/cross_entropy.h"
#include "ml_ops/dropout/dropout.h"
#include "ml_ops/embedding/embedding.h"
#include "ml_ops/fused_elementwise/fused_elementwise.h"
#include "ml_ops/grad_norm/grad_norm.h"
#include "ml_ops/layernorm/layernorm.h"
#include "ml_ops/rmsnorm/rmsnorm.h"
#include "ml_ops/rope/rope.h"
#include "ml_ops/sampling/sampling.h"
#include "ml_ops/softmax/softmax.h"
#include "unit.h"

// A line that says what happened, and one that says what to do.
static bool has_next_step(const kz_error *error) {
    const char *next = strchr(error->message, '\n');
    if (next && next - error->message > 15 && strlen(next) > 15) return true;
    print_message("one line alone: %s\n", error->message);
    return false;
}

// `call` writes to &operation, which was something else before, and to &error.
#define REFUSED(call)                                                                                        \
    do {                                                                                                     \
        kz_operation *operation = (kz_operation *)&device;                                                   \
        kz_error error = {0};                                                                                \
        assert_int_equal(call, KZ_INVALID);                                                                  \
        assert_null(operation);                                                                              \
        assert_true(has_next_step(&error));                                                                  \
    } while (0)

static int open_device(void **state) { return kz_device_open("sim:h200", (kz_device **)state, NULL); }
static int close_device(void **state) {
    kz_device_close(*state);
    return 0;
}

static void numbers_that_mean_nothing(void **state) {
    kz_device *device = *state;
    static const float none[] = {NAN, INFINITY, -INFINITY, -1.0f};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        float x = none[i];
        kz_adamw_options options = {(double)x, 0.999, 1e-8, 0};
        REFUSED(kz_layernorm_open(device, KZ_LAYERNORM_FORWARD, KZ_F32, 4, 4, x, NULL, &operation, &error));
        REFUSED(kz_rmsnorm_open(device, KZ_F32, 4, 4, x, NULL, &operation, &error));
        REFUSED(kz_rmsnorm_open_function(device, KZ_RMSNORM_FP8, KZ_F32, 4, 4, x, NULL, &operation, &error));
        REFUSED(
            kz_cross_entropy_open(device, KZ_CROSS_ENTROPY_LOSS, KZ_F32, 4, 4, x, NULL, &operation, &error));
        REFUSED(kz_dropout_open(device, KZ_DROPOUT_FORWARD, KZ_F32, 4, (double)x, NULL, &operation, &error));
        REFUSED(kz_fused_elementwise_open(device, KZ_BIAS_DROPOUT_ADD, KZ_F32, 4, 4, (double)x, NULL,
                                          &operation, &error));
        REFUSED(kz_adamw_open(device, KZ_ADAMW_UPDATE, KZ_F32, &options, 4, 1, 1, NULL, &operation, &error));
        if (x > 0) continue;
        REFUSED(kz_grad_norm_open(device, KZ_F32, x, 4, 1, 1, NULL, &operation, &error));
    }
    REFUSED(kz_sampling_open(device, KZ_F32, 4, 4, NULL, NULL, &operation, &error));
    REFUSED(kz_rope_open(device, KZ_ROPE_HALVES, KZ_F32, NULL, NULL, &operation, &error));
    REFUSED(kz_embedding_gradient_open(device, KZ_F32, KZ_I32, 4, 4, 4, 4, NULL, &operation, &error));
}

static void sizes_that_wrap_around(void **state) {
    kz_device *device = *state;
    const size_t half = (size_t)1 << 62; // of 4 columns 2^64 elements, 0 in 64 bits
    kz_adamw_options options = {0.9, 0.999, 1e-8, 0};
    REFUSED(kz_softmax_open(device, KZ_SOFTMAX_PLAIN, KZ_F32, 1, half, 4, NULL, &operation, &error));
    REFUSED(
        kz_layernorm_open(device, KZ_LAYERNORM_BACKWARD, KZ_F32, half, 4, 1e-5f, NULL, &operation, &error));
    REFUSED(kz_rmsnorm_open(device, KZ_F32, half, 4, 1e-5f, NULL, &operation, &error));
    REFUSED(kz_cross_entropy_open(device, KZ_CROSS_ENTROPY_LOSS, KZ_F32, half, 4, 0.0f, NULL, &operation,
                                  &error));
    for (int chain = KZ_BIAS_GELU; chain <= KZ_GEGLU_BACKWARD; chain++)
        REFUSED(kz_fused_elementwise_open(device, (kz_fused_elementwise)chain, KZ_F32, half, 4, 0.0, NULL,
                                          &operation, &error));
    REFUSED(kz_grad_norm_open(device, KZ_F32, 1.0f, 4, half, 1, NULL, &operation, &error));
    REFUSED(kz_grad_norm_open_clip(device, KZ_F32, 4, half, 1, NULL, &operation, &error));
    REFUSED(kz_adamw_open(device, KZ_ADAMW_UPDATE, KZ_F32, &options, 4, half, 1, NULL, &operation, &error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_mean_nothing),
        cmocka_unit_test(sizes_that_wrap_around),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
