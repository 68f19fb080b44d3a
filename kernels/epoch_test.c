// Kernels that tell their own tile statuses from an earlier launch's by an epoch, the number of the launch. It wraps after
// 2^32 launches, a few hours of short ones: each kernel is put just before that and run across it. Every run has other
// values, and blocks run in other orders, so a kernel that takes an old status for a new one computes a wrong result.
#include <stdlib.h>
// cmocka's header wants those before it

#include "kz/family.h"
#include "unit.h"

enum { N = 40000 };

typedef struct keeper {
    const char *family, *variant, *global;
    uint32_t before; // the last launch's epoch
    int64_t second_axis;
    bool prefix; // x gives x, 2 x, 3 x...; else it is given back n times, or the sum is
} keeper;

static const keeper keepers[] = {
    {"scan", "08_look_ahead", "kz_scan_epoch", UINT32_MAX - 1, 0, true},
    {"scan", "07_epoch_flags", "scan_epoch", UINT32_MAX - 1, 0, true},
    {"scan", "07_epoch_flags", "scan_epoch", INT32_MAX - 1, 0, true}, // it sends the number's double
    {"scan", "07_epoch_flags", "scan_epoch", 6, 0, true},
    {"compact", "05_epoch_flags", "compact_epoch", 6, 100, false},
    {"compact", "06_look_ahead", "compact_epoch", UINT32_MAX - 1, 100, false},
    {"compact", "05_epoch_flags", "compact_epoch", UINT32_MAX - 1, 100, false},
    {"compact", "05_epoch_flags", "compact_epoch", INT32_MAX - 1, 100, false},
    {"reduce", "08_epoch_flags", "reduce_epoch", UINT32_MAX - 1, 0, false},
};

static void run_across(kz_device *device, const keeper *k) {
    const kz_family *family = kz_family_find(k->family);
    const kz_variant *variant = kz_variant_find(family, k->variant);
    const kz_case c = {.type = KZ_F32, .axes = {N, k->second_axis}};
    kz_plan plan;
    kz_image image;
    kz_module *module;
    kz_error error = {0};
    assert_int_equal(kz_variant_plan(family, variant, &c, kz_device_get_info(device), &plan, &error), KZ_OK);
    assert_int_equal(kz_variant_image(family, variant, &image, &error), KZ_OK);
    assert_int_equal(kz_module_load(device, &image, &module, &error), KZ_OK);
    kz_ptr number, workspace = 0, at[KZ_FAMILY_BUFFERS];
    size_t bytes;
    assert_int_equal(kz_module_global(module, k->global, &number, &bytes, &error), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, number, &k->before, sizeof k->before, &error), KZ_OK);
    if (plan.workspace_bytes)
        assert_int_equal(kz_memory_alloc(device, plan.workspace_bytes, &workspace, &error), KZ_OK);
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    size_t count = family->buffers(&c, buffers);
    static float in[N], out[N];
    for (size_t b = 0; b < count; b++)
        assert_int_equal(kz_memory_alloc(device, sizeof in, &at[b], &error), KZ_OK);
    for (int run = 0; run < 3; run++) {
        float x = (float)(run + 1); // sums stay below 2^24: exact, whatever their order
        for (size_t i = 0; i < N; i++) in[i] = x;
        kz_copy_to_device(device, NULL, at[0], in, sizeof in, &error);
        kz_memory_fill(device, NULL, at[1], 0xff, sizeof out, &error);
        assert_int_equal(kz_plan_run(device, NULL, module, &plan, at, count, workspace, &error), KZ_OK);
        kz_copy_to_host(device, NULL, out, at[1], sizeof out, &error);
        assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
        bool folds = strcmp(k->family, "reduce") == 0;
        for (size_t i = 0; i < (folds ? 1 : N); i++)
            if (out[i] != x * (float)(folds ? N : k->prefix ? i + 1 : 1))
                fail_msg("%s/%s, run %d after launch %u: element %zu is %g", k->family, k->variant, run + 1,
                         k->before, i, out[i]);
    }
    for (size_t b = 0; b < count; b++) kz_memory_free(device, at[b], NULL);
    if (workspace) kz_memory_free(device, workspace, NULL);
    kz_module_close(module);
}

static void old_statuses_are_not_taken_for_new(void **state) {
#ifdef __SANITIZE_ADDRESS__ // what that looks for is the same in every order, and reading so much PTX is slow there
    static const char *const orders[] = {"1"};
#else
    static const char *const orders[] = {"0", "1", "2"};
#endif
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        setenv("KZ_SEED", orders[o], 1);
        kz_device *device;
        kz_error error = {0};
        assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
        for (size_t i = 0; i < sizeof keepers / sizeof *keepers; i++) run_across(device, &keepers[i]);
        kz_device_close(device);
    }
    unsetenv("KZ_SEED");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(old_statuses_are_not_taken_for_new)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
