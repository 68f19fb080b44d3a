// grad_norm: the reference against norms worked out by hand and its bound against what must fail; the operation as a user calls it.
#include "grad_norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kz/family.h"
#include "unit.h"

enum {
    GRADIENTS,
    TABLE,
    LIST,
    SCALE,
    NORM,
    COEFFICIENT,
    NOT_FINITE,
    BUFFERS
}; // the family's buffers, in order
enum { MOST = 20000 };

static double refer(kz_type type, const double *values, int64_t n, size_t which, double *bound) {
    static double stored[MOST];
    const float scale = 0.5f;
    for (int64_t i = 0; i < n; i++) kz_element_set(type, stored, (uint64_t)i, values[i]);
    void *host[BUFFERS] = {[GRADIENTS] = stored, [SCALE] = (void *)&scale};
    const kz_case c = {.type = type, .axes = {n, 1, 0, 1}};
    double expected;
    assert_int_equal(kz_family_find("grad_norm")->reference(&c, host, which, &expected, bound, NULL), KZ_OK);
    return expected;
}

// 6, 8 and a scale of 1/2: a norm of 5.
static void by_hand(void **state) {
    double bound, values[] = {6, 0, -8};
    assert_true(fabs(refer(KZ_F32, values, 3, NORM, &bound) - 5.0) < 1e-12 && bound > 0 && bound < 1e-5);
    assert_true(fabs(refer(KZ_BF16, values, 3, COEFFICIENT, &bound) - 0.5 / (5 + 1e-6)) < 1e-9 &&
                bound < 1e-6);
    assert_true(refer(KZ_F16, values, 3, NOT_FINITE, &bound) == 0.0 && bound == 0.0);
    values[0] = values[2] = 0.1; // below the bound: the scale alone
    assert_true(refer(KZ_F32, values, 3, COEFFICIENT, &bound) == 0.5);
}

static void what_is_not_finite(void **state) {
    double bound, values[] = {1, INFINITY, 2};
    assert_true(refer(KZ_F32, values, 3, NORM, &bound) == INFINITY);
    assert_true(refer(KZ_F32, values, 3, COEFFICIENT, &bound) == 0.0);
    assert_true(refer(KZ_F32, values, 3, NOT_FINITE, &bound) == 1.0);
    values[1] = NAN;
    assert_true(isnan(refer(KZ_F32, values, 3, NORM, &bound)));
    assert_true(isnan(refer(KZ_F32, values, 3, COEFFICIENT, &bound)));
    assert_true(refer(KZ_F32, values, 3, NOT_FINITE, &bound) == 1.0);
    values[1] = 3e19; // a square past float's largest
    assert_true(refer(KZ_F32, values, 3, NORM, &bound) == INFINITY);
}

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

// Squares added one after the other, each sum rounded to `sum`: whether the norm of them is within the bound.
static bool passes(kz_type type, kz_type sum) {
    static double values[MOST];
    double squares = 0.0, bound;
    for (uint64_t i = 0; i < MOST; i++) {
        values[i] = in(type, (double)(kz_draw(5, 0, i) >> 11) * 0x1p-52 - 1.0);
        squares = in(sum, squares + in(sum, values[i] * values[i]));
    }
    double expected = refer(type, values, MOST, NORM, &bound);
    return fabs(in(KZ_F32, sqrt(squares) * 0.5) - expected) <= bound;
}

static void float_passes_and_less_fails(void **state) {
    assert_true(passes(KZ_F32, KZ_F32) && passes(KZ_F16, KZ_F32) && passes(KZ_BF16, KZ_F32));
    assert_false(passes(KZ_F32, KZ_F16) || passes(KZ_F16, KZ_F16) || passes(KZ_BF16, KZ_BF16));
}

// ---- the operation -----------------------------------------------------------------------------------

enum { TENSORS = 3, N = 9010 };

typedef struct results {
    float norm, coefficient;
    uint32_t not_finite;
} results;

// The device's memory: gradients, table, list, results; and the host's gradients, which are all 1 but for `first`.
typedef struct model {
    kz_device *device;
    kz_ptr memory, table, list, results, workspace;
    uint64_t chunks;
    float gradients[N];
} model;

enum {
    TABLE_AT = N * 4 + 24,
    LIST_AT = TABLE_AT + 256,
    RESULTS_AT = LIST_AT + 256,
    WORKSPACE_AT = RESULTS_AT + 256
};

static model *open_model(const char *id, float first) {
    kz_parameter table[TENSORS] = {
        {.count = 5}, {.count = 9000, .gradients = 5 * 4}, {.count = 5, .gradients = 9005 * 4}};
    int64_t list[8];
    model *x = calloc(1, sizeof *x);
    kz_error error = {0};
    assert_non_null(x);
    assert_int_equal(kz_device_open(id, &x->device, &error), KZ_OK);
    x->chunks = kz_parameters_chunks(table, TENSORS);
    assert_int_equal(x->chunks, 4);
    assert_int_equal(kz_parameters_pack(table, TENSORS, list, x->chunks, &error), KZ_OK);
    for (int i = 0; i < N; i++) x->gradients[i] = i ? 1.0f : first;
    assert_int_equal(kz_memory_alloc(x->device, WORKSPACE_AT + 65536, &x->memory, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(x->device, NULL, x->memory, x->gradients, sizeof x->gradients, &error),
                     KZ_OK);
    assert_int_equal(kz_copy_to_device(x->device, NULL, x->memory + TABLE_AT, table, sizeof table, &error),
                     KZ_OK);
    assert_int_equal(kz_copy_to_device(x->device, NULL, x->memory + LIST_AT, list, sizeof list, &error),
                     KZ_OK);
    x->table = x->memory + TABLE_AT, x->list = x->memory + LIST_AT, x->results = x->memory + RESULTS_AT;
    x->workspace = (x->memory + WORKSPACE_AT + 15) / 16 * 16;
    return x;
}

static void close_model(model *x) {
    kz_memory_free(x->device, x->memory, NULL);
    kz_device_close(x->device);
    free(x);
}

static results run_norm(model *x, const char *variant, float most) {
    kz_operation *norm;
    kz_error error = {0};
    results got;
    if (kz_grad_norm_open(x->device, KZ_F32, most, N, TENSORS, x->chunks, variant, &norm, &error))
        fail_msg("%s", error.message);
    assert_true(kz_operation_workspace(norm) <= 32768);
    assert_int_equal(kz_grad_norm_run(norm, NULL, x->memory, x->table, x->list, 0, x->results, x->results + 4,
                                      x->results + 8, x->workspace, 32768, &error),
                     KZ_OK);
    assert_int_equal(kz_copy_to_host(x->device, NULL, &got, x->results, sizeof got, &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(x->device, &error), KZ_OK);
    kz_operation_close(norm);
    return got;
}

static void run_clip(model *x) {
    kz_operation *clip;
    kz_error error = {0};
    assert_int_equal(kz_grad_norm_open_clip(x->device, KZ_F32, N, TENSORS, x->chunks, NULL, &clip, &error),
                     KZ_OK);
    assert_int_equal(kz_grad_norm_run_clip(clip, NULL, x->memory, x->table, x->list, x->results + 4, &error),
                     KZ_OK);
    assert_int_equal(kz_copy_to_host(x->device, NULL, x->gradients, x->memory, sizeof x->gradients, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(x->device, &error), KZ_OK);
    kz_operation_close(clip);
}

// 9009 ones and one element that makes the sum of the squares 10000.
static void norm_and_clip(void **state) {
    for (int d = 0; d < 2; d++) {
        model *x = open_model(d ? "sim" : "cpu", 31.480152f);
        results got = run_norm(x, NULL, 1.0f);
        assert_true(fabsf(got.norm - 100.0f) < 1e-3f && fabsf(got.coefficient - 0.01f) < 1e-6f &&
                    !got.not_finite);
        run_clip(x);
        assert_true(x->gradients[1] == got.coefficient && x->gradients[N - 1] == got.coefficient);
        assert_true(fabsf(run_norm(x, NULL, 1.0f).norm - 1.0f) < 1e-5f);
        assert_true(run_norm(x, NULL, 50.0f).coefficient == 1.0f); // and now nothing changes
        run_clip(x);
        assert_true(x->gradients[1] == 0.01f || fabsf(x->gradients[1] - 0.01f) < 1e-6f);
        close_model(x);
    }
}

static void every_variant_sees_what_is_not_finite(void **state) {
    const kz_family *family = kz_family_find("grad_norm");
    for (size_t v = 0; v < family->variant_count; v++) {
        model *x = open_model(v ? "sim" : "cpu", NAN);
        results got = run_norm(x, family->variants[v].name, 1.0f);
        assert_true(isnan(got.norm) && isnan(got.coefficient) && got.not_finite == 1);
        close_model(x);
        x = open_model(v ? "sim" : "cpu", -INFINITY);
        got = run_norm(x, family->variants[v].name, 1.0f);
        assert_true(isinf(got.norm) && got.coefficient == 0.0f && got.not_finite == 1);
        close_model(x);
    }
}

// The norm alone: no bound is reached.
static void without_a_bound(void **state) {
    model *x = open_model("sim", 1.0f);
    results got = run_norm(x, KZ_DETERMINISTIC, INFINITY);
    assert_true(fabsf(got.norm - sqrtf(N)) < 1e-4f && got.coefficient == 1.0f && !got.not_finite);
    close_model(x);
}

static void what_cannot_be_is_refused(void **state) {
    kz_device *device;
    kz_operation *norm;
    kz_error error = {0};
    assert_int_equal(kz_device_open("sim", &device, &error), KZ_OK);
    assert_int_equal(kz_grad_norm_open(device, KZ_F32, 0.0f, 10, 1, 1, NULL, &norm, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "above 0"));
    assert_int_equal(kz_grad_norm_open(device, KZ_F32, 1.0f, 10, 1, 7, NULL, &norm, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "kz_parameters_chunks"));
    assert_int_equal(kz_grad_norm_open_clip(device, KZ_F32, 10, 1, 1, "03_persistent", &norm, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "02_vector"));
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(what_is_not_finite),
        cmocka_unit_test(float_passes_and_less_fails),
        cmocka_unit_test(norm_and_clip),
        cmocka_unit_test(every_variant_sees_what_is_not_finite),
        cmocka_unit_test(without_a_bound),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
