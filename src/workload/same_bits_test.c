// Variants that say they give the same bits in every run do so under other schedules of the simulator. The case is chosen so that
// the same is not true of the variant beside it, which adds in any order.
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "family/buffers.h"
#include "kz/operation.h"
#include "unit.h"

static void run(kz_device *device, family_buffers *buffers, const char *variant, uint64_t seed) {
    kz_operation *operation = NULL;
    kz_error error = {0};
    assert_int_equal(family_buffers_fill(buffers, 7, 0xff, &error), KZ_OK);
    assert_int_equal(device_sim_set_seed(device, seed, &error), KZ_OK);
    assert_int_equal(
        kz_operation_open_family(device, buffers->family, buffers->c, variant, &operation, &error), KZ_OK);
    assert_int_equal(kz_operation_run(operation, NULL, buffers->addresses, buffers->count,
                                      buffers->workspace.data, kz_operation_workspace(operation), &error),
                     KZ_OK);
    assert_int_equal(family_buffers_read(buffers, &error), KZ_OK);
    kz_operation_close(operation);
}

// Whether output `which` is the same under all of them.
static bool repeats(const char *family, const kz_case *c, const char *variant, size_t which) {
    kz_device *device = NULL;
    family_buffers buffers;
    kz_error error = {0};
    void *first = NULL;
    bool same = true;
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    assert_int_equal(family_buffers_open(kz_family_find(family), c, device, 4 << 20, &buffers, &error),
                     KZ_OK);
    const family_slot *slot = &buffers.slots[which];
    first = malloc(slot->bytes);
    assert_non_null(first);
    for (uint64_t seed = 0; seed < 4; seed++) {
        run(device, &buffers, variant, seed);
        if (seed == 0) memcpy(first, slot->got, slot->bytes);
        same = same && memcmp(first, slot->got, slot->bytes) == 0;
    }
    free(first);
    family_buffers_close(&buffers);
    kz_device_close(device);
    return same;
}

static void attention_backward(void **state) {
    enum { CAUSAL = 1, DQ = 6 };
    const kz_case c = {.operation = CAUSAL, .type = KZ_F16, .axes = {1, 2, 1, 200, 900, 64}};
    assert_true(repeats("attention_backward", &c, "03_two_passes", DQ));
    assert_true(repeats("attention_backward", &c, "05_mma_ordered", DQ));
    assert_false(repeats("attention_backward", &c, "04_mma", DQ));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(attention_backward)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
