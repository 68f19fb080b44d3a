// The bench's own kernels, run by the simulator: they copy what they should, read within bounds, flush.
#include "bench/probes.h"

#include <stdlib.h>

#include "unit.h"

static void copies_are_whole(void **state) {
    (void)state;
    kz_device *device;
    bench_probes *probes;
    assert_int_equal(kz_device_open("sim", &device, NULL), KZ_OK);
    assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
    assert_true(bench_probes_has_kernels(probes));
    // Within a block, a whole block, just past one, several: allocations end where the copy ends.
    static const size_t pieces[] = {1, 255, 1024, 1025, 5000};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t bytes = 16 * pieces[i];
        kz_ptr from, to;
        unsigned char *sent = malloc(bytes), *got = calloc(1, bytes);
        for (size_t k = 0; k < bytes; k++) sent[k] = (unsigned char)(k * 7 + k / 251);
        assert_int_equal(kz_memory_alloc(device, bytes, &from, NULL), KZ_OK);
        assert_int_equal(kz_memory_alloc(device, bytes, &to, NULL), KZ_OK);
        assert_int_equal(kz_copy_to_device(device, NULL, from, sent, bytes, NULL), KZ_OK);
        assert_int_equal(bench_probe_copy(probes, NULL, to, from, bytes, NULL), KZ_OK);
        assert_int_equal(bench_probe_read(probes, NULL, from, bytes, NULL), KZ_OK);
        assert_int_equal(kz_copy_to_host(device, NULL, got, to, bytes, NULL), KZ_OK);
        assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
        assert_memory_equal(got, sent, bytes);
        kz_memory_free(device, from, NULL);
        kz_memory_free(device, to, NULL);
        free(sent);
        free(got);
    }
    bench_probes_close(probes);
    kz_device_close(device);
}

// Reading is exactly one pass: every sector once, and nothing written.
static void reads_touch_every_sector_once(void **state) {
    (void)state;
    enum { BYTES = 1 << 16 };
    kz_device *device;
    bench_probes *probes;
    kz_ptr from;
    kz_counters counters = {.size = sizeof counters};
    assert_int_equal(kz_device_open("sim", &device, NULL), KZ_OK);
    assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, BYTES, &from, NULL), KZ_OK);
    assert_int_equal(kz_memory_fill(device, NULL, from, 1, BYTES, NULL), KZ_OK);
    assert_int_equal(kz_counters_enable(device, true, NULL), KZ_OK);
    assert_int_equal(kz_counters_read(device, &counters, true, NULL), KZ_OK);
    assert_int_equal(bench_probe_read(probes, NULL, from, BYTES, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    assert_int_equal(kz_counters_read(device, &counters, true, NULL), KZ_OK);
    assert_int_equal(counters.global_sectors, BYTES / 32);
    kz_memory_free(device, from, NULL);
    bench_probes_close(probes);
    kz_device_close(device);
}

// What a producer writes is what was there, and nothing beside it.
static void inputs_are_rewritten_in_place(void **state) {
    (void)state;
    static const char *const devices[] = {"sim", "cpu"};
    enum { BYTES = 16 * 1030, AROUND = 256 };
    static unsigned char sent[BYTES + AROUND], got[BYTES + AROUND];
    for (size_t i = 0; i < sizeof sent; i++) sent[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t d = 0; d < sizeof devices / sizeof devices[0]; d++) {
        kz_device *device;
        bench_probes *probes;
        kz_ptr at;
        assert_int_equal(kz_device_open(devices[d], &device, NULL), KZ_OK);
        assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
        assert_true(bench_probe_flush_reads(probes)); // on a cpu too, by native code
        assert_int_equal(kz_memory_alloc(device, sizeof sent, &at, NULL), KZ_OK);
        assert_int_equal(kz_copy_to_device(device, NULL, at, sent, sizeof sent, NULL), KZ_OK);
        assert_int_equal(bench_probe_rewrite(probes, NULL, at, BYTES, NULL), KZ_OK);
        assert_int_equal(kz_copy_to_host(device, NULL, got, at, sizeof got, NULL), KZ_OK);
        assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
        assert_memory_equal(got, sent, sizeof sent);
        kz_memory_free(device, at, NULL);
        bench_probes_close(probes);
        kz_device_close(device);
    }
}

static uint64_t digest_of(const uint64_t *words, size_t pieces) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t mix = (words[2 * i] ^ i * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
        mix = ((mix ^ mix >> 32) + words[2 * i + 1]) * 0x94d049bb133111ebu;
        sum += mix ^ mix >> 29;
    }
    return sum;
}

// One bit anywhere, or two pieces that changed places, is another number.
static void a_digest_changes_with_every_bit(void **state) {
    (void)state;
    enum { PIECES = 5000 };
    static uint64_t words[2 * PIECES];
    kz_device *device;
    bench_probes *probes;
    kz_ptr at;
    uint64_t first = 0, got = 0;
    for (size_t i = 0; i < 2 * PIECES; i++) words[i] = i * i * 977;
    assert_int_equal(kz_device_open("sim", &device, NULL), KZ_OK);
    assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof words, &at, NULL), KZ_OK);
    for (int i = 0; i < 4; i++) {
        if (i == 1) words[2 * PIECES - 1] ^= 1u << 7;
        if (i == 2) words[2 * PIECES - 1] ^= 1u << 7, words[0] += 2;
        if (i == 3) words[0] = words[2], words[2] = 2; // it was 0 at first
        assert_int_equal(kz_copy_to_device(device, NULL, at, words, sizeof words, NULL), KZ_OK);
        assert_int_equal(bench_probe_digest(probes, at, sizeof words, &got, NULL), KZ_OK);
        assert_true(got == digest_of(words, PIECES));
        assert_true(i == 0 || got != first);
        if (i == 0) first = got;
    }
    kz_memory_free(device, at, NULL);
    bench_probes_close(probes);
    kz_device_close(device);
}

static void a_flush_covers_twice_the_cache(void **state) {
    (void)state;
    kz_device *device;
    bench_probes *probes;
    assert_int_equal(kz_device_open("cpu", &device, NULL), KZ_OK);
    assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
    assert_true(bench_probes_has_kernels(probes));
    assert_false(bench_probes_has_digests(probes));
    assert_true(bench_probe_flush_bytes(probes) + 16 >= 2 * kz_device_get_info(device)->l2_bytes);
    assert_int_equal(bench_probe_flush(probes, NULL, NULL), KZ_OK);
    assert_int_equal(bench_probe_dirty(probes, NULL, NULL), KZ_OK);
    assert_int_equal(bench_probe_digest(probes, 0, 16, &(uint64_t){0}, NULL), KZ_UNSUPPORTED);
    bench_probes_close(probes);
    kz_device_close(device);
}

// On a CPU each core has a part, the last one a shorter one.
static void native_probes_move_all_pieces(void **state) {
    (void)state;
    enum { WORDS = 3 * (1 << 20) / 8 + 6 };
    static uint64_t from[WORDS + 2], to[WORDS + 2], read[WORDS + 2];
    kz_device *device;
    bench_probes *probes;
    kz_ptr a, b;
    for (size_t i = 0; i < WORDS + 2; i++) from[i] = i * 977;
    assert_int_equal(kz_device_open("cpu", &device, NULL), KZ_OK);
    assert_int_equal(bench_probes_open(device, &probes, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof from, &a, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof from, &b, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, a, from, sizeof from, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_device(device, NULL, b, to, sizeof to, NULL), KZ_OK);
    assert_int_equal(bench_probe_read(probes, NULL, a, WORDS * 8, NULL), KZ_OK);
    assert_int_equal(bench_probe_rewrite(probes, NULL, a, WORDS * 8, NULL), KZ_OK);
    assert_int_equal(bench_probe_copy(probes, NULL, b, a, WORDS * 8, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_host(device, NULL, read, b, sizeof read, NULL), KZ_OK);
    assert_memory_equal(read, from, WORDS * 8);
    assert_true(read[WORDS] == 0 && read[WORDS + 1] == 0);
    kz_memory_free(device, a, NULL);
    kz_memory_free(device, b, NULL);
    bench_probes_close(probes);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_whole),
        cmocka_unit_test(reads_touch_every_sector_once),
        cmocka_unit_test(inputs_are_rewritten_in_place),
        cmocka_unit_test(a_digest_changes_with_every_bit),
        cmocka_unit_test(a_flush_covers_twice_the_cache),
        cmocka_unit_test(native_probes_move_all_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
