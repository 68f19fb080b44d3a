// saxpy: the reference by hand, and how a case carries a.
#include <math.h>

#include "kz/family.h"
#include "private.h"
#include "unit.h"

static void a_case_carries_a(void **state) {
    kz_case c = {.axes = {1, 0}};
    assert_true(saxpy_get_a(&c) == 1.4142135f);
    const float values[] = {0.0f, -0.0f, 2.5f, -1e-40f, INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        c.axes[1] = saxpy_put_a(values[i]);
        assert_true(saxpy_get_a(&c) == values[i]);
    }
}

static void both_ways_of_rounding_pass(void **state) {
    float x[] = {0.1f, -0.7f, 1e-20f}, y[] = {0.3f, 0.98994946f, 1.0f};
    kz_case c = {.type = KZ_F32, .axes = {3}};
    double expected[3], bound[3];
    kz_family_find("saxpy")->reference(&c, (void *[]){x, y}, 1, expected, bound, NULL);
    for (int i = 0; i < 3; i++) {
        volatile float product = 1.4142135f * x[i]; // rounded: no fusing over a volatile
        assert_true(fabs(product + y[i] - expected[i]) <= bound[i]);
        assert_true(fabs(fmaf(1.4142135f, x[i], y[i]) - expected[i]) <= bound[i]);
        assert_false(fabs(y[i] - expected[i]) <= bound[i] && i < 2); // y left as it was
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_case_carries_a),
                                       cmocka_unit_test(both_ways_of_rounding_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
