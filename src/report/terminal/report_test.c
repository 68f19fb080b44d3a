// Numbers, tables, journals and JUnit.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/report.h"
#include "unit.h"

static void numbers_have_three_digits(void **state) {
    (void)state;
    char t[REPORT_NUMBER];
    assert_string_equal(report_si(t, 4.37e12, "B/s"), "4.37 TB/s");
    assert_string_equal(report_si(t, 12.3e-6, "s"), "12.3 us");
    assert_string_equal(report_si(t, 1048576, ""), "1.05 M");
    assert_string_equal(report_si(t, 999.7, "B"), "1.00 kB");
    assert_string_equal(report_si(t, 0, "s"), "0 s");
    assert_string_equal(report_si(t, 17, ""), "17.0");
    assert_string_equal(report_si(t, -2500, "x"), "-2.50 kx");
    assert_string_equal(report_si(t, NAN, "s"), "-");
    assert_string_equal(report_seconds(t, 65.4), "1 min 05 s");
    assert_string_equal(report_seconds(t, 0.25), "250 ms");
}

static char *print_table(const report_style *style) {
    const report_column columns[] = {{"name", .least = 6}, {"count", .right = true}, {"why", .shrink = true}};
    report_table *table = report_table_open(columns, 3);
    report_table_add(table, REPORT_GOOD, "%s", "é");
    report_table_add(table, REPORT_PLAIN, "%d", 7);
    report_table_add(table, REPORT_PLAIN, "%s", "a reason that is longer than the line");
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    report_table_print(table, file, style, true);
    fclose(file);
    report_table_close(table);
    return text;
}

static void tables_align_and_shrink(void **state) {
    (void)state;
    report_style style = {.width = 100};
    char *text = print_table(&style);
    assert_string_equal(text, "name    count  why\n"
                              "é           7  a reason that is longer than the line\n");
    free(text);
    style = (report_style){.width = 36, .utf8 = true};
    text = print_table(&style);
    assert_string_equal(text, "name  count  why\n"
                              "é         7  a reason that is longe…\n"); // blanks gave way first
    free(text);
}

static void a_table_that_is_too_wide_is_folded(void **state) {
    (void)state;
    const report_column columns[] = {
        {"name", .least = 12}, {"first", .right = true}, {"second", .right = true}, {.title = "third"}};
    report_table *table = report_table_open(columns, 4);
    report_table_fold(table);
    static const char *const cells[] = {"one", "11", "12", "words", "two", "21", "22", ""};
    for (size_t i = 0; i < BASE_COUNT(cells); i++) report_table_add(table, REPORT_PLAIN, "%s", cells[i]);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    report_table_print(table, file, &(report_style){.width = 20, .terminal = true}, true);
    report_table_print(table, file, &(report_style){.width = 28, .terminal = true}, true); // blanks give way
    report_table_print(table, file, &(report_style){.width = 20}, false); // a file is no terminal
    fclose(file);
    report_table_close(table);
    assert_string_equal(text, "name  first  second\n"
                              "one      11      12\n"
                              "two      21      22\n"
                              "name  third\n"
                              "one   words\n"
                              "two\n"
                              "name    first  second  third\n"
                              "one        11      12  words\n"
                              "two        21      22\n"
                              "one    11  12  words\n"
                              "two    21  22\n");
    free(text);
}

static void a_note_is_wrapped_on_a_terminal_alone(void **state) {
    (void)state;
    static const char words[] = "nothing is broken within a_word_that_is_long";
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    report_note(file, &(report_style){.width = 16, .terminal = true}, REPORT_PLAIN, 2, words);
    report_note(file, &(report_style){.width = 16}, REPORT_PLAIN, 2, words);
    fclose(file);
    assert_string_equal(text, "  nothing is\n"
                              "    broken\n"
                              "    within\n"
                              "    a_word_that_is_long\n"
                              "  nothing is broken within a_word_that_is_long\n");
    free(text);
}

static void spare_columns_are_left_out_first(void **state) {
    const report_column columns[] = {
        {.title = "what", .shrink = REPORT_SHRINKS}, {.title = "id", .shrink = REPORT_SPARE}, {.title = "n"}};
    (void)state;
    for (int width = 12; width <= 30; width += 18) {
        report_table *table = report_table_open(columns, 3);
        report_table_add(table, REPORT_PLAIN, "short");
        report_table_add(table, REPORT_PLAIN, "a_name");
        report_table_add(table, REPORT_PLAIN, "7");
        report_style style = {.width = width};
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        report_table_print(table, file, &style, true);
        fclose(file);
        assert_string_equal(text,
                            width == 12 ? "what   n\nshort  7\n" : "what   id      n\nshort  a_name  7\n");
        free(text);
        report_table_close(table);
    }
}

static void colour_only_where_asked_for(void **state) {
    (void)state;
    report_style style = {.width = 100, .colour = true};
    char *text = print_table(&style);
    assert_non_null(strstr(text, "\033[32mé\033[0m"));
    free(text);
    FILE *file = tmpfile();
    assert_false(report_detect_style(file).colour);
    assert_false(report_detect_style(file).terminal);
    fclose(file);
}

static void a_journal_is_written_as_it_goes(void **state) {
    (void)state;
    char folder[] = "/tmp/kz_report_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.jsonl", folder);
    report_journal *journal;
    assert_int_equal(report_journal_open(path, &journal, NULL), KZ_OK);
    json_t *object = json_pack("{s:i}", "x", 1);
    assert_int_equal(report_journal_add(journal, object, NULL), KZ_OK);
    char *data;
    size_t size;
    assert_int_equal(base_file_read(path, &data, &size, NULL), KZ_OK); // before it is closed
    assert_string_equal(data, "{\"x\":1}\n");
    free(data);
    assert_int_equal(report_journal_close(journal, NULL), KZ_OK);
    json_decref(object);
    unlink(path);
    rmdir(folder);
}

static void a_full_disk_is_an_error_that_stays(void **state) {
    (void)state;
    report_journal *journal;
    kz_error error = {0};
    json_t *object = json_pack("{s:i}", "x", 1);
    assert_int_equal(report_journal_open("/dev/full", &journal, NULL), KZ_OK);
    assert_int_equal(report_journal_add(journal, object, &error), KZ_IO);
    assert_non_null(strstr(error.message, "full"));
    assert_int_equal(report_journal_add(journal, object, NULL), KZ_IO);
    assert_int_equal(report_journal_close(journal, &error), KZ_IO);
    json_t *array = json_pack("[O]", object);
    assert_int_equal(report_write_lines(array, "/dev/full", &error), KZ_IO);
    json_decref(array);
    json_decref(object);
}

static void one_object_is_written_as_asked(void **state) {
    char path[] = "/tmp/kz_object_XXXXXX", *data;
    size_t size;
    close(mkstemp(path));
    assert_int_equal(report_write_line(json_pack("{s:i, s:i}", "b", 1, "a", 2), path, NULL), KZ_OK);
    assert_int_equal(base_file_read(path, &data, &size, NULL), KZ_OK);
    assert_string_equal(data, "{\"b\":1,\"a\":2}\n");
    free(data);
    assert_int_equal(report_write_indented(json_pack("{s:i}", "b", 1), path, NULL), KZ_OK);
    assert_int_equal(base_file_read(path, &data, &size, NULL), KZ_OK);
    assert_string_equal(data, "{\n  \"b\": 1\n}\n");
    free(data);
    kz_error error;
    assert_int_equal(report_write_line(NULL, path, &error),
                     KZ_NO_MEMORY); // what json_pack gives without memory
    const base_text text = {.data = "words", .length = 5};
    assert_int_equal(report_write_text(&text, "/dev/full", &error), KZ_IO);
    unlink(path);
}

static void unknown_is_null(void **state) {
    (void)state;
    json_t *unknown = report_number(NAN), *one = report_number(1);
    assert_true(json_is_null(unknown));
    assert_true(json_is_real(one));
    json_decref(unknown);
    json_decref(one);
}

static void junit_is_escaped(void **state) {
    (void)state;
    char path[] = "/tmp/kz_junit_XXXXXX";
    close(mkstemp(path));
    report_junit *junit = report_junit_open("kz \"check\"");
    report_junit_add(junit, "reduce", "a", 0.5, REPORT_PASSED, NULL);
    report_junit_add(junit, "reduce", "b", 0.5, REPORT_FAILED, "1 < 2 & \"3\"\n\001");
    report_junit_add(junit, "reduce", "c", 0, REPORT_SKIPPED, "why");
    assert_int_equal(report_junit_write(junit, path, NULL), KZ_OK);
    report_junit_close(junit);
    char *data;
    size_t size;
    assert_int_equal(base_file_read(path, &data, &size, NULL), KZ_OK);
    assert_non_null(
        strstr(data, "name=\"kz &quot;check&quot;\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
    assert_non_null(strstr(data, "message=\"1 &lt; 2 &amp; &quot;3&quot;&#10;?\""));
    free(data);
    unlink(path);
}

static void results_go_where_the_environment_says(void **state) {
    (void)state;
    char folder[] = "/tmp/kz_results_XXXXXX";
    assert_non_null(mkdtemp(folder));
    setenv("KZ_RESULTS", folder, 1);
    base_text path = {0};
    assert_int_equal(report_results_path("check", &path, NULL), KZ_OK);
    assert_int_equal(strncmp(path.data, folder, strlen(folder)), 0);
    assert_non_null(strstr(path.data, "/check-20"));
    base_text_free(&path);
    kz_error error;
    setenv("KZ_RESULTS", "/dev/null/x", 1);
    assert_int_not_equal(report_results_path("check", &path, &error), KZ_OK);
    assert_non_null(strstr(error.message, "KZ_RESULTS"));
    base_text_free(&path);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_three_digits),
        cmocka_unit_test(tables_align_and_shrink),
        cmocka_unit_test(a_table_that_is_too_wide_is_folded),
        cmocka_unit_test(a_note_is_wrapped_on_a_terminal_alone),
        cmocka_unit_test(spare_columns_are_left_out_first),
        cmocka_unit_test(colour_only_where_asked_for),
        cmocka_unit_test(a_journal_is_written_as_it_goes),
        cmocka_unit_test(a_full_disk_is_an_error_that_stays),
        cmocka_unit_test(one_object_is_written_as_asked),
        cmocka_unit_test(unknown_is_null),
        cmocka_unit_test(junit_is_escaped),
        cmocka_unit_test(results_go_where_the_environment_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
