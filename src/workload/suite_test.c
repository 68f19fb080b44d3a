// Suites: lists, ranges, products and drawn shapes become cases; what is wrong is refused with its line.
#include "workload/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "family/case.h"
#include "unit.h"

static char path[] = "/tmp/kz_suite_XXXXXX.toml";

static kz_status read_text(const char *text, workload_suite *suite, workload_bench_cases *cases,
                           kz_error *error) {
    strcpy(path, "/tmp/kz_suite_XXXXXX.toml");
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    *cases = (workload_bench_cases){0};
    *error = (kz_error){0};
    kz_status status = workload_suite_open(path, suite, error);
    if (!status) status = workload_suite_cases(suite, cases, error);
    unlink(path);
    return status;
}

#define HEAD "title = \"T\"\n[[families]]\n"

// The names of the cases of a table, each after its family: "reduce sum-f32-n1-uniform;...".
static void expect_cases(const char *table, const char *expected) {
    workload_suite suite;
    workload_bench_cases cases;
    kz_error error;
    base_text text = {0}, names = {0};
    base_text_add(&text, HEAD "%s", table);
    if (read_text(text.data, &suite, &cases, &error)) fail_msg("%s", error.message);
    for (size_t i = 0; i < cases.count; i++) {
        char name[FAMILY_CASE_NAME];
        family_case_name(cases.items[i].family, &cases.items[i].c, name);
        base_text_add(&names, "%s %s;", cases.items[i].family->name, name);
    }
    assert_string_equal(names.data, expected);
    base_text_free(&text);
    base_text_free(&names);
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

static void axes_are_numbers_lists_and_ranges(void **state) {
    expect_cases("names = [\"vector_add\"]\naxes.n = 7\n", "vector_add add-f32-n7-uniform;");
    expect_cases("names = [\"vector_add\"]\naxes.n = \"1024..5000*2\"\n",
                 "vector_add add-f32-n1024-uniform;vector_add add-f32-n2048-uniform;"
                 "vector_add add-f32-n4096-uniform;");
    expect_cases("names = [\"vector_add\"]\naxes.n = [\"0..20+10\", 33, \"2^6\", 33]\n",
                 "vector_add add-f32-n0-uniform;vector_add add-f32-n10-uniform;"
                 "vector_add add-f32-n20-uniform;vector_add add-f32-n33-uniform;"
                 "vector_add add-f32-n64-uniform;"); // 33 once
}

static void cases_are_products(void **state) {
    expect_cases("names = [\"transpose\"]\naxes = {rows = [3, 4], columns = 5}\ntypes = [\"f32\", \"f16\"]\n",
                 "transpose transpose-f32-rows3-columns5-uniform;"
                 "transpose transpose-f32-rows4-columns5-uniform;"
                 "transpose transpose-f16-rows3-columns5-uniform;"
                 "transpose transpose-f16-rows4-columns5-uniform;");
    expect_cases("names = [\"reduce\"]\naxes.n = 9\noperations = [\"max\", \"sum\"]\ndata = [\"zeros\"]\n",
                 "reduce max-f32-n9-zeros;reduce sum-f32-n9-zeros;");
}

static void cases_are_named(void **state) {
    expect_cases("names = [\"vector_add\"]\ncases = [\"add-f32-n1234567-uniform\", \"add-f32-n2684*\"]\n",
                 "vector_add add-f32-n1234567-uniform;vector_add add-f32-n268435456-uniform;");
    expect_cases("names = [\"saxpy\"]\ntargets = \"h200\"\n", "saxpy saxpy-f32-n268435456-uniform;");
}

// Two tables may name a case: it is measured again only for other providers or conditions.
static void a_case_of_two_tables_is_measured_once(void **state) {
    static const struct {
        const char *first, *second, *cases;
    } rows[] = {
        {"", "", "1 3 5 7 "},
        {"axes.n = [1, 3, 5, 7]\n", "", "1 3 5 7 "}, // nothing is left for the second
        {"providers = [\"all\"]\n", "providers = [\"all\"]\n", "1 3 5 7 "},
        {"cache = [\"hot\"]\n", "cache = [\"hot\"]\n", "1 3 5 7 "},
        {"providers = [\"all\"]\n", "providers = [\"all\", \"cub\"]\n", "1 3 5 3 5 7 "},
        {"providers = [\"all\"]\n", "providers = [\"chosen\"]\n", "1 3 5 3 5 7 "},
        {"", "cache = [\"hot\"]\n", "1 3 5 3 5 7 "},
        {"cache = [\"dirty\"]\n", "cache = [\"hot\"]\n", "1 3 5 3 5 7 "},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        workload_suite suite;
        workload_bench_cases cases;
        kz_error error;
        base_text text = {0}, sizes = {0};
        base_text_add(&text, HEAD "names = [\"vector_add\"]\n%s%s",
                      strstr(rows[i].first, "axes") ? "" : "axes.n = [1, 3, 5]\n", rows[i].first);
        base_text_add(&text, "[[families]]\nnames = [\"vector_add\"]\naxes.n = [3, 5, 7]\n%s",
                      rows[i].second);
        if (read_text(text.data, &suite, &cases, &error)) fail_msg("%s", error.message);
        for (size_t k = 0; k < cases.count; k++) base_text_add(&sizes, "%d ", (int)cases.items[k].c.axes[0]);
        assert_string_equal(sizes.data, rows[i].cases);
        base_text_free(&text);
        base_text_free(&sizes);
        workload_bench_cases_free(&cases);
        workload_suite_close(&suite);
    }
}

static void the_suites_that_come_with_kz_are_right(void **state) {
    char folder[] = SUITES_FOLDER "/%s.toml", file[1024];
    static const char *const names[] = {"h200",         "primitives",   "off_table",
                                        "sgemm_shapes", "sgemm_unseen", "conditions"};
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        workload_suite suite;
        workload_bench_cases cases = {0};
        kz_error error = {0};
        snprintf(file, sizeof file, folder, names[i]);
        if (workload_suite_open(file, &suite, &error) || workload_suite_cases(&suite, &cases, &error))
            fail_msg("%s", error.message);
        assert_true(cases.count > 0 && *suite.title);
        assert_string_equal(suite.name, names[i]);
        workload_bench_cases_free(&cases);
        workload_suite_close(&suite);
    }
}

// ---- drawn ------------------------------------------------------------------------------------------------

#define DRAWN                                                                                                \
    HEAD "names = [\"vector_add\"]\ndraw = {count = 200, seed = 7, from = 1000, to = 1099511627776}\n"

static void shapes_are_drawn_log_uniformly(void **state) {
    workload_suite suite;
    workload_bench_cases cases;
    kz_error error;
    if (read_text(DRAWN, &suite, &cases, &error)) fail_msg("%s", error.message);
    assert_int_equal(cases.count, 200);
    size_t odd = 0, low = 0;
    for (size_t i = 0; i < cases.count; i++) {
        int64_t n = cases.items[i].c.axes[0];
        assert_true(n >= 1000 && n <= INT64_C(1) << 40);
        odd += n % 8 != 0;
        low += n < 33158788; // the geometric middle
    }
    assert_int_equal(odd, 100);
    assert_in_range(low, 80, 120);
    // The same on every machine.
    assert_int_equal(cases.items[0].c.axes[0], INT64_C(427270953616));
    assert_int_equal(cases.items[1].c.axes[0], 4779806);
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

static void a_drawn_axis_may_have_its_own_range(void **state) {
    workload_suite suite;
    workload_bench_cases cases;
    kz_error error;
    const char *text = HEAD "names = [\"compact\"]\naxes = {n = \"64..4096\", percent = [10, 50]}\n"
                            "draw = {count = 5, seed = 2}\n";
    if (read_text(text, &suite, &cases, &error)) fail_msg("%s", error.message);
    assert_int_equal(cases.count, 10);
    for (size_t i = 0; i < cases.count; i++) assert_in_range(cases.items[i].c.axes[0], 64, 4096);
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

static void drawn_axes_may_be_equal(void **state) {
    workload_suite suite;
    workload_bench_cases cases;
    kz_error error;
    const char *text = HEAD "names = [\"sgemm\"]\naxes.k = 64\n"
                            "draw = {count = 5, seed = 2, from = 100, to = 4096, equal = true}\n";
    if (read_text(text, &suite, &cases, &error)) fail_msg("%s", error.message);
    assert_int_equal(cases.count, 5);
    for (size_t i = 0; i < cases.count; i++) {
        assert_int_equal(cases.items[i].c.axes[0], cases.items[i].c.axes[1]);
        assert_int_equal(cases.items[i].c.axes[2], 64);
    }
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

static void shapes_that_come_out_twice_are_counted(void **state) {
    workload_suite suite;
    workload_bench_cases cases;
    kz_error error;
    const char *text = HEAD "names = [\"vector_add\"]\ndraw = {count = 50, seed = 1, from = 8, to = 12}\n";
    if (read_text(text, &suite, &cases, &error)) fail_msg("%s", error.message);
    assert_in_range(cases.count, 2, 5);
    assert_int_equal(cases.count + cases.drawn_again, 50);
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

static void a_gpu_that_there_is_not_is_refused(void **state) {
    workload_suite suite;
    workload_bench_cases cases;
    kz_error error;
    assert_int_equal(read_text("gpu = \"nix\"\n" HEAD "names = [\"vector_add\"]\n", &suite, &cases, &error),
                     KZ_SYNTAX);
    assert_non_null(strstr(error.message, ":1:"));
    assert_non_null(strstr(error.message, "nix"));
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

// ---- refused --------------------------------------------------------------------------------------------------

static void what_is_wrong_is_refused_with_its_line(void **state) {
    static const struct {
        const char *table, *line, *said;
    } wrong[] = {
        {"names = [\"reduc\"]\n", ":3:", "did you mean \"reduce\"?"},
        {"names = []\n", ":3:", "names"},
        {"names = [\"reduce\"]\nsizes = 3\n", ":4:", "unknown key \"sizes\""},
        {"names = [\"reduce\"]\naxes.n = \"8..4*2\"\n", ":4:", "is empty"},
        {"names = [\"reduce\"]\naxes.n = \"0..4*2\"\n", ":4:", "is empty"},
        {"names = [\"reduce\"]\naxes.n = \"1..4*1\"\n", ":4:", "does not move"},
        {"names = [\"reduce\"]\naxes.n = \"1..4\"\n", ":4:", "neither a step"},
        {"names = [\"reduce\"]\naxes.n = []\n", ":4:", "must not be empty"},
        {"names = [\"reduce\"]\naxes.n = -4\n", ":4:", "neither a size"},
        {"names = [\"reduce\"]\naxes.n = 1.5\n", ":4:", "and this is a number"},
        {"names = [\"reduce\"]\naxes.n = \"2^70\"\n", ":4:", "below 2^63"},
        {"names = [\"reduce\"]\naxes.n = \"2^60\"\n", ":4:", "more than any machine holds"},
        {"names = [\"sgemm\"]\naxes = {m = 4000000000000, n = 4000000000000, k = 4000000000000}\n",
         ":4:", "more than any machine holds"},
        {"names = [\"reduce\"]\naxes.n = \"1..100000+1\"\n", ":4:", "more than 4096 values"},
        {"names = [\"reduce\"]\naxes.m = 4\n", ":4:", "reduce has no axis \"m\""},
        {"names = [\"sgemm\"]\naxes.m = 4\n", ":4:", "needs the axis n too"},
        {"names = [\"reduce\"]\noperations = [\"summ\"]\n", ":4:", "did you mean \"sum\"?"},
        {"names = [\"reduce\"]\ntypes = [\"f31\"]\n", ":4:", "reduce has no type \"f31\""},
        {"names = [\"reduce\"]\ntypes = [\"f31\"]\n", ":4:", "allowed: f32 f16 bf16 f64 i32"},
        {"names = [\"reduce\"]\ntypes = [\"u8\"]\n", ":4:", "reduce has no type \"u8\""}, // as kz info says
        {"names = [\"reduce\"]\ndata = [\"any\"]\n", ":4:", "reduce has no kind of data \"any\""},
        {"names = [\"reduce\"]\ncases = [\"sum-f32\"]\n", ":4:", "no case of this table is \"sum-f32\""},
        {"names = [\"reduce\"]\ncases = [\"no-*\"]\n", ":4:", "no case of this table"},
        {"names = [\"reduce\"]\ncases = [\"*\"]\naxes.n = 4\n", ":2:", "one of the three"},
        {"names = [\"reduce\"]\ntargets = \"g1\"\n", ":4:", "names the GPU \"g1\""},
        {"names = [\"reduce\"]\nproviders = [\"cubb\"]\n", ":4:", "did you mean \"cub\"?"},
        {"names = [\"reduce\"]\nproviders = [\"01_no\"]\n", ":4:", "there is no provider"},
        {"names = [\"reduce\"]\ncache = [\"warm\"]\n", ":4:", "there is no cache \"warm\""},
        {"names = [\"reduce\"]\nmode = [\"burst\"]\ncache = [\"dirty\"]\n", ":5:", "do not go together"},
        {"names = [\"reduce\"]\ndraw = {count = 0, seed = 1, from = 1, to = 2}\n", ":4:", "count must be"},
        {"names = [\"reduce\"]\ndraw = {count = 2, from = 1, to = 2}\n", ":4:", "seed is missing"},
        {"names = [\"reduce\"]\ndraw = {count = 2, seed = 1, from = 3, to = 2}\n", ":4:", "is no range"},
        {"names = [\"reduce\"]\ndraw = {count = 2, seed = 1}\n", ":2:", "needs the axis n too"},
    };
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        workload_suite suite;
        workload_bench_cases cases;
        kz_error error;
        base_text text = {0};
        base_text_add(&text, HEAD "%s", wrong[i].table);
        assert_int_equal(read_text(text.data, &suite, &cases, &error), KZ_SYNTAX);
        assert_has(error.message, wrong[i].said);
        assert_has(error.message, wrong[i].line);
        base_text_free(&text);
        workload_bench_cases_free(&cases);
        workload_suite_close(&suite);
    }
}

// The file's name stands for it, and nothing that is wrong is hidden by its absence.
static void a_title_may_be_left_out(void **state) {
    workload_suite suite;
    workload_bench_cases cases;
    kz_error error;
    if (read_text("[[families]]\nnames = [\"reduce\"]\naxes.n = 4\n", &suite, &cases, &error))
        fail_msg("%s", error.message);
    assert_true(suite.name[0]);
    assert_string_equal(suite.title, suite.name);
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
    const char *wrong = "[[families]]\nnames = [\"reduce\"]\nproviders = [\"cubb\"]\n";
    assert_int_equal(read_text(wrong, &suite, &cases, &error), KZ_SYNTAX);
    assert_has(error.message, ":3:");
    assert_has(error.message, "did you mean \"cub\"?");
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

static void a_suite_that_is_not_there_is_named(void **state) {
    workload_suite suite;
    kz_error error = {0};
    assert_int_equal(workload_suite_open("no_such", &suite, &error), KZ_NOT_FOUND);
    assert_has(error.message, "there is no suite \"no_such\"");
    assert_has(error.message, "--suite ./no_such.toml");
    workload_suite_close(&suite);
    assert_int_equal(workload_suite_open("/nowhere/x.toml", &suite, &error), KZ_NOT_FOUND);
    workload_suite_close(&suite);
}

static void providers_are_chosen(void **state) {
    workload_suite suite;
    workload_bench_cases cases;
    kz_error error;
    const kz_device_info gpu = {.kind = KZ_DEVICE_CUDA, .gpu = "h200", .sm = 90, .multiprocessors = 132};
    const char *all =
        "title = \"T\"\nproviders = [\"chosen\", \"cub\"]\n[[families]]\nnames = [\"reduce\"]\n"
        "axes.n = 1048576\n[[families]]\nnames = [\"reduce\"]\naxes.n = 4\nproviders = [\"all\"]\n"
        "[[families]]\nnames = [\"reduce\"]\naxes.n = 5\nproviders = [\"choices\", \"libraries\"]\n";
    if (read_text(all, &suite, &cases, &error)) fail_msg("%s", error.message);
    const workload_bench_case *chosen = &cases.items[0], *every = &cases.items[1], *some = &cases.items[2];
    size_t count = 0, choices = 0;
    for (size_t i = 0; i < chosen->family->variant_count; i++) {
        const kz_variant *v = &chosen->family->variants[i];
        count += workload_suite_wants_variant(chosen->part, chosen->family, &chosen->c, &gpu, v);
        choices += workload_suite_wants_variant(some->part, some->family, &some->c, &gpu, v);
        assert_true(workload_suite_wants_variant(every->part, every->family, &every->c, &gpu, v));
    }
    assert_int_equal(count, 1);
    assert_true(choices > 1 && choices < some->family->variant_count); // what it picks for other sizes too
    assert_true(workload_suite_wants_rival(chosen->part, "cub"));
    assert_false(workload_suite_wants_rival(chosen->part, "cublas"));
    assert_false(workload_suite_wants_rival(every->part, "cub"));
    assert_true(workload_suite_wants_rival(some->part, "cub"));
    assert_false(workload_suite_wants_rival(some->part, "torch"));
    assert_true(workload_suite_wants_rival(NULL, "cub"));
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

static void conditions_are_products_too(void **state) {
    workload_suite suite;
    workload_bench_cases cases;
    kz_error error;
    const char *all =
        "title = \"T\"\ncache = [\"cold\", \"dirty\"]\nstream = [\"first\", \"later\"]\n"
        "[[families]]\nnames = [\"reduce\"]\naxes.n = 4\n"
        "[[families]]\nnames = [\"scan\"]\naxes.n = 4\nmode = [\"latency\"]\ncache = [\"hot\"]\n";
    if (read_text(all, &suite, &cases, &error)) fail_msg("%s", error.message);
    const workload_suite_part *first = cases.items[0].part, *second = cases.items[1].part;
    assert_int_equal(first->condition_count, 6); // graphs of dirty runs are none
    assert_int_equal(second->condition_count, 2);
    assert_int_equal(second->conditions[0].cache, BENCH_HOT);
    assert_int_equal(second->conditions[0].stream, BENCH_FIRST_STREAM);
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
    if (read_text(HEAD "names = [\"reduce\"]\naxes.n = 4\n", &suite, &cases, &error))
        fail_msg("%s", error.message);
    assert_int_equal(cases.items[0].part->condition_count, 0);
    workload_bench_cases_free(&cases);
    workload_suite_close(&suite);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_numbers_lists_and_ranges),
        cmocka_unit_test(cases_are_products),
        cmocka_unit_test(cases_are_named),
        cmocka_unit_test(a_case_of_two_tables_is_measured_once),
        cmocka_unit_test(the_suites_that_come_with_kz_are_right),
        cmocka_unit_test(shapes_are_drawn_log_uniformly),
        cmocka_unit_test(a_drawn_axis_may_have_its_own_range),
        cmocka_unit_test(drawn_axes_may_be_equal),
        cmocka_unit_test(shapes_that_come_out_twice_are_counted),
        cmocka_unit_test(a_gpu_that_there_is_not_is_refused),
        cmocka_unit_test(what_is_wrong_is_refused_with_its_line),
        cmocka_unit_test(a_title_may_be_left_out),
        cmocka_unit_test(a_suite_that_is_not_there_is_named),
        cmocka_unit_test(providers_are_chosen),
        cmocka_unit_test(conditions_are_products_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
