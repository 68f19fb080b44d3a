// Records: whole ones, cut ones, broken ones, and members by path.
#include "report/record/record.h"
#include "unit.h"

static report_record parse(const char *text) {
    report_record record;
    kz_error error = {0};
    assert_int_equal(report_record_parse("record", text, strlen(text), &record, &error), KZ_OK);
    return record;
}

static void test_lines_by_type(void **state) {
    report_record record = parse("{\"type\":\"a\",\"n\":1}\n\n{\"type\":\"b\"}\n{\"type\":\"a\",\"n\":2}\n");
    size_t at = 0;
    assert_int_equal(report_get_count(report_record_next(&record, "a", &at), "n"), 1);
    assert_int_equal(report_get_count(report_record_next(&record, "a", &at), "n"), 2);
    assert_null(report_record_next(&record, "a", &at));
    assert_false(record.cut);
    report_record_free(&record);
}

static void test_a_cut_line_ends_the_record(void **state) {
    report_record record = parse("{\"type\":\"a\"}\n{\"type\":\"a\",\"na");
    assert_int_equal(json_array_size(record.lines), 1);
    assert_true(record.cut);
    report_record_free(&record);
}

static void test_a_broken_line_is_named(void **state) {
    report_record record;
    kz_error error = {0};
    const char *text = "{\"type\":\"a\"}\n[1]\n{}\n";
    assert_int_equal(report_record_parse("here", text, strlen(text), &record, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "here:2 "));
    assert_null(record.lines);
}

static void test_members_by_path(void **state) {
    report_record record =
        parse("{\"type\":\"a\",\"in\":{\"x\":1.5,\"t\":\"word\",\"yes\":true,\"big\":1e18}}\n");
    size_t at = 0;
    const json_t *a = report_record_next(&record, "a", &at);
    assert_true(report_get_number(a, "in.x", 0) == 1.5);
    assert_true(report_get_number(a, "in.none", -1) == -1);
    assert_true(report_get_count(a, "in.big") == UINT64_C(1000000000000000000));
    assert_string_equal(report_get_text(a, "in.t"), "word");
    assert_string_equal(report_get_text(a, "no.such.thing"), "");
    assert_true(report_get_bool(a, "in.yes"));
    report_record_free(&record);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_by_type),
        cmocka_unit_test(test_a_cut_line_ends_the_record),
        cmocka_unit_test(test_a_broken_line_is_named),
        cmocka_unit_test(test_members_by_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
