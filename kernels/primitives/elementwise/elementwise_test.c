// elementwise: the reference against values worked out elsewhere, and its bound against what must fail.
#include <math.h>

#include "elementwise.h"
#include "kz/family.h"
#include "unit.h"

static double reference(kz_elementwise operation, kz_type type, double x, double *bound) {
    uint64_t memory;
    kz_element_set(type, &memory, 0, x);
    kz_case c = {.operation = operation, .type = type, .axes = {1}};
    double expected;
    kz_family_find("elementwise")->reference(&c, (void *[]){&memory, NULL}, 1, &expected, bound, NULL);
    return expected;
}

static void values(void **state) {
    double bound;
    assert_true(reference(KZ_ELEMENTWISE_SCALE, KZ_F32, 2.0, &bound) == 2.0 * (double)1.4142135f);
    assert_true(reference(KZ_ELEMENTWISE_RELU, KZ_F32, -2.0, &bound) == 0.0);
    assert_true(reference(KZ_ELEMENTWISE_RELU, KZ_BF16, 3.0, &bound) == 3.0);
    // The normal distribution's value at 1 is 0.8413447460685429.
    assert_float_equal(reference(KZ_ELEMENTWISE_GELU_ERF, KZ_F32, 1.0, &bound), 0.8413447460685429, 1e-12);
    assert_float_equal(reference(KZ_ELEMENTWISE_GELU_ERF, KZ_F32, -1.0, &bound), -0.1586552539314571, 1e-12);
    // (1 + tanh(0.7978845608 * 1.044715)) / 2
    assert_float_equal(reference(KZ_ELEMENTWISE_GELU_TANH, KZ_F32, 1.0, &bound), 0.8411919906082768, 1e-9);
    assert_float_equal(reference(KZ_ELEMENTWISE_SILU, KZ_F32, 1.0, &bound), 0.7310585786300049, 1e-12);
}

static void special_values(void **state) {
    double bound;
    for (int f = 0; f < KZ_ELEMENTWISE_COUNT; f++) {
        assert_true(isnan(reference((kz_elementwise)f, KZ_F32, NAN, &bound)));
        assert_true(reference((kz_elementwise)f, KZ_F32, INFINITY, &bound) == INFINITY);
        assert_true(reference((kz_elementwise)f, KZ_F32, 0.0, &bound) == 0.0);
    }
    assert_true(reference(KZ_ELEMENTWISE_RELU, KZ_F32, -INFINITY, &bound) == 0.0);
    assert_true(isnan(reference(KZ_ELEMENTWISE_SILU, KZ_F32, -INFINITY, &bound)));
    assert_true(reference(KZ_ELEMENTWISE_SCALE, KZ_F16, 65504.0, &bound) == INFINITY);
}

// Functions computed in f16 where float is claimed must be found out: at some point in the usual range the
// nearest f16 lies outside of the bound.
static void half_precision_fails(void **state) {
    for (int f = KZ_ELEMENTWISE_GELU_ERF; f < KZ_ELEMENTWISE_COUNT; f++) {
        int outside = 0;
        for (int i = -64; i < 64; i++) {
            double bound, expected = reference((kz_elementwise)f, KZ_F32, i / 16.0 + 0.01, &bound);
            uint16_t rounded;
            kz_element_set(KZ_F16, &rounded, 0, expected);
            outside += fabs(kz_element_get(KZ_F16, &rounded, 0) - expected) > bound;
        }
        assert_true(outside > 64);
    }
}

static void float_arithmetic_passes(void **state) {
    for (int i = -3000; i < 3000; i++) {
        float x = (float)i / 100.0f + 0.001f;
        double bound, expected = reference(KZ_ELEMENTWISE_GELU_ERF, KZ_F32, x, &bound);
        assert_true(fabs(0.5f * x * (1.0f + erff(x * 0.70710678f)) - expected) <= bound);
        expected =
            reference(KZ_ELEMENTWISE_SILU, KZ_F32, x * 4.0f, &bound); // as far as exp overflows in float
        assert_true(fabs(x * 4.0f / (1.0f + expf(-x * 4.0f)) - expected) <= bound);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(special_values),
        cmocka_unit_test(half_precision_fails),
        cmocka_unit_test(float_arithmetic_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
