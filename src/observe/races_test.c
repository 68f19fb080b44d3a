// The race detector, fed by hand: what it knows, and what it says to events that come in some order.
#include <stdlib.h>

#include "observe/races.h"
#include "unit.h"

// ---- what is known ---------------------------------------------------------------------------------------

static observe_known *one(unsigned levels, uint32_t block, uint16_t slot, uint16_t lane, uint32_t clock) {
    observe_fact fact = {slot, lane, clock};
    return observe_known_of(levels, block, 0, &fact, 1);
}

static void facts_are_found_again(void **state) {
    for (unsigned levels = 0; levels < 3; levels++) {
        uint32_t block = levels ? 17u * levels : 0;
        observe_known *known = one(levels, block, 3, 7, 100);
        assert_true(observe_known_holds(known, block, 3, 7, 100));
        assert_false(observe_known_holds(known, block, 3, 7, 101));
        assert_false(observe_known_holds(known, block, 3, 8, 1));
        assert_false(observe_known_holds(known, block, 4, 7, 1));
        if (levels) assert_false(observe_known_holds(known, block + 1, 3, 7, 1));
        observe_known_drop(known);
    }
    assert_int_equal(observe_known_levels(1), 0);
    assert_int_equal(observe_known_levels(32), 1);
    assert_int_equal(observe_known_levels(33), 2);
}

static void joins_hold_both_and_share(void **state) {
    observe_known *a = one(2, 5, 0, 1, 10), *b = one(2, 700, 0, OBSERVE_ALL_LANES, 20);
    observe_known *joined = observe_known_keep(a);
    assert_true(observe_known_absorb(&joined, b));
    assert_true(observe_known_holds(joined, 5, 0, 1, 10));
    assert_true(observe_known_holds(joined, 700, 0, 31, 20));
    observe_known *again = observe_known_keep(joined);
    assert_true(observe_known_absorb(&again, a)); // nothing new: the same tree
    assert_ptr_equal(again, joined);
    assert_true(observe_known_absorb(&b, joined)); // contained in it: becomes it
    assert_ptr_equal(b, joined);
    observe_known_drop(again);
    observe_known_drop(joined);
    observe_known_drop(a);
    observe_known_drop(b);
}

static void the_block_stands_for_its_threads_but_not_for_copies(void **state) {
    observe_known *known = observe_known_of(0, 0, 50, NULL, 0), *copy = one(0, 0, 32, 4, 9);
    assert_true(observe_known_absorb(&known, copy));
    assert_true(observe_known_holds(known, 0, 31, 31, 50));
    assert_false(observe_known_holds(known, 0, 32, 5, 1));
    assert_true(observe_known_holds(known, 0, 32, 4, 9));
    observe_known_drop(known);
    observe_known_drop(copy);
}

// ---- what is remembered ----------------------------------------------------------------------------------

static void cells_of_16_bytes_become_words(void **state) {
    races_budget budget;
    observe_races_budget_open(&budget);
    races_shadow shadow = {
        .birth = 1, .budget = &budget, .page_count = 2, .pages = calloc(2, sizeof(void *))};
    races_page *page = observe_races_page_of(&shadow, 1, 16, 16);
    assert_int_equal(page->shift, 4);
    races_cell cell = {.write_clock = 7, .write_who = 3};
    assert_non_null(observe_races_list_of(&shadow, &cell));
    observe_races_cell_store(page, 5, &cell);
    assert_ptr_equal(observe_races_page_of(&shadow, 1, 16, 4), page); // 16 bytes of a thread: good enough
    page = observe_races_page_of(&shadow, 1, 4, 4);
    assert_int_equal(page->shift, 2);
    for (uint32_t i = 0; i < RACES_PAGE_BYTES / 4; i++) {
        races_cell word = observe_races_cell_load(page, i);
        assert_int_equal(word.write_clock, i / 4 == 5 ? 7 : 0);
        assert_int_equal(observe_races_has_list(&word, 1), i / 4 == 5);
        if (i / 4 == 5) assert_int_equal(word.read_who, i % 4); // each a list of its own
    }
    assert_int_equal(observe_races_page_of(&shadow, 0, 16, 4)->shift,
                     2); // a thread's are words from the start
    observe_races_shadow_close(&shadow);
}

// ---- events ----------------------------------------------------------------------------------------------

typedef struct bench {
    ptx_module *module;
    const ptx_inst *load, *store, *barrier, *warp_sync, *atomic;
    observe_findings *findings;
    observe_detector *races;
    uint64_t addresses[32];
} bench;

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.shared .align 4 .b8 s[4096];\n"
                           "ld.shared.u32 %r1, [s];\nst.shared.u32 [s], %r1;\nbar.sync 0;\n"
                           "bar.warp.sync -1;\natom.shared.add.u32 %r2, [s], 1;\nret;\n}\n";

static void begin(bench *b, uint32_t blocks, uint32_t threads) {
    kz_error error = {0};
    assert_int_equal(ptx_module_open("test.ptx", text, sizeof text - 1, &b->module, &error), KZ_OK);
    const ptx_function *entry = ptx_find_function(b->module, "k");
    b->load = &entry->insts[0];
    b->store = &entry->insts[1];
    b->barrier = &entry->insts[2];
    b->warp_sync = &entry->insts[3];
    b->atomic = &entry->insts[4];
    b->findings = observe_findings_open();
    b->races = observe_races_open(b->findings);
    assert_non_null(b->races);
    sim_launch launch = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    sim_launch_event event = {.module = b->module,
                              .entry = entry,
                              .launch = &launch,
                              .shared_bytes = 4096,
                              .static_shared_bytes = 4096};
    observe_findings_launch(b->findings, &event);
    b->races->listener.launch_begin(&b->races->listener, &event);
    for (uint32_t i = 0; i < blocks; i++)
        b->races->listener.block_begin(&b->races->listener, i, (threads + 31) / 32);
}

static size_t end(bench *b, observe_severity at_least) {
    b->races->listener.launch_end(&b->races->listener, KZ_OK);
    size_t count = observe_findings_count(b->findings, at_least);
    b->races->close(b->races);
    observe_findings_close(b->findings);
    ptx_module_close(b->module);
    return count;
}

// Lane i accesses 4 bytes at `first + step * i`.
static void touch(bench *b, const ptx_inst *inst, uint32_t block, uint32_t warp, uint32_t mask,
                  uint64_t first, uint64_t step, sim_space space) {
    for (uint32_t i = 0; i < 32; i++) b->addresses[i] = first + step * i;
    b->races->listener.access(&b->races->listener,
                              &(sim_access){.at = {.inst = inst, .block = block, .warp = warp, .mask = mask},
                                            .kind = inst == b->load     ? SIM_LOAD
                                                    : inst == b->atomic ? SIM_ATOMIC
                                                                        : SIM_STORE,
                                            .space = space,
                                            .bytes = 4,
                                            .addresses = b->addresses});
}

static void sync(bench *b, sim_sync_kind kind, uint32_t block, uint32_t warp, uint32_t mask) {
    const ptx_inst *inst = kind == SIM_WARP_SYNC ? b->warp_sync : b->barrier;
    b->races->listener.sync(&b->races->listener,
                            &(sim_sync){.at = {.inst = inst, .block = block, .warp = warp, .mask = mask},
                                        .kind = kind,
                                        .object = (uint64_t)block << 32,
                                        .is_barrier = kind != SIM_WARP_SYNC});
}

static void barrier(bench *b, uint32_t block, uint32_t warps) {
    for (uint32_t w = 0; w < warps; w++) sync(b, SIM_ARRIVE, block, w, UINT32_MAX);
    for (uint32_t w = 0; w < warps; w++) sync(b, SIM_PASS, block, w, UINT32_MAX);
}

static void warps_race_without_a_barrier(void **state) {
    for (int with = 0; with < 2; with++)
        for (int scattered = 0; scattered < 2; scattered++) { // the quick way and the slow one
            bench b = {0};
            uint64_t step = scattered ? 8 : 4;
            begin(&b, 1, 64);
            touch(&b, b.store, 0, 0, UINT32_MAX, 0, step, SIM_SHARED);
            if (with) barrier(&b, 0, 2);
            touch(&b, b.load, 0, 1, UINT32_MAX, 0, step, SIM_SHARED);
            assert_int_equal(end(&b, OBSERVE_ERROR), with ? 0 : 1);
        }
}

static void readers_race_with_a_later_write(void **state) {
    for (uint32_t readers = 1; readers <= 3; readers++)
        for (int with = 0; with < 2; with++) {
            bench b = {0};
            begin(&b, 1, 128);
            for (uint32_t w = 0; w < readers; w++) touch(&b, b.load, 0, w, UINT32_MAX, 64, 0, SIM_SHARED);
            if (with) barrier(&b, 0, 4);
            touch(&b, b.store, 0, 3, 1, 64, 0, SIM_SHARED);
            assert_int_equal(end(&b, OBSERVE_ERROR), with ? 0 : 1);
        }
}

static void lanes_race_until_they_meet(void **state) {
    for (int met = 0; met < 3; met++) { // not; half of the warp; all of it
        bench b = {0};
        begin(&b, 1, 32);
        touch(&b, b.store, 0, 0, UINT32_MAX, 0, 4, SIM_SHARED);
        if (met == 1) sync(&b, SIM_WARP_SYNC, 0, 0, 0xffff);
        if (met == 2) sync(&b, SIM_WARP_SYNC, 0, 0, UINT32_MAX);
        touch(&b, b.load, 0, 0, 0xff, 32, 4, SIM_SHARED); // lanes 0 to 7 read what 8 to 15 wrote
        if (met == 1) touch(&b, b.load, 0, 0, 0xff0000, 0, 4, SIM_SHARED); // their own
        assert_int_equal(end(&b, OBSERVE_ERROR), met ? 0 : 1);
    }
}

static void half_a_warp_does_not_speak_for_the_other(void **state) {
    bench b = {0};
    begin(&b, 1, 32);
    touch(&b, b.store, 0, 0, UINT32_MAX, 0, 4, SIM_SHARED);
    sync(&b, SIM_WARP_SYNC, 0, 0, 0xffff);
    touch(&b, b.load, 0, 0, 0xff, 64, 4, SIM_SHARED); // what lanes 16 to 23 wrote
    assert_int_equal(end(&b, OBSERVE_ERROR), 1);
}

static void one_write_of_many_lanes_is_a_race(void **state) {
    bench b = {0};
    begin(&b, 1, 32);
    touch(&b, b.store, 0, 0, UINT32_MAX, 0, 0, SIM_SHARED);
    assert_int_equal(end(&b, OBSERVE_ERROR), 1);
}

static void atomics_race_with_ordinary_accesses_alone(void **state) {
    bench b = {0};
    begin(&b, 2, 64);
    for (uint32_t block = 0; block < 2; block++)
        for (uint32_t warp = 0; warp < 2; warp++)
            touch(&b, b.atomic, block, warp, UINT32_MAX, 4096, 0, SIM_GLOBAL);
    touch(&b, b.load, 0, 0, 1, 8192, 0, SIM_GLOBAL);
    assert_int_equal(end(&b, OBSERVE_NOTE), 0);
    begin(&b, 2, 64);
    touch(&b, b.atomic, 0, 0, 1, 4096, 0, SIM_GLOBAL);
    touch(&b, b.load, 1, 0, 1, 4096, 0, SIM_GLOBAL);
    assert_int_equal(end(&b, OBSERVE_ERROR), 1);
}

static void blocks_and_launches(void **state) {
    bench b = {0};
    begin(&b, 2, 32);
    touch(&b, b.store, 0, 0, UINT32_MAX, 1 << 20, 4, SIM_GLOBAL);
    barrier(&b, 0, 1);
    touch(&b, b.load, 0, 0, UINT32_MAX, 1 << 20, 4, SIM_GLOBAL); // its own block: in order
    touch(&b, b.store, 0, 0, UINT32_MAX, 0, 4, SIM_SHARED);
    touch(&b, b.load, 1, 0, UINT32_MAX, 0, 4, SIM_SHARED); // another block's shared memory is another
    assert_int_equal(observe_findings_count(b.findings, OBSERVE_NOTE), 0);
    touch(&b, b.load, 1, 0, UINT32_MAX, 1 << 20, 4, SIM_GLOBAL);
    assert_int_equal(end(&b, OBSERVE_ERROR), 1);
}

static void a_launch_forgets_the_one_before(void **state) {
    bench b = {0};
    begin(&b, 2, 32);
    touch(&b, b.store, 0, 0, UINT32_MAX, 1 << 20, 4, SIM_GLOBAL);
    sim_listener *listener = &b.races->listener;
    listener->launch_end(listener, KZ_OK);
    sim_launch launch = {.grid = {2, 1, 1}, .block = {32, 1, 1}};
    sim_launch_event event = {.module = b.module,
                              .entry = ptx_find_function(b.module, "k"),
                              .launch = &launch,
                              .shared_bytes = 4096};
    listener->launch_begin(listener, &event);
    for (uint32_t i = 0; i < 2; i++) listener->block_begin(listener, i, 1);
    touch(&b, b.load, 1, 0, UINT32_MAX, 1 << 20, 4, SIM_GLOBAL);
    touch(&b, b.store, 1, 0, UINT32_MAX, 1 << 20, 4, SIM_GLOBAL);
    assert_int_equal(end(&b, OBSERVE_NOTE), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_found_again),
        cmocka_unit_test(joins_hold_both_and_share),
        cmocka_unit_test(the_block_stands_for_its_threads_but_not_for_copies),
        cmocka_unit_test(cells_of_16_bytes_become_words),
        cmocka_unit_test(warps_race_without_a_barrier),
        cmocka_unit_test(readers_race_with_a_later_write),
        cmocka_unit_test(lanes_race_until_they_meet),
        cmocka_unit_test(half_a_warp_does_not_speak_for_the_other),
        cmocka_unit_test(one_write_of_many_lanes_is_a_race),
        cmocka_unit_test(atomics_race_with_ordinary_accesses_alone),
        cmocka_unit_test(blocks_and_launches),
        cmocka_unit_test(a_launch_forgets_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
