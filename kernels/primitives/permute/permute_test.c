// permute: the reference on a tensor one can see, merging, fast division, what the plan of 09 takes, and the
// public operation on the cpu.
#include <stdio.h>

#include "divide.h"
#include "permute.h"
#include "private.h"
#include "unit.h"

static uint32_t operation(const char *order) {
    uint32_t i = 0;
    while (strcmp(permute_orders[i], order) != 0) i++;
    return i;
}

static kz_case make_case(const char *order, kz_type type, int64_t a, int64_t b, int64_t c, int64_t d) {
    return (kz_case){.operation = operation(order), .type = type, .axes = {a, b, c, d}};
}

static void the_last_axis_first(void **state) {
    float in[] = {1, 2, 3, /**/ 4, 5, 6}; // 1 x 1 x 2 x 3
    const double transposed[] = {1, 4, /**/ 2, 5, /**/ 3, 6};
    kz_case c = make_case("dabc", KZ_F32, 1, 1, 2, 3);
    double expected[6], bound[6];
    permute_reference(&c, (void *[]){in, NULL}, OUT, expected, bound, NULL);
    for (int i = 0; i < 6; i++) assert_true(expected[i] == transposed[i] && bound[i] == 0.0);
}

static void expect_merged(kz_case c, const char *what) {
    permute_shape whole = permute_shape_of(&c), s = permute_merge(&whole);
    char text[64] = "";
    size_t at = 0;
    for (int i = 0; i < s.rank; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%llu:%d ", (unsigned long long)s.n[i], s.order[i]);
    assert_string_equal(text, what);
    assert_int_equal(permute_elements(&s), permute_elements(&whole));
}

// "length:axis of the input that is in this place of the output", for each axis that is left.
static void neighbours_become_one(void **state) {
    expect_merged(make_case("abcd", KZ_F32, 2, 3, 5, 7), "210:0 ");
    expect_merged(make_case("acdb", KZ_F32, 2, 3, 5, 7), "2:0 3:2 35:1 ");
    expect_merged(make_case("acdb", KZ_F32, 1, 3, 5, 7), "3:1 35:0 ");
    expect_merged(make_case("cdab", KZ_F32, 2, 3, 5, 7), "6:1 35:0 ");
    expect_merged(make_case("acbd", KZ_F32, 2, 3, 1, 7), "42:0 ");
    expect_merged(make_case("dcba", KZ_F32, 2, 3, 5, 7), "2:3 3:2 5:1 7:0 ");
    expect_merged(make_case("dcba", KZ_F32, 1, 1, 1, 1), "1:0 ");
    expect_merged(make_case("dcba", KZ_F32, 0, 3, 1, 1), "0:1 3:0 ");
}

static void a_multiplication_divides(void **state) {
    const uint32_t divisors[] = {1,
                                 2,
                                 3,
                                 5,
                                 7,
                                 10,
                                 641,
                                 1000,
                                 65535,
                                 65536,
                                 65537,
                                 1000003,
                                 (1u << 30) - 1,
                                 1u << 30,
                                 (1u << 30) + 1,
                                 INT32_MAX};
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++) {
        uint32_t d = divisors[i], rest;
        divider by = divider_unpack(divider_pack(d));
        for (uint64_t multiple = 0; multiple <= INT32_MAX; multiple += (uint64_t)d * (INT32_MAX / d / 97 + 1))
            for (int64_t n = (int64_t)multiple - 2; n <= (int64_t)multiple + 2; n++) {
                if (n < 0 || n > INT32_MAX) continue;
                assert_int_equal(divide((uint32_t)n, by, &rest), (uint32_t)n / d);
                assert_int_equal(rest, (uint32_t)n % d);
            }
        assert_int_equal(divide(INT32_MAX, by, &rest), INT32_MAX / d);
    }
}

static void expect_chosen(kz_case c, const char *entry) {
    kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132};
    kz_plan plan = {0};
    kz_error error = {0};
    const kz_variant *chosen = kz_variant_find(&kz_family_permute, "09_dispatch");
    assert_int_equal(kz_variant_plan(&kz_family_permute, chosen, &c, &device, &plan, &error), KZ_OK);
    assert_int_equal(plan.step_count, 1);
    if (entry)
        assert_string_equal(plan.steps[0].entry, entry);
    else
        assert_int_equal(plan.steps[0].kind, KZ_STEP_COPY);
}

static void the_plan_goes_by_shape(void **state) {
    expect_chosen(make_case("abcd", KZ_U8, 3, 5, 7, 11), NULL);
    expect_chosen(make_case("acbd", KZ_BF16, 8, 4096, 32, 128), "permute_row_copy_permute_pack");
    expect_chosen(make_case("acbd", KZ_BF16, 8, 4096, 32, 100), "permute_row_copy_permute_i64");
    expect_chosen(make_case("acbd", KZ_BF16, 8, 4096, 32, 5), "permute_tile_4d_permute_u16");
    expect_chosen(make_case("acdb", KZ_F32, 64, 256, 56, 56), "permute_wide_tile_permute_u32");
    expect_chosen(make_case("acdb", KZ_BF16, 64, 64, 56, 56), "permute_small_permute_u16");
    expect_chosen(make_case("acdb", KZ_U8, 64, 3, 56, 56), "permute_join3_permute_u8");
    expect_chosen(make_case("adbc", KZ_F32, 64, 56, 56, 4), "permute_split4_permute_u32");
    expect_chosen(make_case("adbc", KZ_F32, 64, 55, 55, 4), "permute_tile_4d_permute_u32");
    expect_chosen(make_case("adbc", KZ_F32, 64, 56, 56, 5), "permute_tile_4d_permute_u32");
}

static void huge_indices_are_refused(void **state) {
    kz_case c = make_case("dcba", KZ_U8, 1 << 10, 1 << 10, 1 << 10, 2);
    kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132};
    kz_plan plan = {0};
    kz_error error = {0};
    const kz_variant *merged = kz_variant_find(&kz_family_permute, "03_merged_axes");
    assert_int_equal(kz_variant_plan(&kz_family_permute, merged, &c, &device, &plan, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "below 2^31"));
    assert_non_null(kz_choose(&kz_family_permute, &c, &device, false, NULL)); // 09 counts boxes
}

static void the_operation_permutes(void **state) {
    kz_device *device;
    kz_operation *permute;
    kz_error error = {0};
    uint16_t in[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, out[12] = {0}; // 2 x 3 x 2
    const uint16_t swapped[] = {1, 3, 5, 2, 4, 6, 7, 9, 11, 8, 10, 12};
    const size_t axes[] = {2, 3, 2};
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(
        kz_permute_open(device, KZ_BF16, 3, axes, (const unsigned[]){0, 2, 1}, NULL, &permute, &error),
        KZ_OK);
    assert_int_equal(kz_permute_run(permute, NULL, (kz_ptr)(uintptr_t)in, (kz_ptr)(uintptr_t)out, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_memory_equal(out, swapped, sizeof out);
    kz_operation_close(permute);
    assert_int_equal(
        kz_permute_open(device, KZ_BF16, 3, axes, (const unsigned[]){0, 2, 2}, NULL, &permute, &error),
        KZ_INVALID);
    assert_null(permute);
    assert_non_null(strstr(error.message, "each axis once"));
    assert_int_equal(kz_permute_open(device, KZ_BF16, 5, axes, NULL, NULL, &permute, &error), KZ_INVALID);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_axis_first),      cmocka_unit_test(neighbours_become_one),
        cmocka_unit_test(a_multiplication_divides), cmocka_unit_test(the_plan_goes_by_shape),
        cmocka_unit_test(huge_indices_are_refused), cmocka_unit_test(the_operation_permutes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
