// Sums past float's largest number: what they come to depends on their order, so the references leave it open; a sum that keeps
// within float has its bound as ever.
#include "gemm/product.h"

#include <float.h>
#include <math.h>

#include "unit.h"

static void what_may_overflow(void **state) {
    assert_false(gemm_may_overflow(100, 100.0));
    assert_false(gemm_may_overflow(0, 0.0));
    assert_true(gemm_may_overflow(4, 0x1p254));   // four products of 2^126: 2^128
    assert_false(gemm_may_overflow(1, 0x1p254));  // one
    assert_false(gemm_may_overflow(4, INFINITY)); // a factor that is not finite has a right answer
    assert_false(gemm_may_overflow(4, (double)NAN));
}

// c = a b of one row, one column and two products, a b and -a b: 0, or what comes of an overflow on the way.
static double bound_of_two(const char *name, uint32_t operation, kz_type type, double factor) {
    const kz_family *family = kz_family_find(name);
    const kz_case c = {.operation = operation, .type = type, .axes = {1, 1, 2, 1, 0}};
    double a[2], b[2], result[2], expected, bound; // room for any type
    for (uint64_t i = 0; i < 2; i++) {
        kz_element_set(type, a, i, i ? -factor : factor);
        kz_element_set(type, b, i, factor);
    }
    void *host[] = {a, b, result, NULL, NULL};
    assert_int_equal(family->reference(&c, host, 2, &expected, &bound, NULL), KZ_OK);
    if (bound != KZ_ANYTHING) assert_true(expected == 0.0 && bound >= 0.0);
    return bound;
}

static void an_overflow_is_left_open(void **state) {
    static const struct {
        const char *family;
        kz_type type;
    } of[] = {
        {"sgemm", KZ_F32}, {"hgemm", KZ_BF16}, {"gemm", KZ_BF16}, {"gemm", KZ_F32}, {"gemm_types", KZ_F32}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        double bound = bound_of_two(of[i].family, 0, of[i].type, 2.0);
        assert_true(bound >= 0.0 && bound < 1.0);
        assert_true(bound_of_two(of[i].family, 0, of[i].type, 0x1p100) == KZ_ANYTHING);
        assert_true(bound_of_two(of[i].family, 0, of[i].type, 0x1p60) >= 0.0); // 2^120: none
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_overflow),
        cmocka_unit_test(an_overflow_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
