// The notebook's pages: the learner's words stay, byte for byte.
#include "learn/notebook_page.h"

#include <stdlib.h>

#include "unit.h"

static char *merge(const char *page, const char *section) {
    base_text out = {0};
    learn_notebook_merge(page, "2026-11-15", section, &out);
    return out.data;
}

static void new_page(void **state) {
    char *page = merge(NULL, "ran a\n");
    assert_int_equal(strncmp(page, "# 2026-11-15, Sunday\n", 21), 0);
    assert_non_null(strstr(page, "ran a\n<!-- kz: end"));
    assert_non_null(strstr(page, "What failed, and why?"));
    free(page);
}

static void refreshed_alone(void **state) {
    char *first = merge(NULL, "ran a\n");
    base_text edited = {0};
    base_text_add(&edited, "before\n%smy own words %%s \\ <!-- and a comment -->", first);
    char *second = merge(edited.data, "ran a and b\n");
    const char *old = strstr(edited.data, "ran a\n"), *new = strstr(second, "ran a and b\n");
    assert_memory_equal(second, edited.data, (size_t)(old - edited.data));
    assert_string_equal(new + 12, old + 6);
    char *third = merge(second, "ran a\n");
    assert_string_equal(third, edited.data);
    free(first);
    free(second);
    free(third);
    base_text_free(&edited);
}

static void marks_that_were_removed(void **state) {
    char *page = merge("my page", "ran\n");
    assert_int_equal(strncmp(page, "my page\n\n<!-- kz: begin", 23), 0);
    char *again = merge(page, "more\n");
    assert_null(strstr(again, "ran\n"));
    assert_non_null(strstr(again, "more\n"));
    free(page);
    free(again);
    page = merge("", "ran\n");
    assert_int_equal(strncmp(page, "<!-- kz: begin", 14), 0);
    free(page);
}

// Half of a pair is no pair: nothing of the learner's may fall between.
static void half_a_pair(void **state) {
    static const char *const pages[] = {"one\n<!-- kz: begin -->\ntwo\nthree\n",
                                        "one\n<!-- kz: end -->\ntwo\nthree\n",
                                        "<!-- kz: end -->\none\ntwo\n<!-- kz: begin -->\nthree\n"};
    for (size_t i = 0; i < BASE_COUNT(pages); i++) {
        char *page = merge(pages[i], "first\n"), *again = merge(page, "second\n");
        assert_int_equal(strncmp(page, pages[i], strlen(pages[i])), 0);
        assert_int_equal(strncmp(again, pages[i], strlen(pages[i])), 0);
        assert_null(strstr(again, "first\n"));
        assert_non_null(strstr(again, "second\n"));
        free(page);
        free(again);
    }
}

static void slugs(void **state) {
    char slug[20];
    assert_true(learn_notebook_slug("Padding beats: swizzling?", slug, sizeof slug));
    assert_string_equal(slug, "padding-beats-swizz");
    assert_true(learn_notebook_slug("../../etc/passwd", slug, sizeof slug));
    assert_string_equal(slug, "etc-passwd");
    assert_false(learn_notebook_slug("?? ..", slug, sizeof slug));
    assert_false(learn_notebook_slug("", slug, sizeof slug));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_page),
        cmocka_unit_test(refreshed_alone),
        cmocka_unit_test(marks_that_were_removed),
        cmocka_unit_test(half_a_pair),
        cmocka_unit_test(slugs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
