// top_k: the rule for equals, NaN and zeros by hand, what the plans refuse and choose, and the public operation on the simulator.
#include <math.h>
#include <string.h>

#include "kz/family.h"
#include "top_k.h"
#include "unit.h"

enum { VALUES = 1, INDEX = 2, MOST = 16 };

static void refer(kz_type type, const double *row, int64_t columns, int64_t k, double *values,
                  double *index) {
    double memory[MOST], bound[MOST];
    const kz_case c = {.type = type, .axes = {1, columns, k}};
    for (int64_t i = 0; i < columns; i++) kz_element_set(type, memory, (uint64_t)i, row[i]);
    void *host[] = {memory, NULL, NULL};
    const kz_family *family = kz_family_find("top_k");
    assert_int_equal(family->reference(&c, host, VALUES, values, bound, NULL), KZ_OK);
    for (int64_t i = 0; i < k; i++) assert_true(bound[i] == 0.0);
    assert_int_equal(family->reference(&c, host, INDEX, index, bound, NULL), KZ_OK);
    for (int64_t i = 0; i < k; i++) assert_true(bound[i] == 0.0);
}

static void a_row_by_hand(void **state) {
    const double row[] = {3, -0.0, 7, NAN, 0, 7, -INFINITY, NAN, INFINITY, 3};
    const int wanted[] = {3, 7, 8, 2, 5, 0, 9, 1, 4, 6};
    double values[MOST], index[MOST];
    for (int64_t k = 1; k <= 10; k++) {
        refer(KZ_F32, row, 10, k, values, index);
        for (int64_t i = 0; i < k; i++) {
            assert_true(index[i] == wanted[i]);
            assert_true(values[i] == row[wanted[i]] || (isnan(values[i]) && isnan(row[wanted[i]])));
        }
    }
}

// ---- on the simulator --------------------------------------------------------------------------------------------

enum { ROWS = 3, COLUMNS = 150 };

// Of a variant, with the bits of its values. The row is full of equals, zeros of both signs and NaN of several kinds.
static void run(const char *variant, uint64_t k, uint16_t *values, int32_t *index) {
    static const uint16_t bits[] = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x7fc1,
                                    0xffc2, 0x7f80, 0xff80, 0x0001, 0x8001};
    uint16_t x[ROWS * COLUMNS];
    for (uint64_t i = 0; i < ROWS * COLUMNS; i++) x[i] = bits[kz_draw(5, 0, i) % 10];
    kz_error error = {0};
    kz_device *device;
    kz_operation *operation;
    kz_ptr memory;
    uint64_t index_at = 2048, values_at = 1024, bytes = index_at + ROWS * COLUMNS * 4;
    assert_int_equal(kz_device_open("sim", &device, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, bytes, &memory, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, memory, x, sizeof x, &error), KZ_OK);
    if (kz_top_k_open(device, KZ_BF16, ROWS, COLUMNS, k, variant, &operation, &error) != KZ_OK)
        fail_msg("%s", error.message);
    assert_int_equal(kz_top_k_run(operation, NULL, memory, memory + values_at, memory + index_at, &error),
                     KZ_OK);
    assert_int_equal(kz_copy_to_host(device, NULL, values, memory + values_at, ROWS * k * 2, &error), KZ_OK);
    assert_int_equal(kz_copy_to_host(device, NULL, index, memory + index_at, ROWS * k * 4, &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    for (uint64_t i = 0; i < ROWS * k; i++)
        assert_int_equal(values[i], x[i / k * COLUMNS + (uint64_t)index[i]]);
    kz_operation_close(operation);
    kz_memory_free(device, memory, NULL);
    kz_device_close(device);
}

// The values are the row's own bits: a zero keeps its sign, a NaN its payload. And every variant finds the same elements.
static void values_keep_their_bits(void **state) {
    static const char *const variants[] = {"02_sort", "03_radix_select", "04_warp_filter", "05_block_filter",
                                           "06_cluster"};
    static uint16_t values[ROWS * COLUMNS];
    static int32_t first[ROWS * COLUMNS], index[ROWS * COLUMNS];
    run("01_arg_max", 100, values, first);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        run(variants[v], 100, values, index);
        assert_memory_equal(index, first, ROWS * 100 * sizeof *index);
    }
}

// ---- plans ---------------------------------------------------------------------------------------------------------

static void more_than_a_row_has_is_refused(void **state) {
    kz_error error = {0};
    kz_device *device;
    kz_operation *operation = NULL;
    assert_int_equal(kz_device_open("sim", &device, &error), KZ_OK);
    assert_int_equal(kz_top_k_open(device, KZ_F32, 4, 20, 21, NULL, &operation, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "k is 21, and a row has 20 columns"));
    assert_null(operation);
    assert_int_equal(kz_top_k_open(device, KZ_F32, 4, 20, 20, NULL, &operation, &error), KZ_OK);
    kz_operation_close(operation);
    assert_int_equal(kz_top_k_open(device, KZ_F32, 1, 200, 129, "04_warp_filter", &operation, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "k to 128"));
    kz_device_close(device);
}

static const char *chosen(kz_device *device, int64_t rows, int64_t columns, int64_t k) {
    const kz_case c = {.type = KZ_BF16, .axes = {rows, columns, k}};
    return kz_choose(kz_family_find("top_k"), &c, kz_device_get_info(device), false, NULL)->name;
}

static void shapes_get_their_variants(void **state) {
    kz_device *device;
    assert_int_equal(kz_device_open("sim", &device, NULL), KZ_OK);
    assert_string_equal(chosen(device, 32768, 4096, 64), "04_warp_filter");
    assert_string_equal(chosen(device, 32768, 8193, 64), "05_block_filter");
    assert_string_equal(chosen(device, 32768, 4096, 129), "05_block_filter");
    assert_string_equal(chosen(device, 1024, 131072, 1024), "05_block_filter");
    assert_string_equal(chosen(device, 16, 131072, 64), "06_cluster");
    assert_string_equal(chosen(device, 16, 131072, 1025), "03_radix_select");
    assert_string_equal(chosen(device, 16, 131072, 131072), "01_arg_max");
    kz_device_close(device);
}

// Candidates that fill all of a block's shared memory leave none for the digits' counts: 02, which has no counts, sorts the row.
static void what_the_kernel_has_itself_counts(void **state) {
    kz_device *device;
    kz_operation *operation = NULL;
    kz_error error = {0};
    kz_ptr at[3];
    assert_int_equal(kz_device_open("sim:t4", &device, NULL), KZ_OK);
    assert_string_equal(chosen(device, 1, 5000, 4096), "03_radix_select");
    assert_string_equal(chosen(device, 1, 5000, 4097), "02_sort");
    assert_string_equal(chosen(device, 1, 8193, 4097), "01_arg_max");
    assert_int_equal(kz_top_k_open(device, KZ_BF16, 1, 5000, 4097, "03_radix_select", &operation, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "65536 bytes of shared memory"));
    assert_int_equal(kz_top_k_open(device, KZ_BF16, 1, 5000, 4097, NULL, &operation, &error), KZ_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(kz_memory_alloc(device, 4 * 5000, &at[i], NULL), KZ_OK);
    assert_int_equal(kz_memory_fill(device, NULL, at[0], 0, 2 * 5000, NULL), KZ_OK);
    assert_int_equal(kz_top_k_run(operation, NULL, at[0], at[1], at[2], &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    for (int i = 0; i < 3; i++) kz_memory_free(device, at[i], NULL);
    kz_operation_close(operation);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_by_hand),
        cmocka_unit_test(values_keep_their_bits),
        cmocka_unit_test(more_than_a_row_has_is_refused),
        cmocka_unit_test(shapes_get_their_variants),
        cmocka_unit_test(what_the_kernel_has_itself_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
