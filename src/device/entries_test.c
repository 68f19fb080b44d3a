// Entries of PTX texts, tidy and not.
#include "device/entries.h"
#include "unit.h"

static int params(const char *ptx, const char *name) {
    device_entries entries;
    assert_int_equal(device_entries_read(ptx, &entries, NULL), KZ_OK);
    int count = device_entries_params(&entries, name);
    device_entries_free(&entries);
    return count;
}

static void as_nvcc_writes_them(void **state) {
    (void)state;
    static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n"
                              ".func (.param .b32 r) helper(.param .b64 a, .param .b64 b) { ret; }\n"
                              "\t// .globl\tadd_f32\n"
                              ".visible .entry add_f32(\n"
                              "\t.param .u64 .ptr .align 1 add_f32_param_0,\n"
                              "\t.param .u64 .ptr .align 1 add_f32_param_1,\n"
                              "\t.param .align 8 .b8 add_f32_param_2[24]\n"
                              ")\n.maxntid 256\n{\n"
                              "  { .param .b64 param0; call (r), helper, (param0, param0); }\n  ret;\n}\n"
                              ".visible .entry none()\n{\n ret;\n}\n"
                              ".entry bare\n{ ret; }\n"
                              ".weak .entry add_f32_more(.param .f32 x) { ret; }\n";
    assert_int_equal(params(ptx, "add_f32"), 3);
    assert_int_equal(params(ptx, "none"), 0);
    assert_int_equal(params(ptx, "bare"), 0);
    assert_int_equal(params(ptx, "add_f32_more"), 1);
    assert_int_equal(params(ptx, "helper"), -1);
    assert_int_equal(params(ptx, "add"), -1);
    assert_int_equal(params(NULL, "add"), -1);
}

static void comments_and_strings_hide(void **state) {
    (void)state;
    static const char ptx[] = "// .entry one(.param .u32 a)\n/* .entry two(.param .u32 a) */\n"
                              ".file 1 \"a .entry three(.param .u32 a) \\\" .entry four()\"\n"
                              ".entry/**/five( // .param .u32 a )\n.param/*)*/.u32 a, .param .u32 b_.c) {}\n"
                              "six.entry(.param .u32 a)";
    const char *const hidden[] = {"one", "two", "three", "four", "six"};
    for (size_t i = 0; i < BASE_COUNT(hidden); i++) assert_int_equal(params(ptx, hidden[i]), -1);
    assert_int_equal(params(ptx, "five"), 2);
}

static void what_is_cut_off_ends(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",   ".entry", ".entry x", ".entry x(.param", ".entry x(/*", "\"", "\"\\", "/*",
        "//", ".",      "%",        ".entry \"x"};
    for (size_t i = 0; i < BASE_COUNT(texts); i++) assert_true(params(texts[i], "x") <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_nvcc_writes_them),
        cmocka_unit_test(comments_and_strings_hide),
        cmocka_unit_test(what_is_cut_off_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
