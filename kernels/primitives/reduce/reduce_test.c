// reduce: the reference against sums done by hand, and its bound against what must fail.
#include <math.h>
#include <stdlib.h>

#include "kz/family.h"
#include "reduce.h"
#include "unit.h"

static double reference(kz_reduce_operation operation, kz_type type, const double *values, int64_t n,
                        double *bound) {
    void *in = malloc((size_t)n * 8 + 8);
    for (int64_t i = 0; i < n; i++) kz_element_set(type, in, (uint64_t)i, values[i]);
    kz_case c = {.operation = operation, .type = type, .axes = {n}};
    double expected;
    assert_int_equal(kz_family_find("reduce")->reference(&c, (void *[]){in, NULL}, 1, &expected, bound, NULL),
                     KZ_OK);
    free(in);
    return expected;
}

static void small_sums(void **state) {
    double bound;
    assert_true(reference(KZ_REDUCE_SUM, KZ_F32, (double[]){1, 2, 3.5}, 3, &bound) == 6.5);
    assert_true(bound > 0 && bound < 1e-5);
    assert_true(reference(KZ_REDUCE_SUM, KZ_F32, (double[]){0, 0, 0}, 3, &bound) == 0.0);
    assert_true(bound == 0.0);
    // In double 1e16 + 1 is 1e16: the reference must know better.
    assert_true(reference(KZ_REDUCE_SUM, KZ_F64, (double[]){1e16, 1, 1, -1e16}, 4, &bound) == 2.0);
    assert_true(reference(KZ_REDUCE_SUM, KZ_F16, (double[]){65504, 65504}, 2, &bound) == INFINITY);
    assert_true(isnan(reference(KZ_REDUCE_SUM, KZ_F32, (double[]){INFINITY, 1, -INFINITY}, 3, &bound)));
    assert_true(reference(KZ_REDUCE_SUM, KZ_F32, (double[]){INFINITY, 1, -1}, 3, &bound) == INFINITY);
}

static void integers_wrap(void **state) {
    double bound;
    assert_true(reference(KZ_REDUCE_SUM, KZ_I32, (double[]){INT32_MAX, 1}, 2, &bound) == INT32_MIN);
    assert_true(bound == 0.0);
}

static void extremes(void **state) {
    double bound, values[] = {3, -7, 5};
    assert_true(reference(KZ_REDUCE_MIN, KZ_I32, values, 3, &bound) == -7);
    assert_true(reference(KZ_REDUCE_MAX, KZ_BF16, values, 3, &bound) == 5);
    assert_true(bound == 0.0);
    assert_true(isnan(reference(KZ_REDUCE_MAX, KZ_F32, (double[]){1, NAN, 2}, 3, &bound)));
    assert_true(isnan(reference(KZ_REDUCE_MIN, KZ_F64, (double[]){NAN, 2}, 2, &bound)));
}

static void nothing_gives_the_identity(void **state) {
    double bound;
    assert_true(reference(KZ_REDUCE_SUM, KZ_F32, NULL, 0, &bound) == 0.0);
    assert_true(reference(KZ_REDUCE_MIN, KZ_F32, NULL, 0, &bound) == INFINITY);
    assert_true(reference(KZ_REDUCE_MAX, KZ_F64, NULL, 0, &bound) == -INFINITY);
    assert_true(reference(KZ_REDUCE_MIN, KZ_I32, NULL, 0, &bound) == INT32_MAX);
    assert_true(reference(KZ_REDUCE_MAX, KZ_I32, NULL, 0, &bound) == INT32_MIN);
}

static void means(void **state) {
    double bound;
    assert_true(reference(KZ_REDUCE_MEAN, KZ_F32, (double[]){1, 2, 6}, 3, &bound) == 3.0);
    assert_true(bound > 0 && bound < 1e-5);
    // The sum is past what f16 holds, the mean is not.
    assert_true(reference(KZ_REDUCE_MEAN, KZ_F16, (double[]){65504, 65504}, 2, &bound) == 65504.0);
    assert_true(isnan(reference(KZ_REDUCE_MEAN, KZ_F64, NULL, 0, &bound)));
    assert_true(reference(KZ_REDUCE_MEAN, KZ_F32, (double[]){INFINITY, 1}, 2, &bound) == INFINITY);
}

// The index is the second output: which = 2.
static double find(kz_reduce_operation operation, const float *values, int64_t n) {
    kz_case c = {.operation = operation, .type = KZ_F32, .axes = {n}};
    double expected, bound;
    void *host[] = {(void *)values, NULL, NULL};
    assert_int_equal(kz_family_find("reduce")->reference(&c, host, 2, &expected, &bound, NULL), KZ_OK);
    assert_true(bound == 0.0);
    return expected;
}

static void the_first_of_the_extremes(void **state) {
    assert_true(find(KZ_REDUCE_ARGMAX, (float[]){1, 5, 2, 5}, 4) == 1); // of equals the least index
    assert_true(find(KZ_REDUCE_ARGMIN, (float[]){3, 0, -0.0f, 0}, 4) == 1);
    assert_true(find(KZ_REDUCE_ARGMIN, (float[]){3, NAN, -7, NAN}, 4) ==
                1); // NaN is the extreme, the first wins
    assert_true(find(KZ_REDUCE_ARGMAX, (float[]){3, 4, NAN, NAN}, 4) == 2);
    assert_true(find(KZ_REDUCE_ARGMAX, (float[]){-INFINITY, -INFINITY}, 2) ==
                0); // the identity is no element
    assert_true(find(KZ_REDUCE_ARGMIN, NULL, 0) == -1);
    double bound;
    assert_true(reference(KZ_REDUCE_ARGMIN, KZ_I32, (double[]){3, -7, 5}, 3, &bound) == -7); // the value
}

// A cell has no place for them; the last three variants do.
static void who_does_means_and_indices(void **state) {
    kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132};
    const kz_family *family = kz_family_find("reduce");
    for (uint32_t operation = KZ_REDUCE_MEAN; operation < KZ_REDUCE_COUNT; operation++)
        for (size_t v = 1; v < family->variant_count; v++) {
            kz_case c = {.operation = operation, .type = KZ_F32, .axes = {1000}};
            kz_plan plan = {0};
            kz_error error = {0};
            kz_status status = kz_variant_plan(family, &family->variants[v], &c, &device, &plan, &error);
            assert_int_equal(status, v + 3 < family->variant_count ? KZ_UNSUPPORTED : KZ_OK);
        }
    kz_case whole = {.operation = KZ_REDUCE_MEAN, .type = KZ_I32, .axes = {1000}};
    kz_plan plan = {0};
    kz_error error = {0};
    assert_int_equal(
        kz_variant_plan(family, kz_variant_find(family, "08_epoch_flags"), &whole, &device, &plan, &error),
        KZ_UNSUPPORTED);
}

// A small input is spread over the multiprocessors, in small blocks; only 09 may start early.
static void shapes_by_size(void **state) {
    const struct {
        int64_t n;
        uint32_t blocks, threads;
    } shapes[] = {{0, 1, 128},         {512, 1, 128},       {513, 1, 256},       {8192, 1, 512},
                  {8193, 17, 128},     {1 << 16, 128, 128}, {1 << 17, 128, 256}, {1 << 18, 128, 512},
                  {1 << 19, 132, 512}, {1 << 22, 132, 512}, {1 << 24, 264, 512}, {1 << 28, 264, 512}};
    kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132};
    const kz_family *family = kz_family_find("reduce");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int v = 8; v <= 9; v++) {
            kz_case c = {.operation = KZ_REDUCE_SUM, .type = KZ_F32, .axes = {shapes[i].n}};
            kz_plan plan = {0};
            assert_int_equal(kz_variant_plan(family, &family->variants[v], &c, &device, &plan, NULL), KZ_OK);
            assert_int_equal(plan.steps[0].launch.grid[0], shapes[i].blocks);
            assert_int_equal(plan.steps[0].launch.block[0], shapes[i].threads);
            assert_int_equal(plan.steps[0].launch.overlap, v == 9);
        }
}

// Pseudo-random numbers in [-1, 1) that any reader can make again.
static double *make(int64_t n) {
    double *values = malloc((size_t)n * sizeof *values);
    uint32_t x = 12345;
    for (int64_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        values[i] = (double)(float)((double)(int32_t)x / 2147483648.0);
    }
    return values;
}

static void a_float_accumulator_passes_and_a_half_one_fails(void **state) {
    enum { N = 65536 };
    double bound, *values = make(N);
    double expected = reference(KZ_REDUCE_SUM, KZ_F32, values, N, &bound);
    float serial = 0.0f;
    for (int i = 0; i < N; i++) serial += (float)values[i];
    assert_true(fabs(serial - expected) <= bound);
    assert_true(fabs(expected) > bound); // zeros fail

    // The mildest way to lose precision: a tree, rounded to f16 at every node.
    uint16_t *tree = malloc(N * sizeof *tree);
    for (int i = 0; i < N; i++) kz_element_set(KZ_F16, tree, (uint64_t)i, values[i]);
    for (uint64_t half = N / 2; half > 0; half /= 2)
        for (uint64_t i = 0; i < half; i++)
            kz_element_set(KZ_F16, tree, i,
                           kz_element_get(KZ_F16, tree, i) + kz_element_get(KZ_F16, tree, i + half));
    assert_true(fabs(kz_element_get(KZ_F16, tree, 0) - expected) > bound);
    free(tree);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sums),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(extremes),
        cmocka_unit_test(nothing_gives_the_identity),
        cmocka_unit_test(means),
        cmocka_unit_test(the_first_of_the_extremes),
        cmocka_unit_test(who_does_means_and_indices),
        cmocka_unit_test(shapes_by_size),
        cmocka_unit_test(a_float_accumulator_passes_and_a_half_one_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
