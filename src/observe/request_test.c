// What one request costs, for address patterns made by hand. Sectors and plain wavefronts are in
// counters_test.c; here are wide loads that pair, local memory, and the names of patterns.
#include <stdlib.h>

#include "observe/request.h"
#include "unit.h"

#define ALL UINT32_MAX

static void fill(uint64_t a[32], uint64_t base, int64_t (*at)(int lane)) {
    for (int i = 0; i < 32; i++) a[i] = base + (uint64_t)at(i);
}

static void expect_waves(const uint64_t *a, uint32_t mask, uint32_t bytes, bool load, uint32_t waves,
                         uint32_t ideal) {
    uint32_t got, least;
    observe_count_wavefronts(a, mask, bytes, load, &got, &least);
    assert_int_equal(got, waves);
    assert_int_equal(least, ideal);
}

static int64_t same(int i) { return 0; }
static int64_t by_4_of_16(int i) { return i % 4 * 16; }
static int64_t by_pairs_of_16(int i) { return i / 2 * 16; }
static int64_t by_pairs_of_8(int i) { return i / 2 * 8; }
static int64_t by_second_of_8(int i) { return (i / 4 * 2 + i % 2) * 8; }
static int64_t by_16(int i) { return i * 16; }
static int64_t by_8(int i) { return i * 8; }

static void wide_loads_pair(void **state) {
    uint64_t a[32];
    fill(a, 0, by_8);
    expect_waves(a, ALL, 8, true, 2, 2);
    fill(a, 0, by_16);
    expect_waves(a, ALL, 16, true, 4, 4);
    // NVIDIA's example: offsets tid % 4 * 16 take four wavefronts, neither n^1 nor n^2 agree.
    fill(a, 0, by_4_of_16);
    expect_waves(a, ALL, 16, true, 4, 4);
    fill(a, 0, by_pairs_of_16); // n^1 agree: two groups of 16 lanes, 128 bytes each
    expect_waves(a, ALL, 16, true, 2, 2);
    expect_waves(a, ALL, 16, false, 4, 4); // stores do not pair
    fill(a, 0, by_pairs_of_8);
    expect_waves(a, ALL, 8, true, 1, 1);
    expect_waves(a, ALL, 8, false, 2, 2);
    fill(a, 0, by_second_of_8); // n^2 agree
    expect_waves(a, ALL, 8, true, 1, 1);
    fill(a, 64, same);
    expect_waves(a, ALL, 8, true, 1, 1);
    expect_waves(a, ALL, 16, true, 2, 2);
    expect_waves(a, ALL, 4, true, 1, 1);
}

static void lanes_that_are_off(void **state) {
    uint64_t a[32];
    fill(a, 0, by_8);
    expect_waves(a, 0x0000ffff, 8, true, 1, 1);
    expect_waves(a, 0x55555555, 8, true, 2, 1); // paired with lanes that are off: one group, two words a bank
    expect_waves(a, 1, 16, true, 1, 1);
    fill(a, 0, by_16);
    expect_waves(a, 0x000000ff, 16, true, 1, 1);
    expect_waves(a, 0xff0000ff, 16, true, 2, 2);
}

static void local_memory(void **state) {
    uint64_t a[32];
    fill(a, 40, same); // the same variable of every lane: side by side
    assert_int_equal(observe_count_local_sectors(a, ALL, 4), 4);
    assert_int_equal(observe_count_local_sectors(a, ALL, 8), 8);
    assert_int_equal(observe_count_local_sectors(a, ALL, 16), 16);
    assert_int_equal(observe_count_local_sectors(a, ALL, 1), 4);
    assert_int_equal(observe_count_local_sectors(a, 0xff, 4), 1);
    assert_int_equal(observe_count_local_sectors(a, 0x01010101, 4), 4);
    fill(a, 0, by_8); // each lane another element: a row of 128 bytes each
    assert_int_equal(observe_count_local_sectors(a, ALL, 4), 32);
    for (int i = 0; i < 32; i++) a[i] = 4 * (uint64_t)(i % 2); // two rows, which overlap
    assert_int_equal(observe_count_local_sectors(a, ALL, 8), 12);
}

static void distinct_addresses(void **state) {
    uint64_t a[32];
    fill(a, 512, same);
    assert_int_equal(observe_count_distinct(a, ALL), 1);
    fill(a, 512, by_8);
    assert_int_equal(observe_count_distinct(a, ALL), 32);
    assert_int_equal(observe_count_distinct(a, 0xf0f0), 8);
    for (int i = 0; i < 32; i++) a[i] = (uint64_t)(i * i % 7) * 4;
    assert_int_equal(observe_count_distinct(a, ALL), 4);
}

static void expect_pattern(const uint64_t *a, uint32_t mask, uint32_t bytes, observe_pattern expected) {
    observe_pattern got = observe_find_pattern(a, mask, bytes);
    assert_string_equal(observe_pattern_name(got.kind), observe_pattern_name(expected.kind));
    assert_true(observe_pattern_equal(&got, &expected));
}

static int64_t backwards(int i) { return -4 * i; }
static int64_t two_rows(int i) { return i / 16 * 1024 + i % 16 * 4; }
static int64_t two_words(int i) { return i / 16 * 64; }
static int64_t squares(int i) { return i * i * 4; }

static void patterns(void **state) {
    uint64_t a[32];
    fill(a, 4096, same);
    expect_pattern(a, ALL, 4, (observe_pattern){.kind = OBSERVE_UNIFORM});
    fill(a, 4096, by_8);
    expect_pattern(a, ALL, 8, (observe_pattern){.kind = OBSERVE_CONTIGUOUS});
    expect_pattern(a, ALL, 4, (observe_pattern){.kind = OBSERVE_STRIDE, .stride = 8});
    expect_pattern(a, 0x55555555, 4, (observe_pattern){.kind = OBSERVE_STRIDE, .stride = 16});
    expect_pattern(a, 0x5, 4, (observe_pattern){.kind = OBSERVE_OTHER}); // two lanes always have a stride
    expect_pattern(a, 0x4, 4, (observe_pattern){.kind = OBSERVE_UNIFORM});
    fill(a, 4096, backwards);
    expect_pattern(a, ALL, 4, (observe_pattern){.kind = OBSERVE_STRIDE, .stride = -4});
    fill(a, 4096, two_rows);
    expect_pattern(a, ALL, 4, (observe_pattern){.kind = OBSERVE_ROWS, .run = 16, .stride = 4, .jump = 1024});
    fill(a, 4096, two_words);
    expect_pattern(a, ALL, 4, (observe_pattern){.kind = OBSERVE_ROWS, .run = 16, .stride = 0, .jump = 64});
    fill(a, 4096, by_pairs_of_8);
    expect_pattern(a, ALL, 8, (observe_pattern){.kind = OBSERVE_ROWS, .run = 2, .stride = 0, .jump = 8});
    fill(a, 4096, squares);
    expect_pattern(a, ALL, 4, (observe_pattern){.kind = OBSERVE_OTHER});
}

// Addresses at the end of the range wrap nowhere.
static void the_last_address(void **state) {
    uint64_t a[32];
    for (int i = 0; i < 32; i++) a[i] = UINT64_MAX - 127 + 4 * (uint64_t)i;
    assert_int_equal(observe_count_sectors(a, ALL, 4), 4);
    assert_int_equal(observe_ideal_sectors(32, UINT32_MAX, UINT32_MAX), UINT32_MAX);
}

// What an H200 counts for atomics whose lanes share addresses.
static void lanes_on_one_address_take_turns(void **state) {
    uint64_t same[32], pairs[32], two[32], apart[32], wide[32];
    for (uint64_t i = 0; i < 32; i++) {
        same[i] = 4096;
        pairs[i] = 4096 + i / 2 * 4;
        two[i] = 4096 + i % 2 * 128;
        apart[i] = 4096 + i * 4;
        wide[i] = 4096 + i * 32;
    }
    assert_int_equal(observe_count_atomic_sectors(same, ALL, 4), 32);
    assert_int_equal(observe_count_atomic_sectors(pairs, ALL, 4), 4);
    assert_int_equal(observe_count_atomic_sectors(two, ALL, 4), 32);
    assert_int_equal(observe_count_atomic_sectors(apart, ALL, 4), 4);
    assert_int_equal(observe_count_atomic_sectors(same, 0x10, 4), 1);
    static const struct {
        int which;
        bool swap;
        uint32_t wavefronts;
    } rows[] = {{0, false, 33}, {1, false, 3}, {2, false, 33}, {3, false, 2}, {4, false, 9},
                {0, true, 65},  {1, true, 5},  {3, true, 3},   {4, true, 17}};
    const uint64_t *patterns[] = {same, pairs, two, apart, wide};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        uint32_t wavefronts, ideal;
        observe_count_atomic_wavefronts(patterns[rows[i].which], ALL, rows[i].swap, &wavefronts, &ideal);
        assert_int_equal(wavefronts, rows[i].wavefronts);
        assert_int_equal(ideal, rows[i].swap ? 3 : 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_loads_pair),
        cmocka_unit_test(lanes_that_are_off),
        cmocka_unit_test(local_memory),
        cmocka_unit_test(distinct_addresses),
        cmocka_unit_test(lanes_on_one_address_take_turns),
        cmocka_unit_test(patterns),
        cmocka_unit_test(the_last_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
