// vector_add: the reference against sums done by hand.
#include <math.h>

#include "kz/family.h"
#include "unit.h"

static void the_bound_is_one_rounding(void **state) {
    float x[] = {1.0f, 1.0f, 3e38f, INFINITY, 0.0f}, y[] = {2.0f, 0x1p-24f, 3e38f, -INFINITY, 0.0f};
    kz_case c = {.type = KZ_F32, .axes = {5}};
    double expected[5], bound[5];
    kz_family_find("vector_add")->reference(&c, (void *[]){x, y, NULL}, 2, expected, bound, NULL);
    assert_true(expected[0] == 3.0 && bound[0] == 0x1p-23); // half of the ulp at 3, which is 2^-22
    assert_true(expected[1] == 1.0 + 0x1p-24);
    assert_true(fabs(1.0 - expected[1]) <= bound[1]);            // what a float addition gives
    assert_false(fabs(1.0 + 0x1p-10 - expected[1]) <= bound[1]); // what an f16 addition might give
    assert_true(expected[2] == INFINITY);
    assert_true(isnan(expected[3]));
    assert_true(expected[4] == 0.0 && bound[4] == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_bound_is_one_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
