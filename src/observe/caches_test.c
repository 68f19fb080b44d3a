// The cache model, on streams of addresses whose hits can be counted by hand.
#include <stdlib.h>

#include "observe/caches.h"
#include "unit.h"

#define ALL UINT32_MAX

static const ptx_inst plain = {.op = PTX_OP_LD};

typedef struct lab {
    observe_profiles profiles;
    observe_profile profile;
    observe_caches *caches;
    sim_listener *listener;
    sim_launch launch;
    sim_launch_event event;
} lab;

static void begin(lab *l, uint32_t shared) {
    l->launch = (sim_launch){.grid = {264, 1, 1}, .block = {256, 1, 1}};
    l->event = (sim_launch_event){.launch = &l->launch, .shared_bytes = shared};
    l->profiles.current = &l->profile;
    l->listener->launch_begin(l->listener, &l->event);
}

static void open_lab(lab *l) {
    memset(l, 0, sizeof *l);
    l->profiles.gpu = (observe_gpu){.key = "test",
                                    .sm = 86, // its L2 is one
                                    .multiprocessors = 132,
                                    .l1_bytes = 256 << 10,
                                    .l2_bytes = 1 << 20,
                                    .max_threads = 2048,
                                    .max_blocks = 32,
                                    .shared_bytes = 228 << 10};
    l->caches = observe_caches_open(&l->profiles);
    assert_non_null(l->caches);
    l->listener = observe_caches_listener(l->caches);
    assert_null(l->listener->fork); // what it says must not depend on the number of cores
    begin(l, 0);
}

static observe_cache_sums end(lab *l) {
    l->listener->launch_end(l->listener, KZ_OK);
    assert_true(l->profile.caches.valid);
    return l->profile.caches;
}

static void touch(lab *l, const ptx_inst *inst, sim_access_kind kind, sim_space space, uint32_t block,
                  uint64_t base, uint64_t stride) {
    uint64_t a[32];
    for (int i = 0; i < 32; i++) a[i] = base + stride * (uint64_t)i;
    sim_access access = {.at = {.inst = inst, .block = block, .mask = ALL},
                         .kind = kind,
                         .space = space,
                         .bytes = 4,
                         .addresses = a};
    l->listener->access(l->listener, &access);
}

static void load(lab *l, uint32_t block, uint64_t base) {
    touch(l, &plain, SIM_LOAD, SIM_GLOBAL, block, base, 4);
}

static void a_line_read_again(void **state) {
    lab l;
    open_lab(&l);
    load(&l, 0, 4096);      // misses everywhere: 4 sectors
    load(&l, 0, 4096);      // hits L1
    load(&l, 132, 4096);    // another block on the same multiprocessor
    load(&l, 1, 4096);      // another multiprocessor: hits L2
    load(&l, 0, 4096 + 64); // half of it is new
    observe_cache_sums s = end(&l);
    assert_int_equal(s.l1_sectors, 20);
    assert_int_equal(s.l1_hits, 8 + 2);
    assert_int_equal(s.l2_sectors, 4 + 4 + 2);
    assert_int_equal(s.l2_hits, 4);
    assert_int_equal(s.dram_read_bytes, 32 * 6);
    assert_int_equal(s.dram_write_bytes, 0);
    observe_caches_close(l.caches);
}

static void stores_go_through(void **state) {
    lab l;
    open_lab(&l);
    touch(&l, &plain, SIM_STORE, SIM_GLOBAL, 0, 4096, 4); // not kept in L1, no read for it
    touch(&l, &plain, SIM_STORE, SIM_GLOBAL, 0, 4096, 4);
    load(&l, 0, 4096); // so it comes from L2
    load(&l, 0, 4096);
    observe_cache_sums s = end(&l);
    assert_int_equal(s.l1_sectors, 8);
    assert_int_equal(s.l1_hits, 4);
    assert_int_equal(s.l2_sectors, 12);
    assert_int_equal(s.l2_hits, 8);
    assert_int_equal(s.dram_read_bytes, 0);
    assert_int_equal(s.dram_write_bytes, 128); // once, however often it was written
    observe_caches_close(l.caches);
}

static void what_skips_l1(void **state) {
    lab l;
    open_lab(&l);
    ptx_inst direct = plain;
    direct.by_category[PTX_CAT_CACHE] = PTX_MOD_CG;
    touch(&l, &direct, SIM_LOAD, SIM_GLOBAL, 0, 4096, 4);
    direct = plain;
    direct.by_category[PTX_CAT_ORDER] = PTX_MOD_VOLATILE;
    touch(&l, &direct, SIM_LOAD, SIM_GLOBAL, 0, 4096, 4);
    touch(&l, &plain, SIM_ATOMIC, SIM_GLOBAL, 0, 4096, 4);
    touch(&l, &plain, SIM_LOAD, SIM_SHARED, 0, 0, 4); // not memory of this kind
    observe_cache_sums s = end(&l);
    assert_int_equal(s.l1_sectors, 0);
    assert_int_equal(s.l2_sectors, 12);
    assert_int_equal(s.l2_hits, 8);
    observe_caches_close(l.caches);
}

static void caches_are_finite(void **state) {
    lab l;
    open_lab(&l);
    // 512 KiB round and round: more than L1's 256 KiB, less than L2's 1 MiB.
    for (int round = 0; round < 2; round++)
        for (uint64_t at = 0; at < 512 << 10; at += 128) load(&l, 0, (1 << 20) + at);
    observe_cache_sums s = end(&l);
    assert_int_equal(s.l1_bytes, 256 << 10);
    assert_true(s.l1_hits < s.l1_sectors / 10);
    assert_true(s.l2_hits > s.l2_sectors * 4 / 10); // the second round, but for sets that are too full
    observe_caches_close(l.caches);
    open_lab(&l);
    for (uint64_t at = 0; at < 4 << 20; at += 128)
        touch(&l, &plain, SIM_STORE, SIM_GLOBAL, 0, (1 << 20) + at, 4);
    s = end(&l);
    assert_int_equal(s.dram_write_bytes, 4 << 20); // what was thrown out, and what is left
    observe_caches_close(l.caches);
}

// Shared memory takes its part: two blocks of 40 KiB per multiprocessor need the step of 100 KiB.
static void the_carve_out(void **state) {
    lab l;
    open_lab(&l);
    begin(&l, 40 << 10);
    observe_cache_sums s = end(&l);
    assert_int_equal(s.l1_bytes, (256 - 100) << 10);
    observe_caches_close(l.caches);
}

static void l2_lives_on(void **state) {
    lab l;
    open_lab(&l);
    load(&l, 0, 4096);
    end(&l);
    begin(&l, 0);
    load(&l, 0, 4096);
    observe_cache_sums s = end(&l); // both launches together
    assert_int_equal(s.l1_hits, 0);
    assert_int_equal(s.l2_hits, 4);
    assert_int_equal(s.dram_read_bytes, 128);
    observe_caches_close(l.caches);
}

static void write_by_host(lab *l, uint64_t address, uint64_t bytes) {
    const sim_memory_event event = {.kind = SIM_MEMORY_HOST_WRITE, .address = address, .bytes = bytes};
    l->listener->memory(l->listener, &event);
}

// What a copy or a fill wrote is there; a fill that is larger than L2 leaves nothing else.
static void l2_has_what_the_host_wrote(void **state) {
    lab l;
    open_lab(&l);
    write_by_host(&l, 4096, 256);
    load(&l, 0, 4096);
    assert_int_equal(end(&l).l2_hits, 4);
    write_by_host(&l, 1 << 24, 4 << 20);
    begin(&l, 0);
    load(&l, 0, 4096);
    assert_int_equal(end(&l).l2_hits, 4); // no more than before
    observe_caches_close(l.caches);
    open_lab(&l);
    observe_caches_keep_host_out(l.caches);
    assert_null(l.listener->memory);
    observe_caches_close(l.caches);
}

// Each half of an H200's L2 keeps what its own multiprocessors read; what one has, the other need not fetch.
static void two_halves(void **state) {
    lab l;
    open_lab(&l);
    observe_caches_close(l.caches);
    l.profiles.gpu.sm = 90;
    l.caches = observe_caches_open(&l.profiles);
    l.listener = observe_caches_listener(l.caches);
    begin(&l, 0);
    load(&l, 0, 4096);
    load(&l, 1, 4096); // the other half
    assert_int_equal(end(&l).dram_read_bytes, 128);
    begin(&l, 0);
    for (uint64_t at = 0; at < 768 << 10; at += 128) // three quarters of L2, by one half
        for (uint32_t block = 0; block < 2; block++) load(&l, block, (1 << 20) + at);
    uint64_t first = end(&l).dram_read_bytes;
    begin(&l, 0);
    for (uint64_t at = 0; at < 768 << 10; at += 128) load(&l, 0, (1 << 20) + at);
    assert_true(end(&l).dram_read_bytes > first + (128 << 10)); // it was there twice, as far as it went
    observe_caches_close(l.caches);
}

// A sector that is written in part is fetched first, and DRAM moves two sectors for one.
static void sectors_written_in_part(void **state) {
    lab l;
    open_lab(&l);
    touch(&l, &plain, SIM_STORE, SIM_GLOBAL, 0, 4096, 128); // 4 bytes of each line
    assert_int_equal(end(&l).dram_read_bytes, 32 * 64);
    observe_caches_close(l.caches);
}

// 2 blocks take turns: what one fills, the other fills too, so that half of L1 is left for lines of one block.
static void resident_blocks_share_l1(void **state) {
    lab l;
    open_lab(&l);
    for (int round = 0; round < 2; round++)
        for (uint64_t at = 0; at < 192 << 10; at += 128) load(&l, 0, (1 << 20) + at);
    observe_cache_sums s = end(&l);
    assert_true(s.l1_hits < s.l1_sectors / 10);
    observe_caches_close(l.caches);
    open_lab(&l);
    for (int round = 0; round < 2; round++)
        for (uint64_t at = 0; at < 64 << 10; at += 128) load(&l, 0, (1 << 20) + at);
    s = end(&l);
    assert_true(s.l1_hits > s.l1_sectors * 4 / 10);
    observe_caches_close(l.caches);
}

static void local_memory_is_woven(void **state) {
    lab l;
    open_lab(&l);
    touch(&l, &plain, SIM_LOAD, SIM_LOCAL, 0, 8, 0);   // the same variable of all lanes: 128 bytes
    touch(&l, &plain, SIM_LOAD, SIM_LOCAL, 264, 8, 0); // two blocks are resident: the third uses the same
    touch(&l, &plain, SIM_LOAD, SIM_LOCAL, 1, 8, 0);
    observe_cache_sums s = end(&l);
    assert_int_equal(s.l1_sectors, 12);
    assert_int_equal(s.l1_hits, 4);
    assert_int_equal(s.dram_read_bytes, 256);
    observe_caches_close(l.caches);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_read_again),
        cmocka_unit_test(stores_go_through),
        cmocka_unit_test(what_skips_l1),
        cmocka_unit_test(caches_are_finite),
        cmocka_unit_test(the_carve_out),
        cmocka_unit_test(l2_lives_on),
        cmocka_unit_test(l2_has_what_the_host_wrote),
        cmocka_unit_test(two_halves),
        cmocka_unit_test(sectors_written_in_part),
        cmocka_unit_test(resident_blocks_share_l1),
        cmocka_unit_test(local_memory_is_woven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
