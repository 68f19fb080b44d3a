// The parser of options: every kind, every way to be wrong.

#include "cli.h"
#include "unit.h"

typedef struct opts {
    bool loud;
    const char *name;
    cli_list devices;
    cli_integer seed;
    cli_output json, svg;
    double time;
} opts;

static const cli_option table[] = {
    {"loud", CLI_FLAG, offsetof(opts, loud), NULL, "a flag"},
    {"name", CLI_TEXT, offsetof(opts, name), "NAME", "a text"},
    {"device", CLI_LIST, offsetof(opts, devices), "ID", "a list"},
    {"seed", CLI_INTEGER, offsetof(opts, seed), "N", "an integer"},
    {"json", CLI_OUTPUT, offsetof(opts, json), "PATH", "an output"},
    {"svg", CLI_OUTPUT, offsetof(opts, svg), "PATH", "another"},
    {"time", CLI_SECONDS, offsetof(opts, time), "S", "seconds"},
    {0},
};
static const cli_command command = {.usage = "kz try", .about = "", .options = table};

static kz_status parse(opts *o, cli_list *words, kz_error *error, const char *const *argv) {
    int argc = 0;
    while (argv[argc]) argc++;
    *o = (opts){0};
    return cli_parse(&command, argc, (char **)argv, o, words, error);
}
#define PARSE(...) parse(&o, &words, &error, (const char *const[]){"try", __VA_ARGS__, NULL})

static void reads_every_kind(void **state) {
    (void)state;
    opts o;
    cli_list words;
    kz_error error;
    assert_int_equal(
        PARSE("a", "--loud", "--name", "x", "--device=sim", "--device", "cpu", "--seed", "0x10", "b"), 0);
    assert_true(o.loud);
    assert_string_equal(o.name, "x");
    assert_int_equal(o.devices.count, 2);
    assert_string_equal(o.devices.items[1], "cpu");
    assert_int_equal(o.seed.value, 16);
    assert_int_equal(words.count, 2);
    assert_string_equal(words.items[1], "b");
}

static void one_value_is_not_given_twice(void **state) {
    (void)state;
    opts o;
    cli_list words;
    kz_error error;
    assert_int_equal(PARSE("--name", "x", "--name=y"), KZ_INVALID);
    assert_non_null(strstr(error.message, "--name is given twice, as \"x\" and as \"y\""));
}

static void an_output_takes_a_path_only_where_it_looks_like_one(void **state) {
    (void)state;
    opts o;
    cli_list words;
    kz_error error;
    assert_int_equal(PARSE("--json", "reduce/01_atomic"), 0);
    assert_true(o.json.given);
    assert_null(o.json.path);
    assert_int_equal(words.count, 1);
    assert_int_equal(PARSE("--json", "out.jsonl", "reduce"), 0);
    assert_string_equal(o.json.path, "out.jsonl");
    assert_int_equal(PARSE("--svg", "mine.svg", "reduce"), 0);
    assert_string_equal(o.svg.path, "mine.svg");
    assert_int_equal(PARSE("--svg", "record.jsonl"), 0); // another option's
    assert_null(o.svg.path);
    assert_int_equal(PARSE("--json", "./mine.cu"), 0); // never written over
    assert_null(o.json.path);
    assert_int_equal(words.count, 1);
    assert_int_equal(PARSE("--json=reduce"), 0);
    assert_string_equal(o.json.path, "reduce");
    assert_int_equal(PARSE("--json", "-"), 0);
    assert_null(o.json.path);
}

static void says_what_is_wrong(void **state) {
    (void)state;
    opts o;
    cli_list words;
    kz_error error;
    assert_int_equal(PARSE("--devise", "sim"), KZ_INVALID);
    assert_non_null(strstr(error.message, "did you mean --device?"));
    assert_non_null(strstr(error.message, "--seed"));
    assert_int_equal(PARSE("--seed", "ten"), KZ_INVALID);
    assert_int_equal(PARSE("--seed", "-1"), KZ_INVALID);
    assert_int_equal(PARSE("--seed", "9223372036854775808"), KZ_INVALID);
    assert_non_null(strstr(error.message, "whole number"));
    assert_int_equal(PARSE("--seed"), KZ_INVALID);
    assert_int_equal(PARSE("--loud=1"), KZ_INVALID);
    assert_int_equal(PARSE("-x"), KZ_INVALID);
    assert_int_equal(PARSE("--", "--loud"), 0);
    assert_false(o.loud);
    assert_string_equal(words.items[0], "--loud");
}

static void seconds_are_above_zero(void **state) {
    opts o;
    cli_list words;
    kz_error error;
    assert_int_equal(PARSE("--time", "2.5"), 0);
    assert_true(o.time == 2.5);
    static const char *const wrong[] = {"soon", "0", "-1", "nan", "inf", "1e10", "2s", ""};
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        assert_int_equal(PARSE("--time", wrong[i]), KZ_INVALID);
        assert_non_null(strstr(error.message, "--time takes seconds"));
    }
    assert_int_equal(PARSE("--time"), KZ_INVALID);
}

static void refuses_words_where_none_are_taken(void **state) {
    opts o = {0};
    kz_error error;
    char *with[] = {"try", "--loud", "more", NULL}, *without[] = {"try", "--loud", NULL};
    assert_int_equal(cli_parse_options(&command, 3, with, &o, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "\"more\" is one"));
    assert_non_null(strstr(error.message, "kz help try"));
    assert_int_equal(cli_parse_options(&command, 2, without, &o, &error), KZ_OK);
    assert_true(o.loud);
}

static void finds_the_nearest_name(void **state) {
    (void)state;
    const char *const names[] = {"vector_add", "reduce", "03_warp_shuffle", NULL};
    assert_string_equal(base_nearest("redcue", names), "reduce");
    assert_string_equal(base_nearest("vectoradd", names), "vector_add");
    assert_string_equal(base_nearest("warp_shuffle", names), "03_warp_shuffle");
    assert_null(base_nearest("softmax", names));
}

static void lists_with_commas_are_split(void **state) {
    (void)state;
    const cli_list lists = {{"cub,torch", "./mine.py"}, 2}, empty = {{""}, 1}, none = {0};
    cli_list words;
    base_text kept = {0};
    kz_error error = {0};
    assert_int_equal(cli_split(&lists, &kept, &words, &error), KZ_OK);
    assert_int_equal(words.count, 3);
    assert_string_equal(words.items[0], "cub");
    assert_string_equal(words.items[1], "torch");
    assert_string_equal(words.items[2], "./mine.py");
    base_text_free(&kept);
    assert_int_equal(cli_split(&empty, &kept, &words, &error), KZ_OK);
    assert_int_equal(words.count, 1); // an empty word, for whoever knows the names to refuse
    assert_string_equal(words.items[0], "");
    base_text_free(&kept);
    assert_int_equal(cli_split(&none, &kept, &words, &error), KZ_OK);
    assert_int_equal(words.count, 0);
    base_text_free(&kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind),
        cmocka_unit_test(one_value_is_not_given_twice),
        cmocka_unit_test(an_output_takes_a_path_only_where_it_looks_like_one),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(seconds_are_above_zero),
        cmocka_unit_test(refuses_words_where_none_are_taken),
        cmocka_unit_test(finds_the_nearest_name),
        cmocka_unit_test(lists_with_commas_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
