// cross_entropy: the reference against a row worked out by hand, against finite differences, and its bounds against what
// must fail and what must pass; what a caller may ask for.
#include <math.h>

#include "kz/family.h"
#include "cross_entropy.h"
#include "unit.h"

enum { CLASSES = 1000 };
static const kz_cross_entropy LOSS = KZ_CROSS_ENTROPY_LOSS, BACKWARD = KZ_CROSS_ENTROPY_BACKWARD;

static double x[CLASSES];
static double expected[CLASSES], bound[CLASSES];

static void fill(double range) {
    for (uint64_t i = 0; i < CLASSES; i++) x[i] = range * ((double)(kz_draw(7, 0, i) >> 11) * 0x1p-52 - 1.0);
}

// The reference of one row, whose logits become what the type stores.
static void refer(kz_cross_entropy function, kz_type type, int64_t classes, double smoothing, int32_t label,
                  size_t which, float log_sum) {
    static double stored[CLASSES];
    const kz_case c = {.operation = function, .type = type, .axes = {1, classes, llround(smoothing * 1e6)}};
    float scale = 2.0f;
    for (int64_t i = 0; i < classes; i++) {
        kz_element_set(type, stored, (uint64_t)i, x[i]);
        x[i] = kz_element_get(type, stored, (uint64_t)i);
    }
    void *host[] = {stored, &label, function == KZ_CROSS_ENTROPY_BACKWARD ? &log_sum : &scale, &scale, NULL};
    assert_int_equal(kz_family_find("cross_entropy")->reference(&c, host, which, expected, bound, NULL),
                     KZ_OK);
}

static void a_row_by_hand(void **state) {
    x[0] = log(1.0), x[1] = log(2.0), x[2] = log(5.0); // shares 1/8, 2/8, 5/8
    refer(LOSS, KZ_F32, 3, 0.0, 1, 2, 0.0f);
    assert_float_equal(expected[0], log(4.0), 1e-6);
    refer(LOSS, KZ_F32, 3, 0.0, 1, 3, 0.0f);
    assert_float_equal(expected[0], log(8.0), 1e-6);
    refer(LOSS, KZ_F32, 3, 0.3, 1, 2, 0.0f); // targets 0.1, 0.8, 0.1
    assert_float_equal(expected[0], 0.1 * log(8.0) + 0.8 * log(4.0) + 0.1 * log(1.6), 1e-6);
    refer(KZ_CROSS_ENTROPY_GRADIENT, KZ_F32, 3, 0.3, 1, 0, 0.0f); // the scale is 2
    assert_float_equal(expected[0], 2.0 * (0.125 - 0.1), 1e-6);
    assert_float_equal(expected[1], 2.0 * (0.25 - 0.8), 1e-6);
    assert_float_equal(expected[2], 2.0 * (0.625 - 0.1), 1e-6);
}

static void labels_that_are_no_class(void **state) {
    fill(1.0);
    refer(LOSS, KZ_F32, 10, 0.0, -100, 2, 0.0f);
    assert_true(expected[0] == 0.0 && bound[0] == 0.0);
    refer(BACKWARD, KZ_F32, 10, 0.1, -1, 4, 2.0f);
    for (int i = 0; i < 10; i++) assert_true(expected[i] == 0.0 && bound[i] == 0.0);
    refer(LOSS, KZ_F32, 10, 0.0, 10, 2, 0.0f);
    assert_true(isnan(expected[0]));
    refer(BACKWARD, KZ_F32, 10, 0.1, 10, 4, 2.0f);
    for (int i = 0; i < 10; i++) assert_true(isnan(expected[i]));
}

// The loss in double, by its definition: the reference's gradients must be its slopes.
static double loss_at(int64_t classes, double smoothing, int32_t label) {
    double sum = 0.0, loss = 0.0;
    for (int64_t i = 0; i < classes; i++) sum += exp(x[i]);
    for (int64_t i = 0; i < classes; i++) {
        double q = smoothing / (double)classes + (i == label ? 1.0 - smoothing : 0.0);
        loss -= q * (x[i] - log(sum));
    }
    return loss;
}

static void gradients_are_slopes(void **state) {
    enum { N = 50, LABEL = 17 };
    const double step = 1e-5, smoothing = 0.1;
    fill(3.0);
    refer(LOSS, KZ_F32, N, smoothing, LABEL, 3, 0.0f);
    float log_sum = (float)expected[0];
    refer(BACKWARD, KZ_F32, N, smoothing, LABEL, 4, log_sum);
    double backward[N];
    for (int i = 0; i < N; i++) backward[i] = expected[i] / 2.0; // dloss is 2
    refer(KZ_CROSS_ENTROPY_GRADIENT, KZ_F32, N, smoothing, LABEL, 0, 0.0f);
    for (int i = 0; i < N; i++) {
        double middle = x[i];
        x[i] = middle + step;
        double above = loss_at(N, smoothing, LABEL);
        x[i] = middle - step;
        double slope = (above - loss_at(N, smoothing, LABEL)) / (2.0 * step);
        x[i] = middle;
        assert_float_equal(expected[i] / 2.0, slope, 1e-8);
        assert_float_equal(backward[i], slope, 1e-6); // its log_sum is a float
    }
}

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

// Whether the loss of a row of `type` is within the bound, exponentials added in `sum`.
static bool passes(kz_type type, kz_type sum, double smoothing) {
    double base = -INFINITY, total = 0.0, exponentials = 0.0;
    fill(1.0);
    refer(LOSS, type, CLASSES, smoothing, 3, 2, 0.0f);
    for (int i = 0; i < CLASSES; i++) base = fmax(base, x[i]);
    for (int i = 0; i < CLASSES; i++) {
        exponentials = in(sum, exponentials + in(sum, exp(x[i] - base)));
        total = in(sum, total + x[i]);
    }
    double loss =
        (1.0 - smoothing) * (base - x[3]) + smoothing * (base - total / CLASSES) + log(exponentials);
    return fabs(in(KZ_F32, loss) - expected[0]) <= bound[0];
}

static void float_sums_pass(void **state) {
    assert_true(passes(KZ_F32, KZ_F32, 0.0));
    assert_true(passes(KZ_F32, KZ_F32, 0.1));
    assert_true(passes(KZ_F16, KZ_F32, 0.1));
    assert_true(passes(KZ_BF16, KZ_F32, 0.1));
}

static void half_sums_fail(void **state) {
    assert_false(passes(KZ_F32, KZ_F16, 0.0));
    assert_false(passes(KZ_F16, KZ_F16, 0.1));
    assert_false(passes(KZ_BF16, KZ_BF16, 0.0));
}

// A gradient whose probabilities were rounded to the type before they were subtracted.
static void rounded_probabilities_fail(void **state) {
    int outside = 0;
    fill(4.0);
    refer(KZ_CROSS_ENTROPY_GRADIENT, KZ_F32, CLASSES, 0.1, 3, 0, 0.0f);
    for (int i = 0; i < CLASSES; i++) {
        double q = 0.1 / CLASSES + (i == 3 ? 0.9 : 0.0);
        outside += fabs(2.0 * (in(KZ_BF16, expected[i] / 2.0 + q) - q) - expected[i]) > bound[i];
    }
    assert_true(outside > CLASSES / 2);
}

static void what_is_refused(void **state) {
    kz_device *device = NULL;
    kz_operation *operation = NULL;
    kz_error error;
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    assert_int_equal(kz_cross_entropy_open(device, LOSS, KZ_F32, 4, 10, 1.5f, NULL, &operation, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "a smoothing of 1.5"));
    assert_int_equal(kz_cross_entropy_open(device, LOSS, KZ_F32, 4, 10, NAN, NULL, &operation, &error),
                     KZ_INVALID);
    assert_int_equal(
        kz_cross_entropy_open(device, (kz_cross_entropy)9, KZ_F32, 4, 10, 0.0f, NULL, &operation, &error),
        KZ_INVALID);
    assert_non_null(strstr(error.message, "none of enum kz_cross_entropy"));
    assert_int_equal(kz_cross_entropy_open(device, LOSS, KZ_F32, 4, 0, 0.0f, "03_online", &operation, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "0 classes"));
    assert_int_equal(
        kz_cross_entropy_open(device, LOSS, KZ_F32, 4, 10, 0.0f, "05_cluster", &operation, &error),
        KZ_UNSUPPORTED);
    kz_device_close(device);
}

static const char *chosen(const char *gpu, uint32_t function, kz_type type, int64_t classes) {
    const kz_family *family = kz_family_find("cross_entropy");
    const kz_case c = {.operation = function, .type = type, .axes = {8192, classes}};
    kz_device *device = NULL;
    kz_error error;
    assert_int_equal(kz_device_open(gpu, &device, &error), KZ_OK);
    const kz_variant *variant = kz_choose(family, &c, kz_device_get_info(device), true, NULL);
    kz_device_close(device);
    return variant ? variant->name : "none";
}

static void rows_choose_by_their_length(void **state) {
    assert_string_equal(chosen("sim:h200", KZ_CROSS_ENTROPY_GRADIENT, KZ_BF16, 32000), "04_registers");
    assert_string_equal(chosen("sim:h200", KZ_CROSS_ENTROPY_GRADIENT, KZ_BF16, 50304), "05_cluster");
    assert_string_equal(chosen("sim:h200", KZ_CROSS_ENTROPY_GRADIENT, KZ_F32, 262144), "05_cluster");
    assert_string_equal(chosen("sim:h200", KZ_CROSS_ENTROPY_LOSS, KZ_BF16, 50304), "03_online");
    assert_string_equal(chosen("sim:t4", KZ_CROSS_ENTROPY_GRADIENT, KZ_F32, 50304), "03_online");
}

// A scale that overflowed gives infinite gradients, of the sign that finite ones have, in every variant: what skips a step looks for
// them. 5003 classes are rows of many units, of which one has the label.
static void an_infinite_scale(void **state) {
    enum { N = 5003, LABEL = 4321 };
    static const char *const variants[] = {"01_thread", "02_block", "03_online", "04_registers",
                                           "05_cluster"};
    static float logits[N];
    const float scale = INFINITY;
    const int32_t label = LABEL;
    kz_device *device = NULL;
    kz_error error = {0};
    kz_ptr x_at, label_at, scale_at, loss_at;
    if (kz_device_open("sim:h200", &device, &error)) fail_msg("%s", error.message);
    assert_int_equal(kz_memory_alloc(device, sizeof logits, &x_at, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 4, &label_at, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 4, &scale_at, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 4, &loss_at, &error), KZ_OK);
    for (int v = 0; v < 5; v++) {
        kz_operation *operation = NULL;
        for (int i = 0; i < N; i++) logits[i] = (float)(i % 7) * 0.25f;
        assert_int_equal(kz_copy_to_device(device, NULL, x_at, logits, sizeof logits, &error), KZ_OK);
        assert_int_equal(kz_copy_to_device(device, NULL, label_at, &label, 4, &error), KZ_OK);
        assert_int_equal(kz_copy_to_device(device, NULL, scale_at, &scale, 4, &error), KZ_OK);
        if (kz_cross_entropy_open(device, KZ_CROSS_ENTROPY_GRADIENT, KZ_F32, 1, N, 0.0f, variants[v],
                                  &operation, &error) ||
            kz_cross_entropy_run_gradient(operation, NULL, x_at, label_at, scale_at, loss_at, &error))
            fail_msg("%s: %s", variants[v], error.message);
        assert_int_equal(kz_copy_to_host(device, NULL, logits, x_at, sizeof logits, &error), KZ_OK);
        assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
        for (int i = 0; i < N; i++)
            if (logits[i] != (i == LABEL ? -INFINITY : INFINITY))
                fail_msg("%s: class %d has %g", variants[v], i, (double)logits[i]);
        kz_operation_close(operation);
    }
    kz_memory_free(device, x_at, NULL), kz_memory_free(device, label_at, NULL);
    kz_memory_free(device, scale_at, NULL), kz_memory_free(device, loss_at, NULL);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_by_hand),        cmocka_unit_test(labels_that_are_no_class),
        cmocka_unit_test(gradients_are_slopes), cmocka_unit_test(float_sums_pass),
        cmocka_unit_test(half_sums_fail),       cmocka_unit_test(rounded_probabilities_fail),
        cmocka_unit_test(what_is_refused),      cmocka_unit_test(rows_choose_by_their_length),
        cmocka_unit_test(an_infinite_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
