// Kernels and parameters that machine code notes, whole and cut off.
#include "device/cubin.h"

#include <stdlib.h>

#include "device/test_cubin.h"
#include "unit.h"

static const char *const kernels[] = {"add_f32", "nothing"};

static void kernels_and_their_parameters(void **state) {
    test_cubin cubin;
    device_entries entries;
    test_cubin_make(&cubin, kernels, (unsigned[]){3, 0});
    assert_int_equal(device_cubin_entries(&cubin, sizeof cubin, &entries, NULL), KZ_OK);
    assert_int_equal(entries.count, 2);
    assert_int_equal(device_entries_params(&entries, "add_f32"), 3);
    assert_int_equal(device_entries_params(&entries, "nothing"), 0);
    assert_int_equal(device_entries_params(&entries, "add"), -1);
    device_entries_free(&entries);
}

// Whatever is missing, nothing is read past the end: it is memory of its own, which AddressSanitizer watches.
static void what_is_cut_off_is_not_read(void **state) {
    test_cubin cubin;
    device_entries entries;
    test_cubin_make(&cubin, kernels, (unsigned[]){3, 1});
    for (size_t size = 0; size < sizeof cubin; size++) {
        void *part = malloc(size + 1);
        assert_non_null(part);
        memcpy(part, &cubin, size);
        assert_int_equal(device_cubin_entries(part, size, &entries, NULL), KZ_OK);
        assert_true(entries.count <= 2 && device_entries_params(&entries, "add_f32") <= 3);
        device_entries_free(&entries);
        free(part);
    }
    assert_int_equal(device_cubin_entries("CUBIN 90", 9, &entries, NULL), KZ_OK);
    assert_int_equal(entries.count, 0);
    cubin.header.e_shstrndx = 7; // beyond the sections
    assert_int_equal(device_cubin_entries(&cubin, sizeof cubin, &entries, NULL), KZ_OK);
    assert_int_equal(entries.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_and_their_parameters),
        cmocka_unit_test(what_is_cut_off_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
