// Numbers as people write them, words, lists, commands split without a shell.
#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "unit.h"

static void expect_number(const char *text, double first, double second) {
    double values[2];
    size_t count = course_read_number(text, values);
    if (count != (isnan(second) ? 1u : 2u)) fail_msg("\"%s\": %zu numbers", text, count);
    assert_true(course_same_number(values[0], first, 0));
    if (count == 2) assert_true(course_same_number(values[1], second, 0));
}

static void test_numbers(void **state) {
    expect_number("4", 4, NAN);
    expect_number(" 4 sectors", 4, NAN);
    expect_number("2^20", 1048576, NAN);
    expect_number("2**10 * 3", 3072, NAN);
    expect_number("1,048,576 bytes", 1048576, NAN);
    expect_number("1_000", 1000, NAN);
    expect_number("3/8", 0.375, NAN);
    expect_number("-1.5e3", -1500, NAN);
    expect_number("(1 + 2) * 4", 12, NAN);
    expect_number("50%", 50, 0.5);
    expect_number("4 KiB", 4, 4096);
    expect_number("300 GB/s", 300, 300e9);
    double values[2];
    assert_int_equal(course_read_number("four", values), 0);
    assert_int_equal(course_read_number("3 or 4", values), 0);
    assert_int_equal(course_read_number("", values), 0);
    assert_int_equal(course_read_number("1/0", values), 0);
    assert_int_equal(course_read_number("((((((((((((((((((((((((((((((((((((((((1", values), 0);
}

static void test_tolerance(void **state) {
    assert_true(course_same_number(1.05, 1, 0.05));
    assert_false(course_same_number(1.06, 1, 0.05));
    assert_false(course_same_number(4.001, 4, 0));
    assert_false(course_same_number(NAN, 4, 0.5));
}

static void test_words(void **state) {
    assert_true(course_same_words("Memory", "memory", 0));
    assert_true(course_same_words("[0, 32, 64]", "0 32 64", 0));
    assert_true(course_same_words("1.0 b", "1 b", 0));
    assert_false(course_same_words("0 32", "0 32 64", 0));
    assert_false(course_same_words("32 0 64", "0 32 64", 0));
    assert_false(course_same_words("", "memory", 0));
    assert_false(course_same_words("memorys", "memory", 0));
    assert_false(course_same_words("0", "-inf", 0));
    assert_false(course_same_words("inf", "-inf", 0.1));
    assert_true(course_same_words("-INF", "-inf", 0));
    assert_true(course_same_words("Serial work", "serial_work", 0));
    assert_true(course_same_words("serial-work", "serial_work", 0));
    assert_true(course_same_words("the compiler", "compiler", 0));
    assert_true(course_same_words("compiler", "the compiler", 0));
    assert_true(course_same_words("__syncthreads", "__syncthreads", 0));
    assert_false(course_same_words("syncthreads", "__syncthreads", 0));
    assert_false(course_same_words("serial", "serial_work", 0));
    assert_false(course_same_words("a b", "b", 0)); // letters are no articles
    assert_false(course_same_words("1", "-1", 0));
    assert_false(course_same_words("3", "n-3", 0));
}

static void test_lines(void **state) {
    base_arena *arena = base_arena_open();
    course_lines lines;
    assert_int_equal(
        course_lines_read(arena, "# kz: task x\n a = 4 # four\nrun = kz \"a # b\" --x=1\n\nb=\nwhat\nc = ?",
                          &lines, NULL),
        KZ_OK);
    assert_int_equal(lines.count, 4);
    assert_string_equal(lines.items[0].name, "a");
    assert_string_equal(lines.items[0].value, "4");
    assert_string_equal(lines.items[1].value, "kz \"a # b\" --x=1");
    assert_int_equal(lines.items[2].line, 5);
    assert_true(course_line_is_open(&lines.items[2]));
    assert_true(course_line_is_open(&lines.items[3]));
    assert_int_equal(lines.stray, 6);
    base_arena_close(arena);
}

static void test_commands(void **state) {
    base_arena *arena = base_arena_open();
    const char *const *words;
    size_t count;
    kz_error error;
    assert_int_equal(
        course_split_command(arena, "kz prof 'a b' c\\ d \"e'f\" --x=\"1 2\" ''", &words, &count, &error),
        KZ_OK);
    static const char *const wanted[] = {"kz", "prof", "a b", "c d", "e'f", "--x=1 2", ""};
    assert_int_equal(count, BASE_COUNT(wanted));
    for (size_t i = 0; i < count; i++) assert_string_equal(words[i], wanted[i]);
    assert_null(words[count]);
    assert_int_equal(course_split_command(arena, "kz prof | head", &words, &count, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "without one"));
    assert_int_equal(course_split_command(arena, "kz 'prof", &words, &count, &error), KZ_SYNTAX);
    assert_int_equal(course_split_command(arena, "kz '|' x", &words, &count, &error), KZ_OK);
    base_arena_close(arena);
}

static void test_find(void **state) {
    base_arena *arena = base_arena_open();
    const char *found;
    const char *text = "one\nsectors_per_request,,4.5\nline: 12\n";
    assert_int_equal(course_find_group(arena, text, "sectors_per_request[^0-9]*([0-9.]+)", &found, NULL),
                     KZ_OK);
    assert_string_equal(found, "4.5");
    course_find_group(arena, text, "^line: [0-9]+$", &found, NULL);
    assert_string_equal(found, "line: 12");
    course_find_group(arena, text, "nothing", &found, NULL);
    assert_null(found);
    kz_error error;
    assert_int_equal(course_find_group(arena, text, "(", &found, &error), KZ_SYNTAX);
    base_arena_close(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_tolerance), cmocka_unit_test(test_words),
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_commands),  cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
