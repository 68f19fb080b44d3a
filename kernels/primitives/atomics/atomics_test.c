// atomics: the reference against results by hand, the inputs, what is refused, and the public operation.
#include <math.h>

#include "atomics.h"
#include "kz/family.h"
#include "unit.h"

enum { KEYS, OUT, VALUES };

static kz_case case_of(kz_atomics_operation operation, int64_t n, int64_t k) {
    static const kz_type types[] = {KZ_U32, KZ_F32, KZ_F32, KZ_I32};
    return (kz_case){.operation = operation, .type = types[operation], .axes = {n, k}};
}

static void reference(kz_atomics_operation operation, int64_t n, int64_t k, void *first, void *third,
                      size_t which, double *expected) {
    kz_case c = case_of(operation, n, k);
    double bound[16];
    const kz_family *family = kz_family_find("atomics");
    assert_int_equal(family->reference(&c, (void *[]){first, NULL, third}, which, expected, bound, NULL),
                     KZ_OK);
    assert_true(bound[0] == 0.0);
}

static void results_by_hand(void **state) {
    uint32_t keys[] = {2, 0, 2, 2};
    float values[] = {-1, NAN, -0.5f, -7};
    int32_t whole[] = {INT32_MAX, 5, 1, -3};
    double expected[16];
    reference(KZ_ATOMICS_COUNT, 4, 3, keys, NULL, OUT, expected);
    assert_true(expected[0] == 1 && expected[1] == 0 && expected[2] == 3);
    reference(KZ_ATOMICS_MAX, 4, 3, keys, values, OUT, expected);
    assert_true(isnan(expected[0]) && isnan(expected[1]) && expected[2] == -0.5);
    reference(KZ_ATOMICS_UPDATE, 4, 3, keys, whole, OUT, expected);
    assert_true(expected[0] == 1 && expected[1] == 5 && expected[2] == 5 && expected[3] == 5);
    assert_true(expected[4] == 0 && expected[6] == INT32_MAX && expected[7] == INT32_MIN);
    assert_true(expected[8] == 3 && expected[9] == (double)INT32_MIN - 3 + 4294967296.0); // wrapped twice
    assert_true(expected[10] == -3 && expected[11] == INT32_MAX);
}

static void a_queue_is_worked_off(void **state) {
    float in[] = {1, -1, 0, 3, NAN};
    double expected[16];
    reference(KZ_ATOMICS_APPEND, 5, 1, in, NULL, OUT, expected);
    assert_true(expected[0] == 1 && expected[1] == 0 && expected[2] == 0 && expected[3] == 3 &&
                expected[4] == 0);
    reference(KZ_ATOMICS_APPEND, 5, 1, in, NULL, VALUES, expected);
    assert_true(expected[0] == 2);
}

// Keys are below k, and as crowded as their kind says.
static void keys_meet(void **state) {
    static uint32_t keys[4096], part[100];
    const kz_family *family = kz_family_find("atomics");
    kz_case c = case_of(KZ_ATOMICS_COUNT, 4096, 1024);
    const kz_data kinds[] = {KZ_DATA_UNIFORM, KZ_DATA_BIASED, KZ_DATA_EQUAL};
    size_t first[3];
    for (size_t d = 0; d < 3; d++) {
        c.data = kinds[d];
        assert_true(family->fill(&c, KEYS, 7, 0, 4096, keys));
        assert_true(family->fill(&c, KEYS, 7, 1000, 100, part));
        assert_memory_equal(part, keys + 1000, sizeof part);
        first[d] = 0;
        for (size_t i = 0; i < 4096; i++) {
            assert_true(keys[i] < 1024);
            first[d] += keys[i] == (d == 2 ? keys[0] : 0);
        }
    }
    assert_true(first[0] < 20 && first[1] > 1000 && first[1] < 3000 && first[2] == 4096);
}

static kz_status plan(const char *variant, kz_case c, kz_plan *made) {
    kz_device_info device = {.kind = KZ_DEVICE_CUDA,
                             .sm = 90,
                             .multiprocessors = 132,
                             .gpu = "h200",
                             .shared_per_block_optin = 232448};
    kz_error error = {0};
    *made = (kz_plan){0};
    kz_status status =
        kz_variant_plan(kz_family_find("atomics"), kz_variant_find(kz_family_find("atomics"), variant), &c,
                        &device, made, &error);
    assert_true((status == KZ_OK) == (error.message[0] == 0));
    return status;
}

static void plans_have_what_they_need(void **state) {
    kz_plan p;
    assert_int_equal(plan("04_warp_aggregated", case_of(KZ_ATOMICS_APPEND, 1000, 1), &p), KZ_OK);
    assert_int_equal(p.workspace_bytes, 4000); // the queue
    assert_int_equal(p.step_count, 4);         // out and length cleared, appended, worked off
    assert_int_equal(plan("08_ticket_lock", case_of(KZ_ATOMICS_UPDATE, 1000, 50), &p), KZ_OK);
    assert_int_equal(p.workspace_bytes, 400); // two words for each lock
    assert_int_equal(plan("05_privatized", case_of(KZ_ATOMICS_UPDATE, 1000, 50), &p), KZ_OK);
    assert_int_equal(p.steps[p.step_count - 1].launch.dynamic_shared_bytes, 800);
    assert_int_equal(plan("02_red", case_of(KZ_ATOMICS_COUNT, 0, 5), &p), KZ_OK);
    assert_int_equal(p.step_count, 1); // the counters are cleared
}

static void what_makes_no_sense_is_refused(void **state) {
    kz_plan p;
    kz_case wrong = case_of(KZ_ATOMICS_COUNT, 10, 10);
    wrong.type = KZ_F32;
    assert_int_equal(plan("02_red", wrong, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("02_red", case_of(KZ_ATOMICS_COUNT, 10, 0), &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("02_red", case_of(KZ_ATOMICS_APPEND, 10, 1), &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("04_warp_aggregated", case_of(KZ_ATOMICS_APPEND, 10, 2), &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("05_privatized", case_of(KZ_ATOMICS_COUNT, 10, 1 << 16), &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("02_red", case_of(KZ_ATOMICS_COUNT, 1LL << 32, 5), &p), KZ_UNSUPPORTED);
    // A crowd that tries for ever, and a lock that is handed on for seconds.
    assert_int_equal(plan("03_cas", case_of(KZ_ATOMICS_COUNT, 1 << 24, 1), &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("03_cas", case_of(KZ_ATOMICS_COUNT, 1 << 12, 1), &p), KZ_OK);
    kz_case crowded = case_of(KZ_ATOMICS_COUNT, 1 << 22, 1 << 16);
    assert_int_equal(plan("03_cas", crowded, &p), KZ_OK);
    crowded.data = KZ_DATA_BIASED;
    assert_int_equal(plan("03_cas", crowded, &p), KZ_UNSUPPORTED);
    crowded.data = KZ_DATA_EQUAL;
    assert_int_equal(plan("03_cas", crowded, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("06_spin_lock", case_of(KZ_ATOMICS_UPDATE, 1 << 20, 1), &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("08_ticket_lock", case_of(KZ_ATOMICS_UPDATE, 1 << 20, 1), &p), KZ_UNSUPPORTED);
}

static void the_operation_updates(void **state) {
    kz_error error = {0};
    kz_device *device;
    assert_int_equal(kz_device_open("sim", &device, &error), KZ_OK);
    const uint32_t keys[] = {1, 1, 0, 1};
    const int32_t values[] = {4, -2, 9, 1}, expected[] = {1, 9, 9, 9, 3, 3, -2, 4};
    int32_t out[8];
    kz_ptr d_keys, d_values, d_out, workspace;
    assert_int_equal(kz_memory_alloc(device, sizeof keys, &d_keys, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof values, &d_values, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof out, &d_out, &error), KZ_OK);
    kz_copy_to_device(device, NULL, d_keys, keys, sizeof keys, &error);
    kz_copy_to_device(device, NULL, d_values, values, sizeof values, &error);
    kz_operation *operation;
    assert_int_equal(kz_atomics_open(device, KZ_ATOMICS_UPDATE, 4, 2, "07_backoff_lock", &operation, &error),
                     KZ_OK);
    uint64_t bytes = kz_operation_workspace(operation);
    assert_int_equal(bytes, 8);
    assert_int_equal(kz_memory_alloc(device, bytes, &workspace, &error), KZ_OK);
    assert_int_equal(kz_atomics_run(operation, NULL, d_keys, d_out, d_values, workspace, bytes, &error),
                     KZ_OK);
    kz_copy_to_host(device, NULL, out, d_out, sizeof out, &error);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_memory_equal(out, expected, sizeof out);
    kz_operation_close(operation);
    const kz_ptr all[] = {d_keys, d_values, d_out, workspace};
    for (size_t i = 0; i < 4; i++) kz_memory_free(device, all[i], &error);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_by_hand),
        cmocka_unit_test(a_queue_is_worked_off),
        cmocka_unit_test(keys_meet),
        cmocka_unit_test(plans_have_what_they_need),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(the_operation_updates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
