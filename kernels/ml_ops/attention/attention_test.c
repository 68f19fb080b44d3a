// attention: the reference against a case worked out by hand, and its bound against what must fail and what must pass.
#include <math.h>
#include <stdlib.h>
// cmocka's header wants those before it

#include "kz/family.h"
#include "unit.h"

#include "attention.h"

enum { KEYS = 1024, DIMENSION = 64 };

static float q[DIMENSION], k[KEYS * DIMENSION], v[KEYS * DIMENSION];
static double expected[DIMENSION], bound[DIMENSION];

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

// Stores the numbers in the type; they are then what was stored.
static void *store(kz_type type, float *numbers, uint64_t count) {
    void *memory = malloc(count * kz_type_size(type));
    assert_non_null(memory);
    for (uint64_t i = 0; i < count; i++) {
        kz_element_set(type, memory, i, (double)numbers[i]);
        numbers[i] = (float)kz_element_get(type, memory, i);
    }
    return memory;
}

static void refer(kz_attention_operation operation, kz_type type, int64_t queries, int64_t keys,
                  int64_t dimension, double *result, double *result_bound) {
    const kz_case c = {.operation = operation, .type = type, .axes = {1, 1, 1, queries, keys, dimension}};
    void *host[] = {store(type, q, (uint64_t)(queries * dimension)),
                    store(type, k, (uint64_t)(keys * dimension)),
                    store(type, v, (uint64_t)(keys * dimension)), NULL};
    assert_int_equal(kz_family_find("attention")->reference(&c, host, 3, result, result_bound, NULL), KZ_OK);
    for (int i = 0; i < 3; i++) free(host[i]);
}

static void by_hand(void **state) {
    // Two queries of one number, two keys: scores 0 and log 3 for the first query, 0 and 0 for the second.
    double out[2], out_bound[2];
    q[0] = 1.0f, q[1] = 0.0f, k[0] = 0.0f, k[1] = logf(3.0f), v[0] = 8.0f, v[1] = 16.0f;
    refer(KZ_ATTENTION_FULL, KZ_F32, 2, 2, 1, out, out_bound);
    assert_float_equal(out[0], 14.0, 1e-6); // weights 1/4 and 3/4
    assert_float_equal(out[1], 12.0, 1e-12);
    refer(KZ_ATTENTION_CAUSAL, KZ_F32, 2, 2, 1, out, out_bound);
    assert_float_equal(out[0], 8.0, 1e-12); // its own key alone
    assert_float_equal(out[1], 12.0, 1e-12);
    refer(KZ_ATTENTION_CAUSAL, KZ_F32, 1, 2, 1, out, out_bound); // the last query attends to all
    assert_float_equal(out[0], 14.0, 1e-6);
}

static void fill(float *numbers, uint32_t which, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = (float)((double)(kz_draw(7, which, i) >> 11) * 0x1p-52 - 1.0);
}

static double tf32(double x) { // 11 bits of the mantissa
    int exponent;
    double mantissa = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(mantissa, 11)), exponent - 11);
}
static double whole(double x) { return x; }

// How many results of one query lie outside of the bound: factors of the scores as `factor` leaves them, weights rounded
// to `weight`, sums to `sum`.
static int outside(kz_type type, double (*factor)(double), kz_type weight, kz_type sum) {
    static double weights[KEYS];
    double total = 0.0;
    int count = 0;
    fill(q, 0, DIMENSION), fill(k, 1, KEYS * DIMENSION), fill(v, 2, KEYS * DIMENSION);
    refer(KZ_ATTENTION_FULL, type, 1, KEYS, DIMENSION, expected, bound);
    for (int j = 0; j < KEYS; j++) {
        double score = 0.0;
        for (int d = 0; d < DIMENSION; d++)
            score = in(KZ_F32, score + factor((double)q[d]) * factor((double)k[j * DIMENSION + d]));
        weights[j] = in(KZ_F32, exp(in(KZ_F32, score / sqrt(DIMENSION))));
        total = in(KZ_F32, total + weights[j]);
        weights[j] = in(weight, weights[j]);
    }
    for (int d = 0; d < DIMENSION; d++) {
        double out = 0.0;
        for (int j = 0; j < KEYS; j++) out = in(sum, out + weights[j] * (double)v[j * DIMENSION + d]);
        count += !(fabs(in(type, out / total) - expected[d]) <= bound[d]);
    }
    return count;
}

static void float_passes(void **state) {
    assert_int_equal(outside(KZ_F32, whole, KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_F16, whole, KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_BF16, whole, KZ_F32, KZ_F32), 0);
}

static void weights_of_tensor_cores_pass(void **state) {
    assert_int_equal(outside(KZ_F16, whole, KZ_F16, KZ_F32), 0);
    assert_int_equal(outside(KZ_BF16, whole, KZ_BF16, KZ_F32), 0);
    assert_true(outside(KZ_F32, whole, KZ_F16, KZ_F32) > 0); // f32 has no such excuse
}

static void less_than_float_fails(void **state) {
    assert_true(outside(KZ_F32, tf32, KZ_F32, KZ_F32) > 0);
    assert_true(outside(KZ_F16, whole, KZ_F32, KZ_F16) > 0);
    assert_true(outside(KZ_BF16, whole, KZ_F32, KZ_BF16) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(float_passes),
        cmocka_unit_test(weights_of_tensor_cores_pass),
        cmocka_unit_test(less_than_float_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
