// Statuses, errors, the arena, growing text and Philox.
#include "base/base.h"

#include <stdlib.h>

#include "unit.h"

static void self_names_what_it_imports(void **state) {
    assert_true(base_self_names("memmem", "no such object"));
    assert_false(base_self_names("cudaEventElapsedTime", "libcudart"));
    assert_false(base_self_names("base_", "no such object")); // a whole name, no beginning
}

static void status_names(void **state) {
    assert_string_equal(kz_status_name(KZ_NO_DEVICE), "NO_DEVICE");
    assert_string_equal(kz_status_text(KZ_NO_DEVICE), "no such device");
    assert_string_equal(kz_status_text((kz_status)-1000), "unknown status");
    assert_string_equal(kz_type_name(KZ_BF16), "bf16");
    assert_int_equal(kz_type_size(KZ_F64), 8);
    assert_int_equal(kz_type_size((kz_type)99), 0);
}

static void columns_of_types_agree(void **state) {
    for (int type = 0; type < KZ_TYPE_COUNT; type++) {
        const base_type *t = base_type_of((kz_type)type);
        int bits = 8 * (int)t->size;
        for (int other = 0; other < type; other++)
            assert_string_not_equal(t->name, base_type_of((kz_type)other)->name);
        assert_true(t->size <= 8 && (t->size == 8 || t->poison >> bits == 0));
        assert_true(*t->cuda && *t->c);
        if (t->kind == BASE_FLOAT) {
            assert_true(base_type_is_float((kz_type)type));
            // Sign, exponent and the significand without its hidden digit; an exponent for each power of two of
            // a normal number, one for zero and denormals, one for infinity and NaN.
            int normal = t->lowest + t->digits, exponents = t->highest - normal + 3;
            assert_int_equal(1 + (31 - __builtin_clz((unsigned)exponents)) + t->digits - 1, bits);
            assert_true(t->roundoff * (double)(UINT64_C(1) << t->digits) == 1.0);
        } else {
            assert_int_equal(t->digits, t->kind == BASE_SIGNED ? bits - 1 : bits);
            assert_int_equal(t->lowest, 0);
            assert_int_equal(t->highest, t->digits);
            assert_true(t->roundoff == 0.0);
        }
    }
}

static void error_with_note(void **state) {
    kz_error error;
    assert_int_equal(base_fail(&error, KZ_IO, "cannot %s", "read"), KZ_IO);
    base_fail_note(&error, "try %d", 2);
    assert_int_equal(error.status, KZ_IO);
    assert_string_equal(error.message, "cannot read\ntry 2");
    assert_int_equal(base_fail(NULL, KZ_IO, "x"), KZ_IO);
    base_fail_note(NULL, "x");
    // A message may be built from itself.
    base_fail(&error, KZ_WRONG, "again: %s", error.message);
    assert_string_equal(error.message, "again: cannot read\ntry 2");
}

static void error_too_long(void **state) {
    kz_error error;
    base_fail(&error, KZ_IO, "%s", "start ");
    for (int i = 0; i < 1000; i++) base_fail_note(&error, "0123456789");
    assert_true(strlen(error.message) < sizeof error.message);
    assert_memory_equal(error.message, "start", 5);
}

static void arena_gives_zeroed_aligned_memory(void **state) {
    base_arena *arena = base_arena_open();
    unsigned char *previous = NULL;
    for (size_t bytes = 1; bytes < 3000000; bytes = bytes * 3 + 1) {
        for (int repeat = 0; repeat < 5; repeat++) {
            unsigned char *at = base_arena_alloc(arena, bytes);
            assert_non_null(at);
            assert_int_equal((uintptr_t)at % 16, 0);
            assert_int_equal(at[0] | at[bytes - 1], 0);
            memset(at, 0xaa, bytes);
            if (previous) assert_int_equal(previous[0], 0xaa);
            previous = at;
        }
    }
    assert_string_equal(base_arena_string(arena, "hello", 4), "hell");
    assert_string_equal(base_arena_string(arena, NULL, 0), "");
    assert_null(base_arena_alloc(arena, SIZE_MAX - 8));
    base_arena_close(arena);
    base_arena_close(NULL);
}

static void text_as_json(void **state) {
    base_text text = {0};
    base_text_add_json(&text, "a \"b\"\\\n\x01\xc3\xa9\xff\xe0\x80z");
    assert_string_equal(text.data, "\"a \\\"b\\\"\\\\\\n\\u0001\xc3\xa9\\ufffd\\ufffd\\ufffdz\"");
    base_text_free(&text);
    text = (base_text){0};
    base_text_add_json(&text, NULL);
    assert_string_equal(text.data, "null");
    base_text_free(&text);
    base_text clean = {0};
    base_text_add_clean(&clean, "a\tb\r\n\033[2J\xc3\xa9\xff\x7f");
    assert_string_equal(clean.data, "a\tb\n\xef\xbf\xbd[2J\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
    base_text_free(&clean);
    // CSI of 8 bits, a turn of direction, an isolate, a tag; letters with accents, Greek and an emoji stay.
    clean = (base_text){0};
    base_text_add_clean(&clean, "\xc2\x9b"
                                "2J\xe2\x80\xae"
                                "cu.\xe2\x81\xa6\xf3\xa0\x81\x81 \xc3\xbc\xce\xb1\xf0\x9f\x98\x80");
    assert_string_equal(clean.data, "\xef\xbf\xbd"
                                    "2J\xef\xbf\xbd"
                                    "cu.\xef\xbf\xbd\xef\xbf\xbd \xc3\xbc\xce\xb1\xf0\x9f\x98\x80");
    base_text_free(&clean);
    kz_error error = {0};
    base_fail(&error, KZ_IO, "cannot read %s", "\033]0;owned\007\xe2\x80\xae.c\xff");
    base_fail_note(&error, "\xc3\xbc\xc2\x9b"
                           "1m");
    assert_string_equal(error.message, "cannot read ?]0;owned????.c?\n\xc3\xbc??1m");
}

static void names_are_unmangled(void **state) {
    static const char *const names[][2] = {{"_Z6matmulPKf", "matmul"},
                                           {"_ZN2ns6matmulILi4EEvPf", "matmul"},
                                           {"_ZN35_GLOBAL__N__81fe95ce_7_anon_cu_main1kEPi", "k"},
                                           {"_ZL5staticv", "stati"},
                                           {"_Z99shortv", "_Z99shortv"},
                                           {"06_vector", "06_vector"},
                                           {"", ""}};
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        size_t length;
        const char *bare = base_bare_name(names[i][0], &length);
        assert_int_equal(length, strlen(names[i][1]));
        assert_memory_equal(bare, names[i][1], length);
    }
}

static void words_are_quoted_for_a_shell(void **state) {
    static const char *const words[][2] = {
        {"-DN=4", "-DN=4"}, {"a b", "'a b'"}, {"", "''"}, {"it's", "'it'\\''s'"}, {"a\nb", "'a'$'\\n''b'"}};
    (void)state;
    for (size_t i = 0; i < BASE_COUNT(words); i++) {
        base_text text = {0};
        base_text_add_word(&text, words[i][0]);
        assert_string_equal(text.data, words[i][1]);
        base_text_free(&text);
    }
}

static void text_grows(void **state) {
    base_text text = {0};
    for (int i = 0; i < 1000; i++) base_text_add(&text, "%d,", i);
    base_text_add_bytes(&text, "a\0b", 3);
    assert_false(text.failed);
    assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4 + 3);
    assert_memory_equal(text.data, "0,1,2,", 6);
    assert_memory_equal(text.data + text.length - 3, "a\0b", 4);
    base_text_free(&text);
    assert_null(text.data);
    base_text_add(&text, "%s", "");
    assert_string_equal(text.data, "");
    base_text_free(&text);
}

// The vectors are those of the Random123 distribution's known-answer file.
static void philox_known_answers(void **state) {
    base_philox_block zero = base_philox(0, 0, 0);
    const uint32_t expect_zero[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    assert_memory_equal(zero.word, expect_zero, sizeof expect_zero);
    base_philox_block ones = base_philox(UINT64_MAX, UINT64_MAX, UINT64_MAX);
    const uint32_t expect_ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    assert_memory_equal(ones.word, expect_ones, sizeof expect_ones);
    base_philox_block pi =
        base_philox(UINT64_C(0x299f31d0a4093822), UINT64_C(0x0370734413198a2e), UINT64_C(0x85a308d3243f6a88));
    const uint32_t expect_pi[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    assert_memory_equal(pi.word, expect_pi, sizeof expect_pi);
}

static void self_and_clock(void **state) {
    char path[BASE_PATH];
    assert_int_equal(base_self_path(path, NULL), KZ_OK);
    assert_true(base_ends_with(path, "base_base_test"));
    assert_string_equal(base_file_name(path), "base_base_test");
    assert_true(base_path_up(path));
    assert_false(base_ends_with(path, "base_base_test"));
    char bare[] = "name";
    assert_false(base_path_up(bare));
    double before = base_seconds();
    assert_true(base_seconds() >= before);
    char text[BASE_UTC], stamp[BASE_UTC];
    int64_t now = base_wall_seconds();
    base_utc_time(text);
    base_utc_stamp(stamp);
    assert_true(now > 1700000000 && base_wall_nanoseconds() / 1000000000u - (uint64_t)now < 60);
    assert_int_equal(strlen(text), 20);
    assert_int_equal(strlen(stamp), 16);
    assert_true(text[4] == '-' && text[10] == 'T' && text[19] == 'Z');
    assert_true(memcmp(text, stamp, 4) == 0 && stamp[8] == 'T' && stamp[15] == 'Z');
}

static void hashes_as_published(void **state) { // vectors of the FNV's authors
    assert_true(base_hash(BASE_HASH, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(base_hash(BASE_HASH, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(base_hash(BASE_HASH, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    assert_true(base_hash(base_hash(BASE_HASH, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
}

static void comments_are_no_lines_of_code(void **state) {
    assert_int_equal(base_code_lines(""), 0);
    assert_int_equal(base_code_lines("// words\n\n  \t\n/* more\n int x;\n*/\n"), 0);
    assert_int_equal(base_code_lines("int x; // words\n/* a */ int y;\n/* b\n */ int z;"), 3);
    assert_int_equal(base_code_lines("char *s = \"/*\";\nint x;\nchar c = '\"'; // \"\nint y;\n"), 4);
    assert_int_equal(base_code_lines("char *s = \"\\\"//\";\nint a = 1'000; /* x\n y */\nint b;\n"), 3);
    assert_int_equal(base_code_lines("/*/ still\n one\n*/\n"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_and_clock),
        cmocka_unit_test(self_names_what_it_imports),
        cmocka_unit_test(status_names),
        cmocka_unit_test(columns_of_types_agree),
        cmocka_unit_test(error_with_note),
        cmocka_unit_test(error_too_long),
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(names_are_unmangled),
        cmocka_unit_test(words_are_quoted_for_a_shell),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(text_as_json),
        cmocka_unit_test(philox_known_answers),
        cmocka_unit_test(hashes_as_published),
        cmocka_unit_test(comments_are_no_lines_of_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
