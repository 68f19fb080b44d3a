// transpose: the reference on a matrix one can see.

#include "kz/family.h"
#include "unit.h"

static void two_by_three(void **state) {
    float in[] = {1, 2, 3, /**/ 4, 5, 6};
    const double transposed[] = {1, 4, /**/ 2, 5, /**/ 3, 6};
    kz_case c = {.type = KZ_F32, .axes = {2, 3}};
    double expected[6], bound[6];
    kz_family_find("transpose")->reference(&c, (void *[]){in, NULL}, 1, expected, bound, NULL);
    for (int i = 0; i < 6; i++) assert_true(expected[i] == transposed[i] && bound[i] == 0.0);
}

static void a_grid_too_large_is_refused(void **state) {
    // 2^32 rows of 1000 columns: more tiles of 16 x 16 than a grid has blocks.
    kz_case c = {.type = KZ_F16, .axes = {1LL << 32, 1000}};
    kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132};
    const kz_family *family = kz_family_find("transpose");
    kz_plan plan = {0};
    kz_error error = {0};
    assert_int_equal(kz_variant_plan(family, kz_variant_find(family, "naive"), &c, &device, &plan, &error),
                     KZ_UNSUPPORTED);
    assert_int_equal(kz_choose(family, &c, &device, false, NULL) != NULL, true); // 07 has fewer, larger tiles
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_by_three),
                                       cmocka_unit_test(a_grid_too_large_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
