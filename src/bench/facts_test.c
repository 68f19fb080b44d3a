// What is known of a variant before it runs: grades as they were written, compile times with their compiler, and lines
// as the build counted them.
#include "bench/facts.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

#define HEADER "variant,portability,readability,debugging,why\n"

static void grades_are_read(void **state) {
    bench_judgements judged;
    assert_int_equal(bench_judgements_parse(HEADER
                                            "01_naive,5,4,3,plain, with a comma\n\n02_fast,1,2,3,why\n",
                                            "j.csv", &judged, NULL),
                     KZ_OK);
    assert_int_equal(judged.count, 2);
    assert_string_equal(judged.rows[0].variant, "01_naive");
    assert_int_equal(judged.rows[0].portability, 5);
    assert_int_equal(judged.rows[0].readability, 4);
    assert_int_equal(judged.rows[0].debugging, 3);
    assert_string_equal(judged.rows[0].why, "plain, with a comma");
    assert_int_equal(judged.rows[1].debugging, 3);
}

static void a_bad_row_is_named(void **state) {
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"variant,grade\n", "j.csv:1: the first line must be"},
        {HEADER "01_naive,5,4\n", "j.csv:2: a row has 5 columns"},
        {HEADER "01_naive,5,4,3,\n", "none of them empty"},
        {HEADER "01_naive,5,4,3,good\n02_fast,5,6,3,good\n", "j.csv:3: \"6\" is not a grade from 1 to 5"},
        {HEADER "01_naive,5,4,,good\n", "\"\" is not a grade"},
        {HEADER "01_naive,5,4,10,good\n", "\"10\" is not a grade"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        bench_judgements judged;
        kz_error error = {0};
        assert_int_equal(bench_judgements_parse(rows[i].text, "j.csv", &judged, &error), KZ_SYNTAX);
        assert_has(error.message, rows[i].says);
    }
}

static void a_compile_time_has_its_compiler(void **state) {
    static const char text[] = "# words\n# compiler: nvcc 12.0, 2026-01-01\nfamily,variant,seconds\n"
                               "toy,01_naive,2.5\n# compiler: nvcc 13.0, 2026-02-02\ntoy,01_naive_too,3.5\n";
    double seconds = 0;
    char compiler[64];
    assert_true(bench_compile_time(text, "toy", "01_naive_too", &seconds, compiler));
    assert_float_equal(seconds, 3.5, 1e-12);
    assert_string_equal(compiler, "nvcc 13.0, 2026-02-02");
    assert_true(bench_compile_time(text, "toy", "01_naive", &seconds, compiler));
    assert_float_equal(seconds, 2.5, 1e-12);
    assert_string_equal(compiler, "nvcc 12.0, 2026-01-01");
    assert_false(bench_compile_time(text, "toy", "01", &seconds, compiler));
}

static void what_nobody_noted_is_unknown(void **state) {
    bench_facts facts = bench_facts_of("vector_add", "99_nowhere");
    assert_int_equal(facts.lines, -1);
    assert_true(isnan(facts.compile_seconds));
    assert_string_equal(facts.compiler, "");
    assert_int_equal(facts.judged.readability, 0);
}

// With the headers that are its own: 01_atomic has some, vector_add's 01_naive has kz/kernel.cuh alone.
static void the_build_has_counted(void **state) {
    size_t size;
    char *text;
    static const char path[] = "kernels/primitives/reduce/01_atomic.cu";
    assert_int_equal(base_file_read(path, &text, &size, NULL), KZ_OK);
    size_t own = base_code_lines(text);
    free(text);
    bench_facts facts = bench_facts_of("reduce", "01_atomic");
    assert_int_equal(facts.lines, own);
    assert_true(facts.all_lines > facts.lines);
    facts = bench_facts_of("vector_add", "01_naive");
    assert_int_equal(facts.lines, 5);
    assert_int_equal(facts.all_lines, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grades_are_read),
        cmocka_unit_test(a_bad_row_is_named),
        cmocka_unit_test(a_compile_time_has_its_compiler),
        cmocka_unit_test(what_nobody_noted_is_unknown),
        cmocka_unit_test(the_build_has_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
