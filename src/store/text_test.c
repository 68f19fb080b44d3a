// Plain text: out and in again, added to what is there, wrong lines.
#include "store/test_store.h"

static void fill(void **state, store *s) {
    add(s, "vector-add", NOON, false, NAN);
    add(s, "vector-add", NOON + 100, true, 4.25);
    store_attempt a = attempt("odd", NOON + 200, true, 1.0 / 3);
    put(state, "odd.cu", "a\tb\\n\r\n", 7);
    snprintf(a.file, sizeof a.file, "%s/odd.cu", (char *)*state);
    store_hash("a\tb\\n\r\n", 7, a.hash);
    assert_int_equal(store_add_attempt(s, &a, NULL), KZ_OK);
    store_set_hints(s, "vector-add", 3, NULL);
    store_set_seen_solution(s, "odd", NULL);
    store_add_kata(s, "warp-sum", "2026-11-15", 4, NULL, NULL);
    store_set(s, "path", "fast", NULL);
}

static void export_and_import(void **state) {
    char second[300];
    store *s = open_store(state), *t;
    base_text one = {0}, two = {0};
    uint64_t added;
    kz_error error = {0};
    fill(state, s);
    assert_int_equal(store_export(s, &one, NULL), KZ_OK);
    assert_int_equal(store_import(s, "own", one.data, &added, NULL), KZ_OK);
    assert_int_equal(added, 0); // it is all there
    store_close(s);

    snprintf(second, sizeof second, "%s/second", (char *)*state);
    assert_int_equal(store_open(second, &t, NULL, 0, NULL), KZ_OK);
    if (store_import(t, "export", one.data, &added, &error)) fail_msg("%s", error.message);
    assert_int_equal(added, 3 + 2 + 1 + 1 + 1);
    assert_int_equal(store_export(t, &two, NULL), KZ_OK);
    assert_string_equal(one.data, two.data);
    store_close(t);
    base_text_free(&one);
    base_text_free(&two);
}

static void import_adds_to_what_is_there(void **state) {
    store *s = open_store(state);
    uint64_t added;
    add(s, "t", NOON, true, NAN);
    store_set_hints(s, "t", 2, NULL);
    store_set(s, "path", "mine", NULL);
    assert_int_equal(store_import(s, "x",
                                  "kernel-zoo progress 1\r\n"
                                  "task\tt\t1\t0\t1\r\n\r\n"
                                  "setting\tpath\ttheirs\r\n"
                                  "kata\tk\t2026-11-15\t5",
                                  &added, NULL),
                     KZ_OK);
    assert_int_equal(added, 2);
    store_task t;
    char value[20];
    assert_int_equal(store_get_task(s, "t", &t, NULL), KZ_OK);
    assert_true(t.hints == 2 && t.seen_solution && t.passed);
    assert_int_equal(store_get(s, "path", value, sizeof value, NULL), KZ_OK);
    assert_string_equal(value, "mine");
    store_close(s);
}

static void wrong_lines_import_nothing(void **state) {
    static const struct {
        const char *line, *says;
    } wrong[] = {
        {"attemptt\t1", "no such kind"},
        {"kata\tk\t2026-11-15", "number of fields"},
        {"kata\tk\t2026-11-32\t5", "a day was expected"},
        {"kata\tk\t2026-11-15\t6", "0 to 5"},
        {"kata\t\t2026-11-15\t5", "a name was expected"},
        {"task\tt\t-1\t0\t0", "a whole number"},
        {"task\tt\t1\t2\t0", "0 or 1"},
        {"task\tt\t1x\t0\t0", "a whole number"},
        {"setting\ta\tb\\q", "backslash"},
        {"source\tzz\tb", "hash"},
        {"attempt\t1\t2026-11-15\tt\t1\t\t\tsim\tf\tmany\t0\t1\t\t0\t", "a number was expected"},
        {"a\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t", "too many fields"},
    };
    store *s = open_store(state);
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        char text[300];
        uint64_t added = 7;
        kz_error error = {0};
        snprintf(text, sizeof text, "kernel-zoo progress 1\ntask\tgood\t1\t0\t0\n%s\n", wrong[i].line);
        assert_int_equal(store_import(s, "in.txt", text, &added, &error), KZ_SYNTAX);
        assert_non_null(strstr(error.message, "in.txt:3:"));
        if (!strstr(error.message, wrong[i].says)) fail_msg("%s", error.message);
        assert_int_equal(added, 0);
    }
    kz_error error = {0};
    uint64_t added;
    assert_int_equal(store_import(s, "x", "hello", &added, &error), KZ_SYNTAX);
    assert_int_equal(store_import(s, "x", "", &added, &error), KZ_SYNTAX);
    assert_int_equal(store_import(s, "x", "kernel-zoo progress 2\n", &added, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "newer"));
    store_task *tasks;
    size_t count;
    assert_int_equal(store_list_tasks(s, &tasks, &count, NULL), KZ_OK);
    assert_int_equal(count, 0);
    free(tasks);
    store_close(s);
}

// Damaged exports: refused with words, or taken in such a way that they can be written and read again.
static void damaged_exports(void **state) {
    store *s = open_store(state);
    base_text good = {0};
    fill(state, s);
    assert_int_equal(store_export(s, &good, NULL), KZ_OK);
    for (uint64_t i = 0; i < 120; i++) {
        char *text = strdup(good.data);
        uint64_t added;
        kz_error error = {0};
        base_philox_block r = base_philox(7, 0, i);
        size_t at = 22 + r.word[0] % (good.length - 22);
        text[at] = "\t\n\\-0a9\x80"[r.word[1] % 8];
        if (r.word[2] % 4 == 0) text[at + r.word[3] % (good.length - at)] = 0; // cut off
        kz_status status = store_import(s, "damaged", text, &added, &error);
        if (status) assert_non_null(strstr(error.message, "damaged:"));
        base_text again = {0};
        assert_int_equal(store_export(s, &again, NULL), KZ_OK);
        if (store_import(s, "again", again.data, &added, &error) || added) fail_msg("%s", error.message);
        base_text_free(&again);
        free(text);
    }
    base_text_free(&good);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(export_and_import),
        TEST(damaged_exports),
        TEST(import_adds_to_what_is_there),
        TEST(wrong_lines_import_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
