// README.md's table of families is made from the families: `zoo_readme_test --write` writes it, and the test fails where
// it is stale.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "kz/family.h"

static const char begin[] = "<!-- families:begin -->\n", end[] = "<!-- families:end -->\n";

// "f32, f16", those that its cases have; "all" where none is missing.
static void add_types(base_text *text, const kz_family *family) {
    uint32_t has = 0;
    for (size_t i = 0; i < family->case_count; i++) has |= 1u << family->cases[i].type;
    if (has == (1u << KZ_TYPE_COUNT) - 1) {
        base_text_add(text, "all");
        return;
    }
    const char *between = "";
    for (int type = 0; type < KZ_TYPE_COUNT; type++) {
        if (!(has >> type & 1)) continue;
        base_text_add(text, "%s%s", between, kz_type_name((kz_type)type));
        between = ", ";
    }
}

static void add_table(base_text *text) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    base_text_add(text, "| family | what it computes | types |\n|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const kz_family *f = families[i];
        base_text_add(text, "| [%s](kernels/%s/%s/README.md) | %s | ", f->name, f->group, f->name,
                      f->summary);
        add_types(text, f);
        base_text_add(text, " |\n");
    }
}

// README.md as it should be, beside what it is.
static void read_both(char **is, base_text *should) {
    size_t size;
    assert_int_equal(base_file_read("README.md", is, &size, NULL), KZ_OK);
    const char *from = strstr(*is, begin), *to = strstr(*is, end);
    if (!from || !to) fail_msg("README.md has no %s", from ? end : begin);
    from += strlen(begin);
    base_text_add_bytes(should, *is, (size_t)(from - *is));
    add_table(should);
    base_text_add(should, "%s", to);
    assert_false(should->failed);
}

static void the_table_is_current(void **state) {
    char *is;
    base_text should = {0};
    read_both(&is, &should);
    if (strcmp(is, should.data) != 0)
        fail_msg("README.md's table of families is stale: zoo_readme_test --write, from the project's root, "
                 "writes it");
    free(is);
    base_text_free(&should);
}

static int write_table(void) {
    char *is;
    base_text should = {0};
    read_both(&is, &should);
    FILE *file = fopen("README.md", "w");
    bool written = file && fputs(should.data, file) >= 0;
    if (!file || fclose(file) != 0 || !written) return perror("README.md"), 1;
    free(is);
    base_text_free(&should);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--write") == 0) return write_table();
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_is_current)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
