// Markdown as it is shown: blocks, marks inside lines, wrapping, terminals that can do less.
#include <stdlib.h>

#include "report/terminal/markdown.h"
#include "unit.h"

static const report_style plain = {.width = 61, .utf8 = true},
                          coloured = {.width = 61, .utf8 = true, .colour = true}, ascii = {.width = 61};

static char *show(const report_style *style, const char *markdown, int indent) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    report_markdown_print(file, style, markdown, indent);
    fclose(file);
    return text;
}

static void expect(const report_style *style, const char *markdown, const char *shown) {
    char *text = show(style, markdown, 0);
    assert_string_equal(text, shown);
    free(text);
}

static void paragraphs_are_joined_and_wrapped(void **state) {
    (void)state;
    expect(&plain, "One two three\nfour five.\n\nSix.\n", "One two three four five.\n\nSix.\n");
    char *text = show(&plain, "a word and another word and another word and another word and another one", 2);
    assert_string_equal(text, "  a word and another word and another word and another word\n"
                              "  and another one\n");
    free(text);
    expect(&plain, "", "");
    expect(&plain, "\n\n\n", "");
    expect(&plain, "a block has at most\n32. That is all.\n", "a block has at most 32. That is all.\n");
}

static void a_word_too_long_is_kept_whole(void **state) {
    (void)state;
    const report_style narrow = {.width = 11};
    expect(&narrow, "see kernels/primitives/reduce/family.c now",
           "see\nkernels/primitives/reduce/family.c\nnow\n");
}

static void headings(void **state) {
    (void)state;
    expect(&plain, "# Add `x` and *y*\ntext\n### Small\n",
           "Add `x` and *y*\n===============\n\ntext\n\nSmall\n");
    expect(&coloured, "## Two\n", "\033[1mTwo\033[0m\n");
    expect(&plain, "#not a heading\n", "#not a heading\n");
}

static void lists_keep_their_nesting(void **state) {
    (void)state;
    expect(&plain, "Given:\n- one\n  goes on\n- two\n  - inner\n\nAfter.\n",
           "Given:\n\n• one goes on\n• two\n  • inner\n\nAfter.\n");
    expect(&ascii, "1. first\n2. second\n10) tenth\n", "1. first\n2. second\n10) tenth\n");
    expect(&plain, "- a long item that has more words than one line can hold, so that it is wrapped\n",
           "• a long item that has more words than one line can hold, so\n  that it is wrapped\n");
    expect(&plain, "- item\n\n  its second paragraph\n", "• item\n\n  its second paragraph\n");
    expect(&plain, "- item\n\n  ```\n  code\n    more\n  ```\n- next\n",
           "• item\n\n      code\n        more\n• next\n");
}

static void code_is_left_alone(void **state) {
    (void)state;
    expect(&plain, "Text:\n```cuda\nint i = *p;   // `x` _y_\n\n    if (i) {}\n```\nAfter\n",
           "Text:\n\n    int i = *p;   // `x` _y_\n\n        if (i) {}\n\nAfter\n");
    expect(&plain, "```\nno end\n", "    no end\n");
    // Less far in, where the longest line fits only so; not at all, where none does.
    const report_style narrow = {.width = 11};
    expect(&narrow, "```\nx = 1;\n  y = 234;\n```\n", " x = 1;\n   y = 234;\n");
    expect(&narrow, "```\nx = 1;\ny = 234567890;\n```\n", "x = 1;\ny = 234567890;\n");
    expect(&plain, "Run\n\n    kz  learn\n\nnow\n", "Run\n\n    kz  learn\n\nnow\n");
}

static void marks_inside_a_line(void **state) {
    (void)state;
    expect(&plain, "`a_b` *very* **big** snake_case_name 2 * 3 * 4 \\*x\\*",
           "`a_b` *very* big snake_case_name 2 * 3 * 4 *x*\n");
    expect(&coloured, "a `b c` d", "a \033[36mb c\033[0m d\n");
    expect(&coloured, "**x** *y*", "\033[0m\033[1mx\033[0m \033[0m\033[3my\033[0m\n");
    expect(&plain, "`` a`b `` and ` alone", "`a`b` and ` alone\n");
    expect(&plain, "_word_ and x[i] and f(x)[1](y", "*word* and x[i] and f(x)[1](y\n");
    expect(&plain, "**not closed and *neither", "**not closed and *neither\n");
}

static void say_page(void *context, const char *address, bool is_image, base_text *out) {
    if (strcmp(address, "silent") != 0)
        base_text_add(out, "%s%s %s", (char *)context, is_image ? "!" : "", address);
}

static void what_is_said_of_links_can_be_chosen(void **state) {
    (void)state;
    char word[] = "read", *text = NULL;
    size_t size;
    const report_links links = {.say = say_page, .context = word};
    FILE *file = open_memstream(&text, &size);
    report_markdown_print_linked(
        file, &plain, "See [`a`](b.md) and [c](silent).\n\n> ![d](e.svg)\n\n| [f](g) |\n", 0, &links);
    fclose(file);
    assert_string_equal(text,
                        "See `a` (read b.md) and c.\n\n    d (read! e.svg)\n\nf (read g)\n----------\n");
    free(text);
}

static void long_tables_keep_every_row(void **state) {
    (void)state;
    base_text table = {0};
    for (int i = 0; i < 200; i++) base_text_add(&table, i ? "| row%d |\n" : "| head%d |\n|---|\n", i);
    char *text = show(&plain, table.data, 0), wanted[16];
    for (int i = 1; i < 200; i++) {
        snprintf(wanted, sizeof wanted, "\nrow%d\n", i);
        assert_non_null(strstr(text, wanted));
    }
    size_t dashes = 0;
    for (const char *at = text; *at; at++) dashes += *at == '-';
    assert_int_equal(dashes, 6); // one header
    free(text);
    base_text_free(&table);
}

static void links_are_text_with_their_address(void **state) {
    (void)state;
    expect(&plain, "See [the page](memory.md), ![a figure](x.svg), <https://a.b/c> and [d](d).",
           "See the page (memory.md), a figure (x.svg), https://a.b/c\nand d.\n");
}

static void code_is_not_broken_at_its_spaces(void **state) {
    (void)state;
    expect(&plain, "A line that is nearly as long as the terminal, then `kz learn list` ends it.",
           "A line that is nearly as long as the terminal, then\n`kz learn list` ends it.\n");
}

static void tables_align_and_wrap(void **state) {
    (void)state;
    expect(&plain, "| name | means |\n|---|:--|\n| `n` | size |\n| longer | a \\| b |\n",
           "name    means\n------  -----\n`n`     size\nlonger  a | b\n");
    const report_style narrow = {.width = 31};
    expect(&narrow, "| a | what |\n|---|---|\n| 1 | words that need more than a line |\n",
           "a  what\n-  ---------------------------\n1  words that need more than a\n   line\n");
}

static void quotes_rules_and_comments(void **state) {
    (void)state;
    expect(&plain, "> said\n> so\n\nthen\n", "    said so\n\nthen\n");
    expect(&ascii, "a\n\n---\n", "a\n\n------------------------------------------------------------\n");
    expect(&plain, "a\n\n<!-- not\nshown -->\nb\n", "a\n\nb\n");
    expect(&plain, "a [b]\n\n[b]: shown/nowhere.md\n[c]: nor.md\n", "a [b]\n");
}

static void signs_are_spelt_without_utf8(void **state) {
    (void)state;
    expect(&ascii, "8×8 ≤ 64 – “so” 漢", "8x8 <= 64 - \"so\" ?\n");
    expect(&plain, "8×8 ≤ 64", "8×8 ≤ 64\n");
    expect(&ascii, "- a\n", "- a\n");
}

static void plain_text_is_wrapped_behind_a_column(void **state) {
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    const report_style narrow = {.width = 25};
    fprintf(file, "key   ");
    report_wrap(file, &narrow, "several *words* in a second column", 6, 6);
    fclose(file);
    assert_string_equal(text, "key   several *words* in\n      a second column\n");
    free(text);
}

// Whatever bytes come: it ends, and takes no character that is not there.
static void odd_input_ends(void **state) {
    (void)state;
    static const char *const odd[] = {"`",     "``",     "[",     "[]", "[](",  "![",       "*",   "**",
                                      "***",   "_",      "|",     "||", "|-|",  "|`|",      "> ",  ">",
                                      "<!--",  "-",      "1.",    "\\", "\xc3", "\xff\xfe", "```", "# ",
                                      "<http", "- \n- ", "[a](b", "`a", "---"};
    for (size_t i = 0; i < BASE_COUNT(odd); i++) {
        char *text = show(&ascii, odd[i], 1);
        assert_true(strlen(text) < 200);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paragraphs_are_joined_and_wrapped),
        cmocka_unit_test(a_word_too_long_is_kept_whole),
        cmocka_unit_test(headings),
        cmocka_unit_test(lists_keep_their_nesting),
        cmocka_unit_test(code_is_left_alone),
        cmocka_unit_test(marks_inside_a_line),
        cmocka_unit_test(links_are_text_with_their_address),
        cmocka_unit_test(what_is_said_of_links_can_be_chosen),
        cmocka_unit_test(long_tables_keep_every_row),
        cmocka_unit_test(code_is_not_broken_at_its_spaces),
        cmocka_unit_test(tables_align_and_wrap),
        cmocka_unit_test(quotes_rules_and_comments),
        cmocka_unit_test(signs_are_spelt_without_utf8),
        cmocka_unit_test(plain_text_is_wrapped_behind_a_column),
        cmocka_unit_test(odd_input_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
