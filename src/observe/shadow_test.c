// Definedness of memory: ranges, pages that come and go, copies, words that know more.

#include "observe/shadow.h"
#include "unit.h"

#define BASE UINT64_C(0x100000000000)

static void ranges(void **state) {
    shadow_memory memory;
    uint64_t first;
    assert_true(observe_shadow_memory_open(&memory));
    assert_false(observe_shadow_memory_has(&memory, BASE, 1 << 20, &first)); // nobody told of it
    observe_shadow_memory_mark(&memory, BASE + 100, 300000, true);
    assert_true(observe_shadow_memory_has(&memory, BASE, 1 << 20, &first));
    assert_int_equal(first, BASE + 100);
    assert_int_equal(observe_shadow_memory_run(&memory, first, BASE + (1 << 20)), BASE + 300100);
    observe_shadow_memory_mark(&memory, BASE + 100, 299999, false);
    assert_true(observe_shadow_memory_has(&memory, BASE, 1 << 20, &first));
    assert_int_equal(first, BASE + 300099);
    observe_shadow_memory_mark(&memory, BASE + 300099, 1, false);
    assert_false(observe_shadow_memory_has(&memory, BASE, 1 << 20, &first));
    assert_null(observe_shadow_page_at(&memory, BASE + 300099)); // wholly defined again
    observe_shadow_memory_close(&memory);
}

static void copies(void **state) {
    shadow_memory memory;
    uint64_t first;
    assert_true(observe_shadow_memory_open(&memory));
    observe_shadow_memory_mark(&memory, BASE, 4096, true);
    observe_shadow_memory_mark(&memory, BASE + 16, 8, false);
    shadow_word *word = observe_shadow_make_word(&memory.words, BASE + 24);
    assert_non_null(word);
    word->bits = 0xff;
    word->origin = 7;
    observe_shadow_memory_copy(&memory, BASE + 65536, BASE, 64);
    assert_true(observe_shadow_memory_has(&memory, BASE + 65536, 64, &first));
    assert_int_equal(first, BASE + 65536);
    assert_int_equal(observe_shadow_memory_run(&memory, BASE + 65536, BASE + 65600), BASE + 65536 + 16);
    assert_int_equal(observe_shadow_memory_run(&memory, BASE + 65536 + 16, BASE + 65600), BASE + 65536 + 24);
    assert_false(observe_shadow_memory_has(&memory, BASE + 65600, 64, &first));
    word = observe_shadow_find_word(&memory.words, BASE + 65536 + 24);
    assert_non_null(word);
    assert_int_equal(word->bits, 0xff);
    assert_int_equal(word->origin, 7);
    // New memory in an old place knows nothing of what lay there.
    observe_shadow_memory_mark(&memory, BASE + 65536, 64, true);
    word = observe_shadow_find_word(&memory.words, BASE + 65536 + 24);
    assert_true(word->bits == UINT64_MAX && word->origin == 0);
    observe_shadow_memory_close(&memory);
}

static void bits_across_words(void **state) {
    uint64_t bits[3] = {0};
    assert_int_equal(observe_shadow_put(bits, 60, 8, 0xff), 8);
    assert_int_equal(bits[0], UINT64_C(0xf) << 60);
    assert_int_equal(bits[1], 0xf);
    assert_int_equal(observe_shadow_get(bits, 60, 8), 0xff);
    assert_int_equal(observe_shadow_get(bits, 62, 4), 0xf);
    assert_int_equal(observe_shadow_put(bits, 62, 4, 0x5), -2);
    assert_int_equal(observe_shadow_get(bits, 60, 8), 0xd7);
    assert_int_equal(observe_shadow_put(bits, 64, 64, UINT64_MAX), 61);
}

static void many_words(void **state) {
    shadow_table table = {0};
    for (uint64_t i = 0; i < 5000; i++) observe_shadow_make_word(&table, BASE + 8 * i)->origin = (uint32_t)i;
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(observe_shadow_find_word(&table, BASE + 8 * i + 3)->origin, i);
    assert_null(observe_shadow_find_word(&table, BASE + 8 * 5000));
    observe_shadow_clear_table(&table);
    assert_null(observe_shadow_find_word(&table, BASE));
    observe_shadow_free_table(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),
        cmocka_unit_test(copies),
        cmocka_unit_test(bits_across_words),
        cmocka_unit_test(many_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
