// rmsnorm: the reference against a row worked out by hand, and its bound against what must fail and what must pass.
#include <math.h>

#include "kz/family.h"
#include "unit.h"

enum { COLUMNS = 1024 };

static float x[COLUMNS], weight[COLUMNS];
static double expected[COLUMNS], bound[COLUMNS];

// The reference of one row in `type`, in which x and weight are stored; they are then what was stored.
static void refer(kz_type type, int64_t columns) {
    static double stored[2][COLUMNS];
    const kz_case c = {.type = type, .axes = {1, columns}};
    for (int64_t i = 0; i < columns; i++) {
        kz_element_set(type, stored[0], (uint64_t)i, (double)x[i]);
        kz_element_set(type, stored[1], (uint64_t)i, (double)weight[i]);
        x[i] = (float)kz_element_get(type, stored[0], (uint64_t)i);
        weight[i] = (float)kz_element_get(type, stored[1], (uint64_t)i);
    }
    void *host[] = {stored[0], stored[1], NULL};
    assert_int_equal(kz_family_find("rmsnorm")->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
}

static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

static void fill(void) {
    for (uint64_t i = 0; i < COLUMNS; i++) {
        x[i] = (float)((double)(kz_draw(7, 0, i) >> 11) * 0x1p-52 - 1.0);
        weight[i] = (float)((double)(kz_draw(7, 1, i) >> 11) * 0x1p-52 - 1.0);
    }
}

static void a_row_by_hand(void **state) {
    x[0] = 3.0f, x[1] = 4.0f, weight[0] = 1.0f, weight[1] = -2.0f; // squares 9 and 16: a mean of 12.5
    refer(KZ_F32, 2);
    assert_float_equal(expected[0], 3.0 / sqrt(12.5 + 1e-6), 1e-9);
    assert_float_equal(expected[1], -8.0 / sqrt(12.5 + 1e-6), 1e-9);
}

// How many of a row's results lie outside of the bound, squares added in `sum`, x times the factor rounded to `middle`.
static int outside(kz_type type, kz_type sum, kz_type middle) {
    double squares = 0.0;
    int count = 0;
    fill();
    refer(type, COLUMNS);
    for (int i = 0; i < COLUMNS; i++) squares = in(sum, squares + in(sum, (double)x[i] * (double)x[i]));
    double factor = in(KZ_F32, 1.0 / sqrt(squares / COLUMNS + 1e-6));
    for (int i = 0; i < COLUMNS; i++) {
        double y = in(type, in(middle, (double)x[i] * factor) * (double)weight[i]);
        count += !(fabs(y - expected[i]) <= bound[i]);
    }
    return count;
}

static void float_passes(void **state) {
    assert_int_equal(outside(KZ_F32, KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_F16, KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_BF16, KZ_F32, KZ_F32), 0);
}

static void less_than_float_fails(void **state) {
    assert_true(outside(KZ_F16, KZ_F16, KZ_F32) > 0);
    assert_true(outside(KZ_BF16, KZ_BF16, KZ_F32) > 0);
    assert_true(outside(KZ_F16, KZ_F32, KZ_F16) > 0);
    assert_true(outside(KZ_BF16, KZ_F32, KZ_BF16) > 0);
    assert_true(outside(KZ_F32, KZ_F16, KZ_F32) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_by_hand),
        cmocka_unit_test(float_passes),
        cmocka_unit_test(less_than_float_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
