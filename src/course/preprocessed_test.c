// What of a preprocessor's output is the submission's own, and as which text rules see it.
#include "preprocessed.h"

#include <stdlib.h>

#include "unit.h"

static bool is_own(const char *path, const void *context) {
    (void)context;
    return strncmp(path, "/own/", 5) == 0;
}

static course_preprocessed *read_text(const char *text, bool is_cpp) {
    course_preprocessed *p = calloc(1, sizeof *p);
    assert_non_null(p);
    assert_int_equal(course_preprocessed_read(text, is_cpp, is_own, NULL, p, NULL), KZ_OK);
    return p;
}

static void expect_code(const char *text, bool is_cpp, const char *code) {
    course_preprocessed *p = read_text(text, is_cpp);
    assert_string_equal(p->code.data ? p->code.data : "", code);
    course_preprocessed_close(p);
    free(p);
}

static void own_lines_are_one_line(void **state) {
    (void)state;
    expect_code("# 0 \"<built-in>\"\nint builtin;\n# 1 \"/own/a.c\"\nlong\nint  x = sqrt (2) ;\n"
                "# 1 \"/usr/include/b.h\" 1 3\nint theirs;\n# 9 \"/own/a.c\" 2\nf();\n",
                false, "long int x=sqrt(2);f();");
    expect_code("# 1 \"/own/a\\\"b\\303\\274.c\"\nx;\n# 1 \"/tmp//\"\ny;\n", false, "x;");
}

static void only_strings_are_left_out(void **state) {
    (void)state;
    expect_code("# 1 \"/own/a.c\"\na(L'/*') / b(u8\"*/\") / XR\"(\" / R\"x(\n# 1 \"/usr/b.h\"\n)x\" / c;\n",
                false, "a(\"\")/b(\"\")/XR\"\"/\"\"/c;");
    expect_code("# 1 \"/own/a.cu\"\n1'0 / 2; x('\\'') / 3;\n", true, "1'0/2;x(\"\")/3;");
    expect_code("# 1 \"/own/a.c\"\n__attribute__ ((optimize (\"fast-math\"))) f(\"text\");\n", false,
                "__attribute__((optimize(\"fast-math\")))f(\"\");");
    // A "#" that a macro made has a blank before it.
    expect_code("# 1 \"/own/a.c\"\n # 1 \"/usr/b.h\"\nx;\n", false, "#1\"\"x;");
}

static void pieces_have_their_lines(void **state) {
    (void)state;
    course_preprocessed *p = read_text("# 7 \"/own/a.c\"\n\nint x;\n#pragma omp parallel\ny / 2;\n"
                                       "# 1 \"/own/b.h\" 1\nz\n",
                                       false);
    size_t file;
    int line;
    assert_string_equal(p->code.data, "int x;y/2;z");
    assert_string_equal(p->pragmas.data, "#pragma omp parallel\n");
    course_preprocessed_locate(p, 4, &file, &line);
    assert_int_equal(line, 8);
    course_preprocessed_locate(p, 7, &file, &line);
    assert_int_equal(line, 10);
    assert_int_equal(file, 0);
    course_preprocessed_locate(p, 10, &file, &line);
    assert_int_equal(line, 1);
    assert_string_equal(p->files[file], "/own/b.h");
    course_preprocessed_close(p);
    free(p);
}

static void lines_of_another_name_are_found(void **state) {
    (void)state;
    assert_int_equal(course_find_line_directive("int x;\n#line 3\n# 4 \n#define line 7\n# 5 // x\n"), 0);
    assert_int_equal(course_find_line_directive("\n#line 1 \"a\"\n"), 2);
    assert_int_equal(course_find_line_directive("# 1 \"a\" 1\n"), 1);
    assert_int_equal(course_find_line_directive("x\n\n/* */ %: /* */ li\\\nne NAME\n"), 3);
    assert_int_equal(course_find_line_directive("#\\\n 1 NAME\n"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_lines_are_one_line),
        cmocka_unit_test(only_strings_are_left_out),
        cmocka_unit_test(pieces_have_their_lines),
        cmocka_unit_test(lines_of_another_name_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
