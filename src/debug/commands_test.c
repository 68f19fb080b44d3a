// The page docs/debugger.md has every command, as the table has it.
#include <stdlib.h>

#include "base/base.h"
#include "unit.h"

static const struct {
    const char *name;
    size_t shortest;
    const char *usage, *help;
} commands[] = {
#define DEBUG_COMMAND(name, shortest, function, usage, help) {name, shortest, usage, help},
#include "debug/commands.def"
#undef DEBUG_COMMAND
};

static void test_documented(void **state) {
    char *page;
    size_t size;
    kz_error error;
    assert_int_equal(base_file_read("docs/debugger.md", &page, &size, &error), KZ_OK);
    for (size_t i = 0; i < BASE_COUNT(commands); i++) {
        base_text row = {0};
        base_text_add(&row, "\n%s\n", commands[i].usage);
        if (!strstr(page, row.data)) fail_msg("docs/debugger.md lacks: %s", commands[i].usage);
        base_text_free(&row);
    }
    free(page);
}

// An abbreviation of enough letters means one command: the first row that it fits.
static void test_abbreviations(void **state) {
    for (size_t i = 0; i < BASE_COUNT(commands); i++) {
        assert_true(commands[i].shortest >= 1 && commands[i].shortest <= strlen(commands[i].name));
        assert_non_null(strchr(commands[i].help, '.'));
        for (size_t j = 0; j < i; j++) {
            size_t length =
                commands[i].shortest > commands[j].shortest ? commands[i].shortest : commands[j].shortest;
            bool hidden = length <= strlen(commands[i].name) && length <= strlen(commands[j].name) &&
                          !strncmp(commands[i].name, commands[j].name, length) &&
                          strcmp(commands[i].name, commands[j].name);
            // Where two share a beginning, the whole name must still mean its own row.
            if (hidden && !strncmp(commands[j].name, commands[i].name, strlen(commands[i].name)))
                fail_msg("%s can never be said: it is an abbreviation of %s", commands[i].name,
                         commands[j].name);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documented),
        cmocka_unit_test(test_abbreviations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
