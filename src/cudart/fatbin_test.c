// Fat binaries: entries are found and chosen, unpacked, and what is damaged is refused.

#include <stdlib.h>
#include <sys/mman.h>

#include <zstd.h>

#include "cudart/fatbin.h"
#include "device/cubin.h"
#include "unit.h"

enum { HEADER = 16, ENTRY = 64, PLAIN = 0x11, LZ4 = 0x2011, ZSTD = 0x8011, SPECIAL = 0x100011 };

typedef struct container {
    uint8_t bytes[4096];
    size_t size;
} container;

static void put(uint8_t *to, uint64_t value, size_t bytes) { memcpy(to, &value, bytes); }

static void begin(container *c) {
    *c = (container){.size = HEADER};
    put(c->bytes, 0xba55ed50, 4);
    put(c->bytes + 4, 1, 2);
    put(c->bytes + 6, HEADER, 2);
}

static void add(container *c, int kind, int sm, uint64_t flags, const void *data, size_t size, size_t whole) {
    uint8_t *at = c->bytes + c->size;
    size_t padded = (size + 7) / 8 * 8;
    put(at, (uint64_t)kind, 2);
    put(at + 4, ENTRY, 4);
    put(at + 8, padded, 8);
    put(at + 16, flags & 0xa000 ? size : 0, 4);
    put(at + 28, (uint64_t)sm, 4);
    put(at + 40, flags, 8);
    put(at + 56, flags & 0xa000 ? whole : 0, 8);
    memcpy(at + ENTRY, data, size);
    c->size += ENTRY + padded;
    put(c->bytes + 8, c->size - HEADER, 8);
}

static void chooses_for_the_gpu(void **state) {
    container c;
    begin(&c);
    add(&c, CUDART_ENTRY_CUBIN, 90, PLAIN, "cubin", 6, 0);
    add(&c, CUDART_ENTRY_PTX, 75, PLAIN, "ptx75", 6, 0);
    add(&c, CUDART_ENTRY_PTX, 90, PLAIN, "ptx90", 6, 0);
    add(&c, CUDART_ENTRY_PTX, 90, SPECIAL, "ptx90a", 7, 0);
    add(&c, CUDART_ENTRY_PTX, 100, PLAIN, "ptx100", 7, 0);
    assert_int_equal(cudart_fatbin_size(c.bytes, NULL), c.size);
    cudart_entry entry;
    int nearest;
    const struct {
        int sm;
        const char *text;
    } wanted[] = {{75, "ptx75"},  {80, "ptx75"}, {89, "ptx75"},
                  {90, "ptx90a"}, {91, "ptx90"}, {100, "ptx100"}};
    for (size_t i = 0; i < BASE_COUNT(wanted); i++) {
        assert_true(cudart_fatbin_choose_ptx(c.bytes, c.size, wanted[i].sm, &entry, &nearest));
        assert_string_equal((const char *)entry.bytes, wanted[i].text);
    }
    assert_false(cudart_fatbin_choose_ptx(c.bytes, c.size, 70, &entry, &nearest));
    assert_int_equal(nearest, 75);
    assert_true(cudart_fatbin_choose_cubin(c.bytes, c.size, 90, &entry));
    assert_string_equal((const char *)entry.bytes, "cubin");
    assert_false(cudart_fatbin_choose_cubin(c.bytes, c.size, 80, &entry));
}

// "abcabcabcabcabcX": literals abc, a match that overlaps itself, the last literals.
static const uint8_t lz4[] = {0x38, 'a', 'b', 'c', 3, 0, 0x10, 'X'};
static const char text[] = "abcabcabcabcabcX";

static void unpacks_lz4(void **state) {
    uint8_t out[16];
    assert_true(base_lz4_unpack(lz4, sizeof lz4, out, 16));
    assert_memory_equal(out, text, 16);
    assert_false(base_lz4_unpack(lz4, sizeof lz4, out, 15));
    for (size_t cut = 0; cut < sizeof lz4; cut++) assert_false(base_lz4_unpack(lz4, cut, out, 16));
    const uint8_t far_back[] = {0x10, 'a', 2, 0, 0x00};
    assert_false(base_lz4_unpack(far_back, sizeof far_back, out, 6));
}

static kz_status unpack_zstd(const uint8_t *frame, size_t size, char **data, size_t whole) {
    const cudart_entry entry = {.packing = CUDART_ZSTD, .bytes = frame, .size = size, .whole_size = whole};
    return cudart_entry_unpack(&entry, data, &whole, NULL);
}

static void unpacks_zstd(void **state) {
    // Magic; single segment with a one-byte size; a raw block of 3, a last block of 5 times 'z'.
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20,       8, 3 << 3, 0,
                                    0,    'a',  'b',  'c',  5 << 3 | 3, 0, 0,      'z'};
    char *data;
    assert_int_equal(unpack_zstd(frame, sizeof frame, &data, 8), KZ_OK);
    assert_string_equal(data, "abczzzzz");
    free(data);
    // The size that the container states must be the frame's: nothing is left over, nothing is missing.
    assert_int_equal(unpack_zstd(frame, sizeof frame, &data, 7), KZ_SYNTAX);
    assert_int_equal(unpack_zstd(frame, sizeof frame, &data, 9), KZ_SYNTAX);
    for (size_t cut = 0; cut < sizeof frame; cut++)
        assert_int_equal(unpack_zstd(frame, cut, &data, 8), KZ_SYNTAX);
}

static void unpacks_what_zstd_compressed(void **state) {
    char ptx[8192];
    for (size_t i = 0; i < sizeof ptx; i++) ptx[i] = "mov.u32 %r1, %tid.x;\n"[i * i % 21];
    uint8_t frame[8192];
    size_t size = ZSTD_compress(frame, sizeof frame, ptx, sizeof ptx, 19);
    assert_false(ZSTD_isError(size));
    assert_true(size < sizeof ptx / 8);
    char *data;
    assert_int_equal(unpack_zstd(frame, size, &data, sizeof ptx), KZ_OK);
    assert_memory_equal(data, ptx, sizeof ptx);
    free(data);
}

static void entries_come_out_whole(void **state) {
    container c;
    begin(&c);
    add(&c, CUDART_ENTRY_PTX, 90, LZ4, lz4, sizeof lz4, 16);
    size_t offset = 0, size;
    cudart_entry entry;
    char *data;
    kz_error error;
    assert_true(cudart_fatbin_next(c.bytes, c.size, &offset, &entry));
    assert_int_equal(cudart_entry_unpack(&entry, &data, &size, &error), KZ_OK);
    assert_string_equal(data, text);
    assert_int_equal(size, 16);
    free(data);
    assert_false(cudart_fatbin_next(c.bytes, c.size, &offset, &entry));
    entry.whole_size = 17;
    assert_int_equal(cudart_entry_unpack(&entry, &data, &size, &error), KZ_SYNTAX);
}

// Whatever a byte is changed to, nothing outside the container is touched: AddressSanitizer watches.
static void damage_is_harmless(void **state) {
    container c;
    begin(&c);
    add(&c, CUDART_ENTRY_PTX, 90, LZ4, lz4, sizeof lz4, 16);
    add(&c, CUDART_ENTRY_CUBIN, 90, PLAIN, "\177ELF and then nothing that makes sense", 38, 0);
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < c.size; at++)
        for (size_t v = 0; v < BASE_COUNT(values); v++) {
            uint8_t *copy = malloc(c.size);
            memcpy(copy, c.bytes, c.size);
            copy[at] = values[v];
            size_t offset = 0;
            cudart_entry entry;
            while (cudart_fatbin_next(copy, c.size, &offset, &entry)) {
                char *data;
                size_t size;
                device_cubin_info info;
                if (entry.whole_size > 1 << 20 || cudart_entry_unpack(&entry, &data, &size, NULL)) continue;
                device_cubin_find(data, size, "kernel", &info);
                free(data);
            }
            free(copy);
        }
}

// The last container before memory that cannot be read. Its header, or that of an entry, states another size than it has.
static void wrong_sizes_are_refused(void **state) {
    enum { PAGE = 4096 };
    container c;
    begin(&c);
    add(&c, CUDART_ENTRY_PTX, 90, PLAIN, "ptx90", 6, 0);
    add(&c, CUDART_ENTRY_PTX, 75, PLAIN, "ptx75", 6, 0);
    uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && !mprotect(pages + PAGE, PAGE, PROT_NONE));
    uint8_t *at = pages + PAGE - c.size;
    memcpy(at, c.bytes, c.size);
    kz_error error = {0};
    assert_true(cudart_is_fatbin(at));
    assert_int_equal(cudart_fatbin_size(at, &error), c.size);
    static const uint64_t sizes[] = {64, 140, 200, 1 << 20, UINT64_C(1) << 39, UINT64_MAX};
    for (size_t i = 0; i < BASE_COUNT(sizes); i++) {
        put(at + 8, sizes[i], 8);
        assert_int_equal(cudart_fatbin_size(at, &error), 0);
        assert_has(error.message, sizes[i] < c.size ? "do not add up" : "the memory ends before it does");
        assert_has(error.message, "build the program anew");
    }
    memcpy(at, c.bytes, c.size);
    put(at + HEADER + 8, 1 << 20, 8); // the first entry's
    assert_int_equal(cudart_fatbin_size(at, &error), 0);
    assert_has(error.message, "do not add up");
    munmap(pages, 2 * PAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_for_the_gpu),
        cmocka_unit_test(unpacks_lz4),
        cmocka_unit_test(unpacks_zstd),
        cmocka_unit_test(unpacks_what_zstd_compressed),
        cmocka_unit_test(entries_come_out_whole),
        cmocka_unit_test(damage_is_harmless),
        cmocka_unit_test(wrong_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
