// Known access patterns, made by hand, and what the hardware would see of them.

#include <stdlib.h>

#include "observe/observe.h"
#include "unit.h"

#define ALL UINT32_C(0xffffffff)

// Counts one access: lane i at base + i * stride.
static kz_counters count(sim_space space, sim_access_kind kind, uint32_t bytes, uint32_t mask,
                         const uint64_t addresses[32]) {
    observe_counters *counters = observe_counters_open();
    assert_non_null(counters);
    sim_listener *listener = observe_counters_listener(counters);
    sim_access access = {
        .at = {.mask = mask}, .bytes = bytes, .kind = kind, .space = space, .addresses = addresses};
    listener->access(listener, &access);
    kz_counters sums = {0};
    observe_counters_read(counters, &sums);
    observe_counters_close(counters);
    return sums;
}

static kz_counters strided(sim_space space, uint32_t bytes, uint32_t mask, uint64_t base, int64_t stride) {
    uint64_t addresses[32];
    for (int i = 0; i < 32; i++) addresses[i] = base + (uint64_t)(i * stride);
    return count(space, SIM_LOAD, bytes, mask, addresses);
}

static void expect_sectors(kz_counters sums, uint64_t sectors, uint64_t ideal) {
    assert_int_equal(sums.global_requests, 1);
    assert_int_equal(sums.global_sectors, sectors);
    assert_int_equal(sums.global_ideal_sectors, ideal);
    assert_int_equal(sums.shared_requests, 0);
}

static void expect_wavefronts(kz_counters sums, uint64_t wavefronts, uint64_t ideal) {
    assert_int_equal(sums.shared_requests, 1);
    assert_int_equal(sums.shared_wavefronts, wavefronts);
    assert_int_equal(sums.shared_ideal_wavefronts, ideal);
    assert_int_equal(sums.global_requests, 0);
}

static void global_strides(void **state) {
    expect_sectors(strided(SIM_GLOBAL, 4, ALL, 4096, 4), 4, 4);    // coalesced float
    expect_sectors(strided(SIM_GLOBAL, 4, ALL, 4096, 8), 8, 4);    // every second
    expect_sectors(strided(SIM_GLOBAL, 4, ALL, 4096, 128), 32, 4); // a column of 32 floats
    expect_sectors(strided(SIM_GLOBAL, 4, ALL, 4096, 32), 32, 4);
    expect_sectors(strided(SIM_GLOBAL, 4, ALL, 4096, 36), 32, 4);
    expect_sectors(strided(SIM_GLOBAL, 16, ALL, 4096, 16), 16, 16); // coalesced float4
    expect_sectors(strided(SIM_GLOBAL, 8, ALL, 4096, 8), 8, 8);
    expect_sectors(strided(SIM_GLOBAL, 1, ALL, 4096, 1), 1, 1);
    expect_sectors(strided(SIM_GLOBAL, 2, ALL, 4096, 2), 2, 2);
    expect_sectors(strided(SIM_GLOBAL, 4, ALL, 4100, 4), 5, 4); // misaligned by one element
    expect_sectors(strided(SIM_GLOBAL, 4, ALL, 4096 + 124, -4), 4, 4);
    expect_sectors(strided(SIM_GLOBAL, 4, ALL, 1 << 20, -128), 32, 4);
    expect_sectors(strided(SIM_GLOBAL, 4, ALL, 4096, 0), 1, 1); // one word for all: nothing is wasted
}

static void global_masks(void **state) {
    expect_sectors(strided(SIM_GLOBAL, 4, 1, 4096, 4), 1, 1);
    expect_sectors(strided(SIM_GLOBAL, 4, 0x1ff, 4096, 4), 2, 2);
    expect_sectors(strided(SIM_GLOBAL, 4, 0x55555555, 4096, 4), 4, 2); // half of each sector
    expect_sectors(strided(SIM_GLOBAL, 4, 0xffff0000, 4096, 4), 2, 2);
    expect_sectors(strided(SIM_GLOBAL, 4, 0x80000001, 4096, 4), 2, 1);
}

static void global_irregular(void **state) {
    uint64_t tile[32], scattered[32], pairs[32];
    for (int i = 0; i < 32; i++) {
        tile[i] = 4096 + (i / 16) * 1024 + (i % 16) * 4; // two rows of 16 floats
        scattered[i] = 4096 + (uint64_t)((i * 37) % 64) * 256;
        pairs[i] = 4096 + (uint64_t)((i * 7) % 16) * 32; // 16 sectors, each twice
    }
    expect_sectors(count(SIM_GLOBAL, SIM_LOAD, 4, ALL, tile), 4, 4);
    expect_sectors(count(SIM_GLOBAL, SIM_STORE, 4, ALL, scattered), 32, 4);
    expect_sectors(count(SIM_GLOBAL, SIM_LOAD, 4, ALL, pairs), 16, 4);
}

// The fast paths against the plainest count there is.
static uint64_t plain_sectors(const uint64_t *address, uint32_t mask, uint32_t bytes) {
    uint64_t seen[64], n = 0;
    for (int lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1)) continue;
        for (uint64_t s = address[lane] / 32; s <= (address[lane] + bytes - 1) / 32; s++) {
            uint64_t k = 0;
            while (k < n && seen[k] != s) k++;
            if (k == n) seen[n++] = s;
        }
    }
    return n;
}

static bool pairs_agree(const uint64_t *address, uint32_t mask, int by) {
    for (int i = 0; i < 32; i++)
        if ((mask >> i & 1) && (mask >> (i ^ by) & 1) && address[i] != address[i ^ by]) return false;
    return true;
}

static uint64_t plain_wavefronts(const uint64_t *address, uint32_t mask, uint32_t bytes) {
    uint32_t group = bytes <= 4 ? 32 : 128 / bytes, total = 0;
    if (group < 32 && (pairs_agree(address, mask, 1) || pairs_agree(address, mask, 2))) group *= 2;
    for (uint32_t first = 0; first < 32; first += group) {
        uint64_t seen[128], n = 0;
        uint32_t in_bank[32] = {0}, most = 0;
        for (uint32_t lane = first; lane < first + group; lane++) {
            if (!(mask >> lane & 1)) continue;
            for (uint64_t w = address[lane] / 4; w <= (address[lane] + bytes - 1) / 4; w++) {
                uint64_t k = 0;
                while (k < n && seen[k] != w) k++;
                if (k < n) continue;
                seen[n++] = w;
                if (++in_bank[w % 32] > most) most = in_bank[w % 32];
            }
        }
        total += most;
    }
    return total;
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void agrees_with_plain_count(void **state) {
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        uint32_t bytes = 1u << next_random(&seed) % 6; // 1 to 32
        uint32_t mask = next_random(&seed) % 3 ? ALL : next_random(&seed) * 2654435761u | 1;
        uint64_t base = 8192 + next_random(&seed) % 64 * bytes, addresses[32];
        int64_t stride = (int64_t)(next_random(&seed) % 41) - 20;
        uint32_t shape = next_random(&seed) % 4, range = 1u << next_random(&seed) % 8;
        for (int i = 0; i < 32; i++) {
            if (shape == 0) addresses[i] = base + (uint64_t)(i * stride * (int64_t)bytes);
            if (shape == 1) addresses[i] = base + next_random(&seed) % range * bytes;
            if (shape == 2) addresses[i] = base + (uint64_t)(i / 16 * stride * bytes + i % 16 * bytes);
            if (shape == 3) addresses[i] = base + (uint64_t)(i / 16 * stride * 4 * bytes);
        }
        kz_counters global = count(SIM_GLOBAL, SIM_LOAD, bytes, mask, addresses);
        kz_counters shared = count(SIM_SHARED, SIM_LOAD, bytes, mask, addresses);
        assert_int_equal(global.global_sectors, plain_sectors(addresses, mask, bytes));
        assert_int_equal(shared.shared_wavefronts, plain_wavefronts(addresses, mask, bytes));
        assert_true(global.global_ideal_sectors <= global.global_sectors && global.global_ideal_sectors >= 1);
        assert_true(shared.shared_ideal_wavefronts <= shared.shared_wavefronts);
    }
}

static void shared_strides(void **state) {
    expect_wavefronts(strided(SIM_SHARED, 4, ALL, 0, 4), 1, 1);
    expect_wavefronts(strided(SIM_SHARED, 4, ALL, 0, 8), 2, 1);
    expect_wavefronts(strided(SIM_SHARED, 4, ALL, 0, 32 * 4), 32, 1); // a column of a 32 x 32 tile
    expect_wavefronts(strided(SIM_SHARED, 4, ALL, 0, 33 * 4), 1, 1);  // the same, padded to 33
    expect_wavefronts(strided(SIM_SHARED, 4, ALL, 0, 16 * 4), 16, 1);
    expect_wavefronts(strided(SIM_SHARED, 4, ALL, 0, 3 * 4), 1, 1);
    expect_wavefronts(strided(SIM_SHARED, 4, ALL, 64, 0), 1, 1); // broadcast
    expect_wavefronts(strided(SIM_SHARED, 4, ALL, 4096, -128), 32, 1);
    expect_wavefronts(strided(SIM_SHARED, 1, ALL, 0, 1), 1, 1); // four lanes share a word
    expect_wavefronts(strided(SIM_SHARED, 2, ALL, 0, 2), 1, 1);
    expect_wavefronts(strided(SIM_SHARED, 4, 0xff, 0, 32 * 4), 8, 1); // eight lanes of a column
}

static void shared_wide(void **state) {
    expect_wavefronts(strided(SIM_SHARED, 8, ALL, 0, 8), 2, 2);   // double, float2: by half warps
    expect_wavefronts(strided(SIM_SHARED, 16, ALL, 0, 16), 4, 4); // float4: by quarter warps
    expect_wavefronts(strided(SIM_SHARED, 16, ALL, 0, 32), 8, 4); // every second float4
    expect_wavefronts(strided(SIM_SHARED, 8, ALL, 0, 32 * 8), 32, 2);
    expect_wavefronts(strided(SIM_SHARED, 16, 0xff, 0, 16), 1, 1);
    expect_wavefronts(strided(SIM_SHARED, 8, 0xffff0000, 0, 8), 1, 1);
}

static void shared_tile(void **state) {
    uint64_t row_broadcast[32], repeated[32];
    for (int i = 0; i < 32; i++) {
        row_broadcast[i] = (uint64_t)(i / 16) * 64; // a[ty][k] of a 16 x 16 tile: two words
        repeated[i] = (uint64_t)(i % 16) * 4;       // b[k][tx]: 16 words, each twice
    }
    expect_wavefronts(count(SIM_SHARED, SIM_LOAD, 4, ALL, row_broadcast), 1, 1);
    expect_wavefronts(count(SIM_SHARED, SIM_LOAD, 4, ALL, repeated), 1, 1);
}

static void atomics(void **state) {
    uint64_t same[32], apart[32], four[32];
    for (int i = 0; i < 32; i++) {
        same[i] = 4096;
        apart[i] = 4096 + (uint64_t)i * 4;
        four[i] = 4096 + (uint64_t)((i * 5) % 4) * 4;
    }
    kz_counters sums = count(SIM_GLOBAL, SIM_ATOMIC, 4, ALL, same);
    assert_int_equal(sums.atomic_requests, 1);
    assert_int_equal(sums.atomic_lane_conflicts, 31);
    expect_sectors(sums, 32, 1); // 32 turns, where one would do
    assert_int_equal(count(SIM_GLOBAL, SIM_ATOMIC, 4, 1, same).atomic_lane_conflicts, 0);
    assert_int_equal(count(SIM_GLOBAL, SIM_ATOMIC, 4, ALL, apart).atomic_lane_conflicts, 0);
    assert_int_equal(count(SIM_SHARED, SIM_ATOMIC, 4, ALL, four).atomic_lane_conflicts, 28);
    assert_int_equal(count(SIM_SHARED, SIM_ATOMIC, 4, ALL, four).shared_requests, 1);
    assert_int_equal(count(SIM_GLOBAL, SIM_LOAD, 4, ALL, same).atomic_requests, 0);
}

static void other_spaces_do_not_count(void **state) {
    kz_counters sums = strided(SIM_LOCAL, 4, ALL, 0, 4);
    assert_int_equal(sums.global_requests + sums.shared_requests, 0);
    sums = strided(SIM_GLOBAL, 4, 0, 4096, 4); // nobody takes part
    assert_int_equal(sums.global_requests, 0);
}

static void forks_fold_back(void **state) {
    observe_counters *counters = observe_counters_open();
    sim_listener *listener = observe_counters_listener(counters);
    listener->block_begin(listener, 0, 4);
    listener->run(listener, NULL, 10, 0, 0, ALL);
    sim_listener *child = listener->fork(listener);
    assert_non_null(child);
    child->block_begin(child, 1, 4);
    child->run(child, NULL, 5, 1, 0, 0xf);
    child->sync(child, &(sim_sync){.kind = SIM_ARRIVE, .is_barrier = true, .at = {.block = 1, .mask = ALL}});
    kz_counters sums = {.valid = true, .launches = 7};
    observe_counters_read(counters, &sums);
    assert_int_equal(sums.blocks, 1); // the child's are its own until it joins
    listener->join(listener, child);
    observe_counters_read(counters, &sums);
    assert_true(sums.valid);
    assert_int_equal(sums.launches, 7);
    assert_int_equal(sums.blocks, 2);
    assert_int_equal(sums.warps, 8);
    assert_int_equal(sums.warp_instructions, 15);
    assert_int_equal(sums.thread_instructions, 320 + 20);
    assert_int_equal(sums.barriers, 1);
    observe_counters_reset(counters);
    observe_counters_read(counters, &sums);
    assert_int_equal(sums.blocks + sums.warp_instructions + sums.barriers, 0);
    observe_counters_close(counters);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_strides),
        cmocka_unit_test(global_masks),
        cmocka_unit_test(global_irregular),
        cmocka_unit_test(agrees_with_plain_count),
        cmocka_unit_test(shared_strides),
        cmocka_unit_test(shared_wide),
        cmocka_unit_test(shared_tile),
        cmocka_unit_test(atomics),
        cmocka_unit_test(other_spaces_do_not_count),
        cmocka_unit_test(forks_fold_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
