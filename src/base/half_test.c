// Half types against every value of the format and every rounding boundary between two of them.
#include "base/base.h"

#include <math.h>

#include "unit.h"

typedef struct format {
    float (*widen)(uint16_t);
    uint16_t (*narrow32)(float);
    uint16_t (*narrow64)(double);
    uint16_t infinity;
} format;

static const format formats[] = {
    {base_f16_to_f32, base_f32_to_f16, base_f64_to_f16, 0x7c00},
    {base_bf16_to_f32, base_f32_to_bf16, base_f64_to_bf16, 0x7f80},
};

static void every_value_survives(void **state) {
    for (size_t f = 0; f < BASE_COUNT(formats); f++) {
        for (uint32_t bits = 0; bits < 0x10000; bits++) {
            float value = formats[f].widen((uint16_t)bits);
            if ((bits & 0x7fff) > formats[f].infinity) {
                assert_true(isnan(value));
                assert_true((formats[f].narrow32(value) & 0x7fff) > formats[f].infinity);
                assert_true((formats[f].narrow64(value) & 0x7fff) > formats[f].infinity);
            } else {
                assert_int_equal(formats[f].narrow32(value), bits);
                assert_int_equal(formats[f].narrow64(value), bits);
            }
        }
    }
}

// Between neighbours a < b the middle goes to the even one, and anything beyond it to the nearer.
static void boundaries_round_to_even(void **state) {
    for (size_t f = 0; f < BASE_COUNT(formats); f++) {
        for (uint16_t bits = 0; bits + 1 < formats[f].infinity; bits++) {
            double a = formats[f].widen(bits), b = formats[f].widen((uint16_t)(bits + 1));
            double middle = a + (b - a) / 2;
            uint16_t even = (uint16_t)(bits + (bits & 1));
            assert_int_equal(formats[f].narrow64(middle), even);
            assert_int_equal(formats[f].narrow64(-middle), even | 0x8000);
            assert_int_equal(formats[f].narrow64(nextafter(middle, 0)), bits);
            assert_int_equal(formats[f].narrow64(nextafter(middle, b)), bits + 1);
            if ((double)(float)middle == middle) assert_int_equal(formats[f].narrow32((float)middle), even);
        }
    }
}

static void overflow_and_underflow(void **state) {
    assert_int_equal(base_f32_to_f16(65519.0f), 0x7bff);
    assert_int_equal(base_f32_to_f16(65520.0f), 0x7c00);
    assert_int_equal(base_f32_to_f16(-INFINITY), 0xfc00);
    assert_int_equal(base_f64_to_f16(0x1p-25), 0);
    assert_int_equal(base_f64_to_f16(nextafter(0x1p-25, 1)), 1);
    assert_int_equal(base_f64_to_f16(-0x1p-1000), 0x8000);
    assert_int_equal(base_f64_to_bf16(1e300), 0x7f80);
    assert_int_equal(base_f32_to_bf16(0x1.ffp127f), 0x7f80);
    // One rounding, not two: this double lies just above the middle, its float on it.
    assert_int_equal(base_f64_to_f16(1.0 + 0x1p-11 + 0x1p-50), 0x3c01);
    assert_int_equal(base_f32_to_f16((float)(1.0 + 0x1p-11 + 0x1p-50)), 0x3c00);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_survives),
        cmocka_unit_test(boundaries_round_to_even),
        cmocka_unit_test(overflow_and_underflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
