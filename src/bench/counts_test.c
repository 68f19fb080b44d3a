// Counts as a file and compared: what is written reads back, a damaged file is named with its line, one more is worse.
#include "bench/counts.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define HEAD    "# kz gate --counters, version 1: by hand\n# gpu: h200\n# compiler: 13.0.88\n"
#define COLUMNS "kernel,case,launches,ptx__inst_executed.sum\n"

static bench_counts parse(const char *text) {
    bench_counts counts;
    kz_error error = {0};
    kz_status status = bench_counts_parse("a.csv", text, strlen(text), &counts, &error);
    if (status) fail_msg("%s", error.message);
    return counts;
}

static void what_is_written_reads_back(void **state) {
    bench_counts counts =
        parse(HEAD COLUMNS "01_naive,sum-n1,1,20\r\n02_tree,sum-n1,0,18446744073709551615\n\n");
    base_text text = {0}, again = {0};
    (void)state;
    assert_string_equal(counts.gpu, "h200");
    assert_string_equal(counts.compiler, "13.0.88");
    assert_int_equal(counts.count, 2);
    const bench_counts_row *row = bench_counts_find(&counts, "02_tree", "sum-n1");
    assert_true(row->values[BENCH_COUNT_INST] == UINT64_MAX);
    assert_null(bench_counts_find(&counts, "02_tree", "sum-n2"));
    bench_counts_write(&counts, "a test", &text);
    bench_counts read = parse(text.data);
    bench_counts_write(&read, "a test", &again);
    assert_string_equal(text.data, again.data);
    assert_null(strstr(text.data, "ptx__warps"));          // all are 0
    assert_non_null(strstr(text.data, "\n02_tree,\",0,")); // the case of the row above
    bench_counts_free(&read);
    bench_counts_free(&counts);
    base_text_free(&text);
    base_text_free(&again);
}

static void every_count_has_a_name_of_its_own(void **state) {
    (void)state;
    for (bench_count a = 0; a < BENCH_COUNTS; a++) {
        assert_non_null(bench_count_text(a));
        assert_null(strstr(bench_count_name(a), "model__"));
        for (bench_count b = 0; b < a; b++) assert_string_not_equal(bench_count_name(a), bench_count_name(b));
    }
}

static void a_damaged_file_is_named_with_its_line(void **state) {
    static const struct {
        const char *text, *says;
        kz_status status;
    } files[] = {
        {"", "a.csv:1: the file ends before its columns", KZ_SYNTAX},
        {"hello\n", "a.csv:1: these are no counts of kz gate", KZ_SYNTAX},
        {"# kz gate --counters, version 2: later\n",
         "a.csv has counts of version 2, and this kz reads version 1", KZ_UNSUPPORTED},
        {HEAD, "the file ends before its columns", KZ_SYNTAX},
        {"# kz gate --counters, version 1: x\n" COLUMNS, "does not name its GPU", KZ_SYNTAX},
        {HEAD "kernel,launches\n", "a.csv:4: the columns begin with kernel,case, not with \"launches\"",
         KZ_SYNTAX},
        {HEAD "kernel,case,ptx__elephants.sum\n", "a.csv:4: kz has no count \"ptx__elephants.sum\"",
         KZ_SYNTAX},
        {HEAD COLUMNS "01_naive,\",1,2\n", "a.csv:5: a row has a kernel, a case and counts", KZ_SYNTAX},
        {HEAD COLUMNS "01_naive\n", "a.csv:5: a row has a kernel, a case and counts", KZ_SYNTAX},
        {HEAD COLUMNS "01_naive,c,1\n", "a.csv:5: a row has as many columns as the first line", KZ_SYNTAX},
        {HEAD COLUMNS "01_naive,c,1,2,3\n", "a.csv:5: a row has as many columns as the first line",
         KZ_SYNTAX},
        {HEAD COLUMNS "01_naive,c,1,-2\n", "a.csv:5: this is no count: \"-2\"", KZ_SYNTAX},
        {HEAD COLUMNS "01_naive,c,1,2e3\n", "this is no count: \"2e3\"", KZ_SYNTAX},
        {HEAD COLUMNS "01_naive,c,1,99999999999999999999\n", "this is no count", KZ_SYNTAX},
        {HEAD COLUMNS "a,c,1,2\na,c,1,2\n", "a.csv:6: this row stands twice: \"a\"", KZ_SYNTAX},
        {HEAD "kernel,case,launches,launches\n", "a.csv:4: a count stands twice: \"launches\"", KZ_SYNTAX},
        {HEAD "# rows: many\n" COLUMNS, "a.csv:4: this is no number of rows: \"many\"", KZ_SYNTAX},
        {"# kz gate --counters, version 1: x\n# gpu: h200\n" COLUMNS,
         "does not name its GPU and its compiler", KZ_SYNTAX},
    };
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(files); i++) {
        bench_counts counts;
        kz_error error = {0};
        assert_int_equal(bench_counts_parse("a.csv", files[i].text, strlen(files[i].text), &counts, &error),
                         files[i].status);
        if (!strstr(error.message, files[i].says))
            fail_msg("\"%s\" does not say: %s", error.message, files[i].says);
        assert_non_null(strstr(error.message, "kz gate --counters")); // what to do
        bench_counts_free(&counts);
    }
}

static void lost_rows_are_missed(void **state) {
    static const char nul[] = HEAD COLUMNS "01_naive,c,1,2\n\0"
                                           "02_tree,c,1,2\n";
    bench_counts counts = parse(HEAD "# rows: 2\n" COLUMNS "01_naive,c,1,2\n02_tree,c,1,2\n");
    kz_error error = {0};
    (void)state;
    assert_int_equal(bench_counts_check_rows("a.csv", &counts, &error), KZ_OK);
    bench_counts_free(&counts);
    counts = parse(HEAD "# rows: 2\n" COLUMNS "01_naive,c,1,2\n");
    assert_int_equal(bench_counts_check_rows("a.csv", &counts, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "a.csv says that it has 2 rows, and has 1"));
    bench_counts_free(&counts);
    counts = parse(HEAD COLUMNS "01_naive,c,1,2\n");
    assert_int_equal(bench_counts_check_rows("a.csv", &counts, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "does not say how many rows"));
    bench_counts_free(&counts);
    assert_int_equal(bench_counts_parse("a.csv", nul, sizeof nul - 1, &counts, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "a zero byte"));
    bench_counts_free(&counts);
}

static void a_program_keeps_its_words(void **state) {
    bench_counts counts =
        parse(HEAD "# nvcc flags: -DN=4\n# arguments: 128 'a b'\n# rows: 1\n" COLUMNS "k,,1,2\n");
    base_text text = {0};
    (void)state;
    assert_string_equal(counts.flags, "-DN=4");
    assert_string_equal(counts.arguments, "128 'a b'");
    bench_counts_write(&counts, "a test", &text);
    assert_non_null(strstr(text.data, "\n# nvcc flags: -DN=4\n# arguments: 128 'a b'\n# rows: 1\n"));
    bench_counts_free(&counts);
    base_text_free(&text);
}

static void one_more_is_worse_and_one_fewer_better(void **state) {
    bench_counts before =
        parse(HEAD COLUMNS
              "same,c,1,5\nworse,c,1,5\nmixed,c,2,5\nbetter,c,1,5\ngone,c,1,6\nold,c,1,7\nold,d,1,7\n");
    bench_counts now =
        parse(HEAD COLUMNS "same,c,1,5\nworse,c,1,6\nmixed,c,1,6\nbetter,c,1,4\nnew,c,1,8\nrenamed,c,1,7\n");
    static const struct {
        const char *before, *now;
        bench_counts_verdict verdict;
    } wanted[] = {
        {"same", "same", BENCH_COUNTS_SAME},    {"worse", "worse", BENCH_COUNTS_WORSE},
        {"mixed", "mixed", BENCH_COUNTS_WORSE}, {"better", "better", BENCH_COUNTS_BETTER},
        {NULL, "new", BENCH_COUNTS_NEW},        {"old", "renamed", BENCH_COUNTS_RENAMED},
        {"gone", NULL, BENCH_COUNTS_GONE},      {"old", NULL, BENCH_COUNTS_GONE},
    };
    size_t count;
    bench_counts_change *changes = bench_counts_compare(&before, &now, &count);
    (void)state;
    assert_int_equal(count, BASE_COUNT(wanted));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(changes[i].verdict, wanted[i].verdict);
        assert_string_equal(changes[i].before ? changes[i].before->kernel : "",
                            wanted[i].before ? wanted[i].before : "");
        assert_string_equal(changes[i].now ? changes[i].now->kernel : "", wanted[i].now ? wanted[i].now : "");
    }
    free(changes);
    bench_counts_free(&before);
    bench_counts_free(&now);
}

static void ptx_names_its_compiler(void **state) {
    char compiler[64];
    (void)state;
    bench_counts_compiler("//\n// Cuda compilation tools, release 13.0, V13.0.88\n// Based on\n", compiler);
    assert_string_equal(compiler, "13.0.88");
    bench_counts_compiler("// Cuda compilation tools, release 13.0\n// , V1\n", compiler);
    assert_string_equal(compiler, "");
    bench_counts_compiler(".version 9.0\n", compiler);
    assert_string_equal(compiler, "");
    bench_counts_compiler(NULL, compiler);
    assert_string_equal(compiler, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(every_count_has_a_name_of_its_own),
        cmocka_unit_test(a_damaged_file_is_named_with_its_line),
        cmocka_unit_test(lost_rows_are_missed),
        cmocka_unit_test(a_program_keeps_its_words),
        cmocka_unit_test(one_more_is_worse_and_one_fewer_better),
        cmocka_unit_test(ptx_names_its_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
