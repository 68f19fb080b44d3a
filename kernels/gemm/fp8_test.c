// fp8: every code read and written, and what lies between them.
#include "gemm/fp8.h"

#include <math.h>

#include "unit.h"

static void all_fp8_codes_read_and_round_to_themselves(void **state) {
    assert_true(gemm_fp8_value(GEMM_E4M3, 0x01) == 0x1p-9 && gemm_fp8_value(GEMM_E4M3, 0x08) == 0x1p-6);
    assert_true(gemm_fp8_value(GEMM_E4M3, 0x38) == 1 && gemm_fp8_value(GEMM_E4M3, 0xfe) == -448);
    assert_true(gemm_fp8_value(GEMM_E5M2, 0x01) == 0x1p-16 && gemm_fp8_value(GEMM_E5M2, 0x04) == 0x1p-14);
    assert_true(gemm_fp8_value(GEMM_E5M2, 0x3c) == 1 && gemm_fp8_value(GEMM_E5M2, 0xfb) == -57344);
    assert_true(isnan(gemm_fp8_value(GEMM_E4M3, 0x7f)) && isnan(gemm_fp8_value(GEMM_E4M3, 0xff)));
    assert_true(isinf(gemm_fp8_value(GEMM_E5M2, 0x7c)) && isnan(gemm_fp8_value(GEMM_E5M2, 0xfd)));
    for (int format = GEMM_E4M3; format <= GEMM_E5M2; format++)
        for (unsigned code = 0; code < 256; code++) {
            double value = gemm_fp8_value((gemm_fp8)format, (uint8_t)code);
            if (!isnan(value)) assert_int_equal(gemm_fp8_code((gemm_fp8)format, value), code);
        }
}

static void fp8_rounds_to_the_nearest(void **state) {
    assert_int_equal(gemm_fp8_code(GEMM_E4M3, 1000), 0x7e);
    assert_int_equal(gemm_fp8_code(GEMM_E4M3, 1.0625), 0x38); // a tie: to even
    assert_int_equal(gemm_fp8_code(GEMM_E4M3, 1.1875), 0x3a);
    assert_int_equal(gemm_fp8_code(GEMM_E4M3, 0x1.8p-10), 0x01);
    assert_int_equal(gemm_fp8_code(GEMM_E4M3, 1.99), 0x40);     // into the next exponent
    assert_int_equal(gemm_fp8_code(GEMM_E4M3, 0x1.fp-7), 0x08); // and out of the denormal numbers
    assert_int_equal(gemm_fp8_code(GEMM_E5M2, 1e6), 0x7b);
    assert_int_equal(gemm_fp8_code(GEMM_E5M2, -(double)INFINITY), 0xfc);
    assert_int_equal(gemm_fp8_code(GEMM_E5M2, (double)NAN), 0x7f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_fp8_codes_read_and_round_to_themselves),
                                       cmocka_unit_test(fp8_rounds_to_the_nearest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
