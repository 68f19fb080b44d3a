// The TOML reader: every kind of value, strictness, messages with their place, and unknown keys.
#include "course/toml.h"

#include <math.h>

#include "unit.h"

typedef struct fixture {
    base_arena *arena;
    course_toml toml;
    kz_error error;
} fixture;

static int open_arena(void **state) {
    static fixture f;
    f = (fixture){.arena = base_arena_open()};
    *state = &f;
    return f.arena ? 0 : -1;
}

static int close_arena(void **state) {
    base_arena_close(((fixture *)*state)->arena);
    return 0;
}

static course_toml_value *parse(fixture *f, const char *text) {
    f->error = (kz_error){0};
    if (course_toml_parse(f->arena, "t.toml", text, strlen(text), &f->toml, &f->error) != KZ_OK) return NULL;
    return f->toml.root;
}

static course_toml_value *good(fixture *f, const char *text) {
    course_toml_value *root = parse(f, text);
    if (!root) print_error("%s\n%s\n", text, f->error.message);
    assert_non_null(root);
    return root;
}

static void bad(fixture *f, const char *text, const char *says) {
    if (parse(f, text)) print_error("accepted: %s\n", text);
    assert_int_equal(f->toml.status, KZ_SYNTAX);
    if (!strstr(f->error.message, says)) print_error("%s\nsays: %s\n", text, f->error.message);
    assert_non_null(strstr(f->error.message, says));
}

static void reads_strings(void **state) {
    fixture *f = *state;
    course_toml_value *r = good(f, "a = \"x\\ty\\u00e9\\\"\" # a comment\r\n"
                                   "b = 'C:\\no'\nc = \"\"\"\nfirst\n  \\\n   second\"\"\"\n"
                                   "d = '''a\n'b''''\n");
    assert_string_equal(course_toml_string(&f->toml, r, "a", NULL), "x\ty\xc3\xa9\"");
    assert_string_equal(course_toml_string(&f->toml, r, "b", NULL), "C:\\no");
    assert_string_equal(course_toml_string(&f->toml, r, "c", NULL), "first\n  second");
    assert_string_equal(course_toml_string(&f->toml, r, "d", NULL), "a\n'b'");
    assert_int_equal(course_toml_finish(&f->toml), KZ_OK);
}

static void reads_numbers(void **state) {
    fixture *f = *state;
    course_toml_value *r = good(f, "i = 1_000\nj = -7\nh = 0xff_0a\no = 0o17\nb = 0b101\nf = 1.5e3\n"
                                   "g = -inf\nn = nan\nt = true\nu = false\ns = +3\nz = 0\ne = 1e-2");
    assert_int_equal(course_toml_integer(&f->toml, r, "i", 0), 1000);
    assert_int_equal(course_toml_integer(&f->toml, r, "j", 0), -7);
    assert_int_equal(course_toml_integer(&f->toml, r, "h", 0), 0xff0a);
    assert_int_equal(course_toml_integer(&f->toml, r, "o", 0), 15);
    assert_int_equal(course_toml_integer(&f->toml, r, "b", 0), 5);
    assert_true(course_toml_number(&f->toml, r, "f", 0) == 1500);
    assert_true(course_toml_number(&f->toml, r, "s", 0) == 3);
    assert_true(course_toml_number(&f->toml, r, "g", 0) == -INFINITY);
    assert_true(isnan(course_toml_number(&f->toml, r, "n", 0)));
    assert_true(course_toml_boolean(&f->toml, r, "t", false));
    assert_false(course_toml_boolean(&f->toml, r, "u", true));
    assert_true(course_toml_number(&f->toml, r, "e", 0) == 0.01);
    assert_string_equal(course_toml_expression(&f->toml, r, "z"), "0");
    assert_int_equal(course_toml_finish(&f->toml), KZ_OK);
}

static void reads_tables_and_arrays(void **state) {
    fixture *f = *state;
    course_toml_value *r =
        good(f, "a.b.c = 1\nlist = [ 1, # one\n  2,\n]\npoint = {x = 1, \"y z\" = {w = 2}}\n"
                "[t]\nk = \"v\"\n[[case]]\nn = 1\n[case.more]\nm = 2\n[[case]]\nn = 3\n"
                "[t.sub]\nk = 1\n");
    course_toml_value *a = course_toml_table(&f->toml, r, "a");
    assert_int_equal(course_toml_integer(&f->toml, course_toml_table(&f->toml, a, "b"), "c", 0), 1);
    assert_int_equal(course_toml_get(&f->toml, r, "list")->count, 2);
    course_toml_value *y = course_toml_table(&f->toml, course_toml_table(&f->toml, r, "point"), "y z");
    assert_int_equal(course_toml_integer(&f->toml, y, "w", 0), 2);
    course_toml_value *cases = course_toml_tables(&f->toml, r, "case");
    assert_int_equal(cases->count, 2);
    course_toml_value *more = course_toml_table(&f->toml, cases->first, "more");
    assert_int_equal(course_toml_integer(&f->toml, more, "m", 0), 2);
    assert_int_equal(course_toml_integer(&f->toml, cases->last, "n", 0), 3);
    course_toml_value *t = course_toml_table(&f->toml, r, "t");
    assert_string_equal(course_toml_string(&f->toml, t, "k", ""), "v");
    assert_int_equal(course_toml_integer(&f->toml, course_toml_table(&f->toml, t, "sub"), "k", 0), 1);
}

static void refuses_what_is_wrong(void **state) {
    fixture *f = *state;
    bad(f, "a = 1\na = 2", "given before, in line 1");
    bad(f, "[t]\n[t]", "given before");
    bad(f, "a.b = 1\n[a]\n", "given before");
    bad(f, "a = {b = 1}\na.c = 2", "cannot be added to");
    bad(f, "a = [1]\n[[a]]", "something else");
    bad(f, "a = \"x", "does not end");
    bad(f, "a = \"x\ny\"", "does not end on its line");
    bad(f, "a = '''x", "does not end");
    bad(f, "a = \"\\q\"", "backslash");
    bad(f, "a = \"\\ud800\"", "no character");
    bad(f, "a = \"\\u00\"", "hexadecimal");
    bad(f, "a = word", "stands in quotes");
    bad(f, "a = 2026-11-15", "dates");
    bad(f, "a = 07", "no number");
    bad(f, "a = 1__0", "no number");
    bad(f, "a = 1.", "no number");
    bad(f, "a = 0xg", "no number");
    bad(f, "a = 99999999999999999999", "64 bits");
    bad(f, "a = [1 2]", "expected \",\"");
    bad(f, "a = [1,", "does not end");
    bad(f, "a = {b = 1,}", "name is missing");
    bad(f, "a = 1 b = 2", "end of the line");
    bad(f, "a", "expected \"=\"");
    bad(f, "= 1", "expected a name");
    bad(f, "[a", "expected \"]\"");
    bad(f, "[[a]", "expected \"]]\"");
    bad(f, "a = \"\xff\"", "no UTF-8");
    bad(f, "a = \"\x01\"", "control character");
    bad(f, "a =", "expected a value");
    char deep[200];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    memcpy(deep, "a=", 2);
    bad(f, deep, "too deep");
}

static void points_at_the_position(void **state) {
    fixture *f = *state;
    bad(f, "x = 1\nkey = [1,\n       oops]\n",
        "t.toml:3:8: a text stands in quotes: \"oops\"\n"
        "     3 |        oops]\n"
        "       |        ^");
}

static void checks_kinds(void **state) {
    fixture *f = *state;
    course_toml_value *r = good(f, "a = 1\nb = [1]\n");
    assert_string_equal(course_toml_string(&f->toml, r, "a", "fallback"), "fallback");
    assert_non_null(strstr(f->error.message, "a must be a string, and is a whole number"));
    r = good(f, "a = 1\nb = [1]\n");
    course_toml_strings(&f->toml, r, "b");
    assert_non_null(strstr(f->error.message, "list of strings"));
    r = good(f, "a = 1\n");
    course_toml_tables(&f->toml, r, "a");
    assert_non_null(strstr(f->error.message, "[[a]]"));
    r = good(f, "[g]\nb = 1\n");
    course_toml_need_string(&f->toml, course_toml_table(&f->toml, r, "g"), "why");
    assert_non_null(strstr(f->error.message, "why = \"...\" is missing here"));
}

static void names_unknown_keys(void **state) {
    fixture *f = *state;
    course_toml_value *r = good(f, "title = \"x\"\n[[gate]]\nmetrik = 1\n");
    course_toml_string(&f->toml, r, "title", NULL);
    course_toml_value *gates = course_toml_tables(&f->toml, r, "gate");
    course_toml_string(&f->toml, gates->first, "metric", NULL);
    course_toml_string(&f->toml, gates->first, "why", NULL);
    assert_int_equal(course_toml_finish(&f->toml), KZ_SYNTAX);
    assert_non_null(strstr(f->error.message, "t.toml:3:1: unknown key \"metrik\"; did you mean \"metric\"?"));
    assert_non_null(strstr(f->error.message, "known here: metric why"));
}

static void the_first_failure_stays(void **state) {
    fixture *f = *state;
    course_toml_value *r = good(f, "a = 1\nb = 2\n");
    course_toml_fail(&f->toml, course_toml_get(&f->toml, r, "a"), "first");
    course_toml_fail(&f->toml, course_toml_get(&f->toml, r, "b"), "second");
    assert_non_null(strstr(f->error.message, "first"));
    assert_null(strstr(f->error.message, "second"));
    assert_int_equal(course_toml_integer(&f->toml, r, "b", 9), 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_strings),           cmocka_unit_test(reads_numbers),
        cmocka_unit_test(reads_tables_and_arrays), cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(points_at_the_position),  cmocka_unit_test(checks_kinds),
        cmocka_unit_test(names_unknown_keys),      cmocka_unit_test(the_first_failure_stays),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
