// What kz bench measures: by size where nothing is asked for, by name, by glob, by a GPU's targets.
#include "workload/bench.h"

#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static const kz_device_info sim = {.kind = KZ_DEVICE_SIM, .id = "sim:h200", .memory_bytes = 150000000000},
                            gpu = {.kind = KZ_DEVICE_CUDA,
                                   .id = "cuda:0",
                                   .has_clock = true,
                                   .memory_bytes = 150000000000};

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

// A suite as a file says it.
static void open_suite(const char *text, workload_suite *suite) {
    char path[] = "/tmp/kz_suite_XXXXXX.toml";
    kz_error error = {0};
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    if (workload_suite_open(path, suite, &error)) fail_msg("%s", error.message);
    unlink(path);
}

static const char targets[] = "title = \"T\"\n[[families]]\nnames = [\"*\"]\ntargets = \"h200\"\n";

static void a_suite_is_filtered(void **state) {
    workload_bench_cases cases;
    workload_suite suite;
    kz_error error;
    open_suite(targets, &suite);
    const workload_bench_options options = {.suite = &suite},
                                 one = {.suite = &suite, .pattern = "sum-f32-n65536-*"};
    assert_int_equal(choose("reduce", &options, &gpu, &cases, &error), KZ_OK);
    assert_true(cases.count > 1);
    for (size_t i = 0; i < cases.count; i++) { // several targets of a case are one measurement
        assert_string_equal(cases.items[i].family->name, "reduce");
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(&cases.items[i].c, &cases.items[k].c, sizeof(kz_case));
    }
    workload_bench_cases_free(&cases);
    assert_int_equal(choose("reduce", &one, &gpu, &cases, &error), KZ_OK);
    assert_int_equal(cases.count, 1);
    workload_bench_cases_free(&cases);
    assert_int_equal(choose("saxpy", &one, &gpu, &cases, &error), KZ_NOT_FOUND);
    assert_has(error.message, "none of what was asked for");
    assert_has(error.message, "kz bench --suite /tmp/kz_suite_"); // a file is named by its path
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

static char noted[400], complained[4400];
static void note(const char *text) { snprintf(noted, sizeof noted, "%s", text); }
static void complain(const kz_error *error, const char *consequence) {
    snprintf(complained, sizeof complained, "%s\n%s", error->message, consequence);
}

// What a device cannot do is left out, and said.
static void a_suite_is_cut_to_the_device(void **state) {
    workload_bench_cases cases;
    workload_suite suite;
    kz_error error;
    open_suite("title = \"T\"\n[[families]]\nnames = [\"vector_add\"]\naxes.n = [1000, \"2^28\", \"2^40\"]\n",
               &suite);
    const workload_bench_options options = {.suite = &suite, .note = note, .complain = complain};
    assert_int_equal(choose(NULL, &options, &sim, &cases, &error), KZ_OK);
    assert_int_equal(cases.count, 1);
    assert_has(noted, "1 of 3 cases of the suite would take too long on sim:h200");
    assert_has(complained, ".toml:4:");
    assert_has(complained,
               "add-f32-n1099511627776-uniform has buffers of 1.32e+04 GB, and sim:h200 has 150 GB");
    assert_has(complained, "1 case is left out");
    suite.gpu = "a100";
    const workload_bench_options other = {.suite = &suite, .note = note};
    workload_bench_cases_free(&cases);
    assert_int_equal(choose(NULL, &other, &gpu, &cases, &error), KZ_OK);
    assert_has(noted, "was written for a100: sizes and targets are not made for cuda:0");
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
    open_suite(targets, &suite);
    assert_int_equal(choose("vector_add", &options, &sim, &cases, &error), KZ_NO_DEVICE);
    assert_has(error.message, "has no clock");
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

static void quick_takes_two_sizes_of_a_family(void **state) {
    workload_bench_cases cases;
    workload_suite suite;
    kz_error error;
    open_suite("title = \"T\"\n[[families]]\nnames = [\"vector_add\", \"saxpy\"]\naxes.n = [5, 1, 4, 2, 3]\n",
               &suite);
    const workload_bench_options options = {.suite = &suite, .quick = true};
    assert_int_equal(choose(NULL, &options, &sim, &cases, &error), KZ_OK);
    assert_int_equal(cases.count, 4);
    assert_int_equal(cases.items[0].c.axes[0], 1);
    assert_int_equal(cases.items[1].c.axes[0], 3);
    assert_string_equal(cases.items[2].family->name, "saxpy");
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

// Where a family has nothing for the device, the case that is named instead is one that the device would take.
static void what_is_named_instead_fits(void **state) {
    (void)state;
    const kz_device_info cpu = {.kind = KZ_DEVICE_CPU, .id = "cpu", .has_clock = true};
    workload_bench_cases cases;
    kz_error error;
    const workload_bench_options options = {0};
    assert_int_equal(choose("attention", &options, &cpu, &cases, &error), KZ_NOT_FOUND);
    const char *name = strstr(error.message, "--case ");
    char pattern[FAMILY_CASE_NAME];
    assert_non_null(name);
    assert_int_equal(sscanf(name, "--case %127s", pattern), 1);
    const kz_family *family = kz_family_find("attention");
    kz_case c;
    assert_int_equal(family_case_parse(family, pattern, &c, &error), KZ_OK);
    assert_true(family->work(&c).flops <= 4e9);
    workload_bench_cases_free(&cases);
}

// Each has a floor below which it may not fall, in a case that it has. Those that begin have no figure yet.
static void every_family_has_targets(void **state) {
    static const char *const begin[] = {"attention", "fused_mlp"};
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    workload_suite suite;
    open_suite(targets, &suite);
    const workload_bench_options options = {.suite = &suite};
    for (size_t i = 0; i < count; i++) {
        workload_bench_cases cases;
        kz_error error;
        bool begins = false;
        for (size_t k = 0; k < BASE_COUNT(begin); k++)
            begins = begins || strcmp(families[i]->name, begin[k]) == 0;
        if (begins) continue;
        if (choose(families[i]->name, &options, &gpu, &cases, &error)) fail_msg("%s", error.message);
        assert_true(cases.count > 0);
        workload_bench_cases_free(&cases);
    }
    workload_suite_close(&suite);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_gets_what_it_does_in_reasonable_time),
        cmocka_unit_test(cases_are_named),
        cmocka_unit_test(a_suite_is_filtered),
        cmocka_unit_test(a_suite_is_cut_to_the_device),
        cmocka_unit_test(quick_takes_two_sizes_of_a_family),
        cmocka_unit_test(what_is_named_instead_fits),
        cmocka_unit_test(every_family_has_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
