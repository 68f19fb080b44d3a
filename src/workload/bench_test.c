// What kz bench measures: by size where nothing is asked for, by name, by glob, by a GPU's targets.

#include "workload/bench.h"
#include "unit.h"

static const kz_device_info sim = {.kind = KZ_DEVICE_SIM, .id = "sim:h200"},
                            gpu = {.kind = KZ_DEVICE_CUDA, .id = "cuda:0", .has_clock = true};

static kz_status choose(const char *word, const workload_bench_options *options, const kz_device_info *device,
                        workload_bench_cases *cases, kz_error *error) {
    static const workload_request request = {.command = "bench", .kinds = 1u << WORKLOAD_ZOO};
    workload w;
    *error = (kz_error){0};
    assert_int_equal(workload_open(&request, &word, word ? 1 : 0, &w, error), KZ_OK);
    kz_status status = workload_bench_select(&w, options, device, cases, error);
    workload_close(&w);
    return status;
}

static void a_device_gets_what_it_does_in_reasonable_time(void **state) {
    workload_bench_cases here, there;
    kz_error error;
    assert_int_equal(choose("vector_add", &(workload_bench_options){0}, &gpu, &there, &error), KZ_OK);
    assert_int_equal(choose("vector_add", &(workload_bench_options){0}, &sim, &here, &error), KZ_OK);
    assert_true(here.count > 0 && here.count < there.count);
    for (size_t i = 0; i < here.count; i++) assert_true(here.items[i].c.axes[0] <= 1 << 20);
    workload_bench_cases_free(&here);
    workload_bench_cases_free(&there);
    assert_int_equal(choose("reduce_axis", &(workload_bench_options){0}, &sim, &here, &error), KZ_NOT_FOUND);
    assert_has(error.message, "too large for sim:h200");
    assert_has(error.message, "kz bench reduce_axis --case ");
    workload_bench_cases_free(&here);
}

static void cases_are_named(void **state) {
    workload_bench_cases cases;
    kz_error error;
    const workload_bench_options one = {.pattern = "add-f32-n1234567-uniform"}; // any size
    assert_int_equal(choose("vector_add", &one, &sim, &cases, &error), KZ_OK);
    assert_int_equal(cases.count, 1);
    assert_int_equal(cases.items[0].c.axes[0], 1234567);
    workload_bench_cases_free(&cases);
    const workload_bench_options glob = {.pattern = "add-f32-*"};
    assert_int_equal(choose("vector_add", &glob, &sim, &cases, &error), KZ_OK);
    assert_true(cases.count > 0);
    for (size_t i = 0; i < cases.count; i++) assert_true(cases.items[i].c.use & KZ_USE_BENCH);
    workload_bench_cases_free(&cases);
    assert_int_equal(
        choose("vector_add", &(workload_bench_options){.pattern = "no-such-*"}, &sim, &cases, &error),
        KZ_NOT_FOUND);
    workload_bench_cases_free(&cases);
}

static void a_suite_is_what_has_targets(void **state) {
    workload_bench_cases cases;
    kz_error error;
    const workload_bench_options suite = {.suite = "h200"};
    assert_int_equal(choose("vector_add", &suite, &gpu, &cases, &error), KZ_OK);
    assert_true(cases.count > 0);
    for (size_t i = 0; i < cases.count; i++) // several targets of a case are one measurement
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(&cases.items[i].c, &cases.items[k].c, sizeof(kz_case));
    workload_bench_cases_free(&cases);
    assert_int_equal(choose("vector_add", &suite, &sim, &cases, &error), KZ_NO_DEVICE);
    assert_has(error.message, "has no clock");
    workload_bench_cases_free(&cases);
    assert_int_equal(choose(NULL, &(workload_bench_options){.suite = "g1"}, &gpu, &cases, &error),
                     KZ_NOT_FOUND);
    assert_has(error.message, "there is no suite \"g1\"");
    workload_bench_cases_free(&cases);
}

// Each has a floor below which it may not fall, in a case that it has.
static void every_family_has_targets(void **state) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    const workload_bench_options suite = {.suite = "h200"};
    for (size_t i = 0; i < count; i++) {
        workload_bench_cases cases;
        kz_error error;
        if (choose(families[i]->name, &suite, &gpu, &cases, &error)) fail_msg("%s", error.message);
        assert_true(cases.count > 0);
        workload_bench_cases_free(&cases);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_gets_what_it_does_in_reasonable_time),
        cmocka_unit_test(cases_are_named),
        cmocka_unit_test(a_suite_is_what_has_targets),
        cmocka_unit_test(every_family_has_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
