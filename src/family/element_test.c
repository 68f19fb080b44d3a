// Elements of every type, and what rounding to a type may do.
#include <math.h>

#include "kz/family.h"
#include "unit.h"

static void what_is_set_is_got(void **state) {
    for (int t = 0; t < KZ_TYPE_COUNT; t++) {
        uint64_t memory[4] = {0};
        kz_element_set((kz_type)t, memory, 2, 96.0);
        assert_true(kz_element_get((kz_type)t, memory, 2) == 96.0);
        assert_true(kz_element_get((kz_type)t, memory, 1) == 0.0);
    }
}

static void setting_rounds_once_to_even(void **state) {
    uint64_t memory;
    kz_element_set(KZ_F16, &memory, 0, 1.0 + 0x1p-11); // a tie: to the even one below
    assert_true(kz_element_get(KZ_F16, &memory, 0) == 1.0);
    // Just above that tie: by way of float it would be rounded to the tie first, and then down.
    kz_element_set(KZ_F16, &memory, 0, 1.0 + 0x1p-11 + 0x1p-40);
    assert_true(kz_element_get(KZ_F16, &memory, 0) == 1.0 + 0x1p-10);
    kz_element_set(KZ_BF16, &memory, 0, 1.0 + 0x1p-8 + 0x1p-40);
    assert_true(kz_element_get(KZ_BF16, &memory, 0) == 1.0 + 0x1p-7);
}

static void half_ulps(void **state) {
    assert_true(kz_half_ulp(KZ_F32, 1.0) == 0x1p-24);
    assert_true(kz_half_ulp(KZ_F32, -1.999) == 0x1p-24);
    assert_true(kz_half_ulp(KZ_F32, 2.0) == 0x1p-23);
    assert_true(kz_half_ulp(KZ_F32, 0x1p-140) == 0x1p-150); // denormals are evenly spaced
    assert_true(kz_half_ulp(KZ_F16, 1.0) == 0x1p-11);
    assert_true(kz_half_ulp(KZ_F16, 1e-7) == 0x1p-25);
    assert_true(kz_half_ulp(KZ_BF16, 1.0) == 0x1p-8);
    assert_true(kz_half_ulp(KZ_F64, 1.0) == 0x1p-53);
    assert_true(kz_half_ulp(KZ_I32, 7.0) == 0.0);
    assert_true(kz_half_ulp(KZ_F32, 0.0) == 0.0);
    assert_true(kz_unit_roundoff(KZ_F32) == 0x1p-24 && kz_unit_roundoff(KZ_I32) == 0.0);
}

// kz_saturate must agree with what storing the value really does.
static void saturation_is_that_of_the_type(void **state) {
    const struct {
        kz_type type;
        double largest, limit;
    } rows[] = {{KZ_F16, 65504.0, 65520.0},
                {KZ_BF16, 0x1.fep127, 0x1.ffp127},
                {KZ_F32, 0x1.fffffep127, 0x1.ffffffp127}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double below = nextafter(rows[i].limit, 0.0);
        assert_true(kz_saturate(rows[i].type, below) == below);
        assert_true(kz_saturate(rows[i].type, rows[i].limit) == INFINITY);
        assert_true(kz_saturate(rows[i].type, -rows[i].limit) == -INFINITY);
        uint64_t memory;
        kz_element_set(rows[i].type, &memory, 0, below);
        assert_true(kz_element_get(rows[i].type, &memory, 0) == rows[i].largest);
        kz_element_set(rows[i].type, &memory, 0, rows[i].limit);
        assert_true(kz_element_get(rows[i].type, &memory, 0) == INFINITY);
    }
    assert_true(kz_saturate(KZ_F64, 1e308) == 1e308 && kz_saturate(KZ_I32, 1e20) == 1e20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_set_is_got),
        cmocka_unit_test(setting_rounds_once_to_even),
        cmocka_unit_test(half_ulps),
        cmocka_unit_test(saturation_is_that_of_the_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
