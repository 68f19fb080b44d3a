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

static void damage_is_noticed(void **state) {
    static const char text[] = "one two one two one two one two one two three";
    size_t size = 0;
    uint8_t out[sizeof text];
    uint8_t *packed = base_lz4_pack((const uint8_t *)text, sizeof text, &size);
    for (size_t cut = 0; cut < size; cut++) assert_false(base_lz4_unpack(packed, cut, out, sizeof text));
    free(packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),
        cmocka_unit_test(random_bytes_hardly_grow),
        cmocka_unit_test(repeats_are_found),
        cmocka_unit_test(damage_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
