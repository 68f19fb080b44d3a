// Words that name one workload, or two to compare; and what of them is a program's.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "workload/targets.h"
#include "unit.h"

static const workload_request request = {.command = "prof",
                                         .kinds = 1u << WORKLOAD_ZOO | 1u << WORKLOAD_TASK |
                                                  1u << WORKLOAD_PROGRAM | 1u << WORKLOAD_RECORD,
                                         .question = "what is to be profiled?"};

static char folder[] = "/tmp/kz_targets_XXXXXX";

static int make_files(void **state) {
    static const char *const files[][2] = {{"app.cu", "int main(void) { return 0; }\n"},
                                           {"other.cu", "int main(void) { return 1; }\n"},
                                           {"part.cu", "int part(void) { return 0; }\n"},
                                           {"a.jsonl", "{\"kind\":\"record\"}\n"},
                                           {"b.jsonl", "{\"kind\":\"record\"}\n"}};
    if (!mkdtemp(folder) || chdir(folder)) return -1;
    for (size_t i = 0; i < BASE_COUNT(files); i++)
        if (base_file_write(files[i][0], files[i][1], strlen(files[i][1]), NULL)) return -1;
    return 0;
}

static int remove_files(void **state) {
    static const char *const files[] = {"app.cu", "other.cu", "part.cu", "a.jsonl", "b.jsonl"};
    for (size_t i = 0; i < BASE_COUNT(files); i++) unlink(files[i]);
    return chdir("/") || rmdir(folder);
}

// Words up to "--" are the command's.
static kz_status open_words(workload_targets *t, kz_error *error, size_t count, char **words) {
    const char *own[16];
    size_t used = 0;
    while (used < count && strcmp(words[used], "--") != 0) own[used] = words[used], used++;
    *error = (kz_error){0};
    return workload_targets_open(&request, own, used, words + used + 1, used < count ? count - used - 1 : 0,
                                 t, error);
}
#define OPEN(...)                                                                                            \
    open_words(&t, &error, sizeof((char *[]){__VA_ARGS__}) / sizeof(char *), (char *[]){__VA_ARGS__})

static void two_of_a_kind_are_compared(void **state) {
    workload_targets t;
    kz_error error;
    assert_int_equal(OPEN("reduce/atomic", "reduce/warp_shuffle"), KZ_OK);
    assert_int_equal(t.count, 2);
    assert_non_null(strstr(t.items[1].variant->name, "warp_shuffle"));
    workload_targets_close(&t);
    assert_int_equal(OPEN("a.jsonl", "b.jsonl"), KZ_OK);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.items[1].kind, WORKLOAD_RECORD);
    workload_targets_close(&t);
    assert_int_equal(OPEN("app.cu", "other.cu"), KZ_OK);
    assert_int_equal(t.count, 2);
    workload_targets_close(&t);
    assert_int_equal(OPEN("reduce/atomic", "reduce/warp_shuffle", "saxpy"), KZ_INVALID);
    assert_has(error.message, "one word too many: saxpy");
    assert_has(error.message, "kz prof takes one target, or two");
    workload_targets_close(&t);
    assert_int_equal(workload_targets_open(&request, NULL, 0, NULL, 0, &t, &error), KZ_INVALID);
    assert_has(error.message, "what is to be profiled?");
    workload_targets_close(&t);
}

static void a_program_has_parts_and_arguments(void **state) {
    workload_targets t;
    kz_error error;
    assert_int_equal(OPEN("app.cu", "part.cu", "1000", "part.cu", "--", "--size", "other.cu"), KZ_OK);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.items[0].file_count, 2);
    assert_string_equal(t.items[0].files[1], "part.cu");
    assert_int_equal(t.items[0].argument_count, 4);
    assert_string_equal(t.items[0].arguments[0], "1000");
    assert_string_equal(t.items[0].arguments[1], "part.cu"); // after the first argument all are
    assert_string_equal(t.items[0].arguments[3], "other.cu");
    workload_targets_close(&t);
    assert_int_equal(OPEN("reduce/atomic", "--", "1000"), KZ_INVALID);
    assert_has(error.message, "there is no program that could take 1000");
    workload_targets_close(&t);
}

// A misspelt second program is no argument of the first.
static void a_missing_source_is_no_argument(void **state) {
    workload_targets t;
    kz_error error;
    assert_int_equal(OPEN("app.cu", "othr.cu"), KZ_NOT_FOUND);
    assert_has(error.message, "there is no file othr.cu");
    assert_has(error.message, "goes after --");
    workload_targets_close(&t);
    assert_int_equal(OPEN("app.cu", "5", "othr.cu"), KZ_NOT_FOUND);
    workload_targets_close(&t);
    assert_int_equal(OPEN("app.cu", "--", "othr.cu"), KZ_OK);
    assert_string_equal(t.items[0].arguments[0], "othr.cu");
    workload_targets_close(&t);
}

static void there_is_a_limit(void **state) {
    workload_targets t;
    kz_error error = {0};
    const char *app = "app.cu";
    char *rest[WORKLOAD_ARGUMENTS];
    for (size_t i = 0; i < WORKLOAD_ARGUMENTS; i++) rest[i] = "x";
    assert_int_equal(workload_targets_open(&request, &app, 1, rest, WORKLOAD_ARGUMENTS - 1, &t, &error),
                     KZ_OK);
    workload_targets_close(&t);
    assert_int_equal(workload_targets_open(&request, &app, 1, rest, WORKLOAD_ARGUMENTS, &t, &error),
                     KZ_LIMIT);
    workload_targets_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_of_a_kind_are_compared),
        cmocka_unit_test(a_program_has_parts_and_arguments),
        cmocka_unit_test(a_missing_source_is_no_argument),
        cmocka_unit_test(there_is_a_limit),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
