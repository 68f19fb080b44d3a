// LZ4 blocks: what is packed comes out whole, repeats are found, and damage is noticed.
#include <stdlib.h>

#include "base/base.h"
#include "unit.h"

static size_t there_and_back(const uint8_t *from, size_t size) {
    size_t packed_size = 0;
    uint8_t *packed = base_lz4_pack(from, size, &packed_size), *out = malloc(size + 1);
    assert_non_null(packed);
    assert_non_null(out);
    assert_true(base_lz4_unpack(packed, packed_size, out, size));
    assert_memory_equal(out, from, size);
    assert_false(base_lz4_unpack(packed, packed_size, out, size + 1));
    if (size) assert_false(base_lz4_unpack(packed, packed_size, out, size - 1));
    free(packed);
    free(out);
    return packed_size;
}

// Every length about the format's limits: tokens of 15, bytes of 255, the last literals.
static void lengths(void **state) {
    static uint8_t same[1200], other[1200];
    for (size_t i = 0; i < sizeof other; i++) other[i] = (uint8_t)(i * i >> 3);
    for (size_t size = 0; size < sizeof same; size += size < 300 ? 1 : 37) {
        there_and_back(same, size);
        there_and_back(other, size);
    }
}

static void random_bytes_hardly_grow(void **state) {
    enum { SIZE = 200000 };
    uint8_t *bytes = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++) bytes[i] = (uint8_t)base_philox(1, 2, i).word[0];
    assert_true(there_and_back(bytes, SIZE) < SIZE + SIZE / 200);
    free(bytes);
}

// A text of lines that come again, near and past the window of 64 KiB.
static void repeats_are_found(void **state) {
    base_text text = {0};
    for (int i = 0; i < 20000; i++) base_text_add(&text, "add.s32 %%r%d, %%r%d, %d;\n", i, i / 2, i % 7);
    assert_true(there_and_back((const uint8_t *)text.data, text.length) < text.length / 2);
    base_text_free(&text);
}

// The first four bytes have a match, and the nine after the first have one: a literal and the second are cheaper than
// two matches. 18 literals, their token and the second byte of their count, a distance; a token and 12 literals.
static void the_cheapest_way_is_taken(void **state) {
    static const char text[] = "abcd12bcdefghij34abcdefghijKLMNOPQRSTUV";
    assert_int_equal(there_and_back((const uint8_t *)text, strlen(text)), (18 + 2 + 2) + (1 + 12));
}

static void damage_is_noticed(void **state) {
    static const char text[] = "one two one two one two one two one two three";
    size_t size = 0;
    uint8_t out[sizeof text];
    uint8_t *packed = base_lz4_pack((const uint8_t *)text, sizeof text, &size);
    for (size_t cut = 0; cut < size; cut++) assert_false(base_lz4_unpack(packed, cut, out, sizeof text));
    free(packed);
}

// A block made by hand, which must be refused once `written` bytes of the output are made: no others are touched, and
// nothing past the block is read, where more of the same would follow.
static void expect_refused(const char *block, size_t block_size, size_t to_size, size_t written) {
    enum { ROOM = 64, UNTOUCHED = 0xa5 };
    uint8_t from[ROOM] = {0}, around[5 * ROOM], *to = around + ROOM;
    memcpy(from, block, block_size);
    memset(around, UNTOUCHED, sizeof around);
    assert_false(base_lz4_unpack(from, block_size, to, to_size));
    for (size_t i = 0; i < sizeof around; i++)
        if (i < ROOM || i >= ROOM + written) assert_int_equal(around[i], UNTOUCHED);
}

static void what_cannot_be_is_refused_in_time(void **state) {
    expect_refused("\x50\1", 2, 5, 0);          // five literals, and there is one
    expect_refused("\x50\1\2\3\4\5", 6, 3, 0);  // five literals, and room for three
    expect_refused("\xf0", 1, 99, 0);           // literals whose count goes on past the end
    expect_refused("\x10\1\0\0", 4, 5, 1);      // a match at distance 0
    expect_refused("\x10\1\2\0", 4, 5, 1);      // a match before the output's start
    expect_refused("\x10\1\1\0", 4, 3, 1);      // a match of four, and room for two
    expect_refused("\x1f\1\1\0\x20", 5, 30, 1); // one of 51, and room for 29
    expect_refused("\x1f\1\1\0", 4, 20, 1);     // a match whose length goes on past the end
    expect_refused("\x10\1\1", 3, 5, 1);        // half a distance
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),           cmocka_unit_test(random_bytes_hardly_grow),
        cmocka_unit_test(repeats_are_found), cmocka_unit_test(the_cheapest_way_is_taken),
        cmocka_unit_test(damage_is_noticed), cmocka_unit_test(what_cannot_be_is_refused_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
