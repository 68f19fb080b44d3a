// Simulated device memory: what is handed out, given back, found and explained.

#include <sys/resource.h>

#include "sim/core.h"
#include "unit.h"

static sim_memory open_memory(uint64_t limit) {
    sim_memory memory;
    kz_error error;
    assert_int_equal(sim_memory_open(&memory, limit, 1 << 20, false, &error), KZ_OK);
    return memory;
}

static void assert_explains(const sim_memory *memory, uint64_t address, uint64_t bytes, const char *words) {
    base_text text = {0};
    sim_memory_explain(memory, address, bytes, &text);
    if (!text.data || !strstr(text.data, words))
        fail_msg("\"%s\" lacks \"%s\"", text.data ? text.data : "", words);
    base_text_free(&text);
}

static void finds_what_is_live(void **state) {
    sim_memory memory = open_memory(1 << 20);
    uint64_t a = sim_memory_suballocate(&memory, 100, NULL), b = sim_memory_suballocate(&memory, 4096, NULL);
    assert_true(a && b && a % 512 == 0 && b >= a + 100 + 512);
    assert_non_null(sim_memory_find(&memory, a, 100));
    assert_non_null(sim_memory_find(&memory, a + 96, 4));
    assert_null(sim_memory_find(&memory, a + 97, 4));
    assert_null(sim_memory_find(&memory, a - 1, 1));
    assert_null(sim_memory_find(&memory, a, UINT64_MAX));
    assert_true(sim_memory_release(&memory, a));
    assert_null(sim_memory_find(&memory, a, 1));
    assert_false(sim_memory_release(&memory, a));
    assert_false(sim_memory_release(&memory, b + 16));
    sim_memory_close(&memory);
}

static void explains_in_words(void **state) {
    sim_memory memory = open_memory(1 << 20);
    uint64_t a = sim_memory_suballocate(&memory, 100, NULL),
             b = sim_memory_suballocate(&memory, 4096, "table");
    assert_explains(&memory, 0, 4, "null pointer");
    assert_explains(&memory, 64, 4, "plus an offset");
    assert_explains(&memory, a + 100, 4, "just past the end of a buffer (100 bytes");
    assert_explains(&memory, a + 98, 4, "the last 2 of the 4 bytes");
    assert_explains(&memory, b - 8, 4, "8 bytes before the start of table");
    assert_explains(&memory, UINT64_C(0x7fff00001000), 4, "host pointer");
    assert_explains(&memory, UINT64_C(0x3), 4, "null pointer");
    assert_explains(&memory, UINT64_C(0x123456789012345), 4, "not initialised");
    sim_memory_release(&memory, a);
    assert_explains(&memory, a + 50, 4, "was freed");
    assert_explains(&memory, a + 104, 4, "4 bytes past the end of what was freed: a buffer");
    sim_memory_close(&memory);
}

static void room_is_limited_and_used_again(void **state) {
    sim_memory memory = open_memory(1 << 16);
    assert_int_equal(sim_memory_suballocate(&memory, (1 << 16) + 1, NULL), 0);
    uint64_t whole = sim_memory_suballocate(&memory, 1 << 16, NULL);
    assert_true(whole);
    assert_int_equal(sim_memory_suballocate(&memory, 1, NULL), 0);
    // Far more in all than there is address space: freed room has to come back, and never overlaps what is
    // live.
    sim_memory_release(&memory, whole);
    uint64_t keep = sim_memory_suballocate(&memory, 1000, NULL);
    for (int i = 0; i < 20000; i++) {
        uint64_t next = sim_memory_suballocate(&memory, 60000, NULL);
        assert_true(next);
        assert_true(next + 60000 <= keep || next >= keep + 1000);
        assert_true(sim_memory_release(&memory, next));
    }
    assert_non_null(sim_memory_find(&memory, keep, 1000));
    sim_memory_close(&memory);
}

// One address for both sides, whole pages of its own, and nothing left of it when it is freed.
static void host_sees_what_is_visible(void **state) {
    sim_memory memory;
    kz_error error;
    assert_int_equal(sim_memory_open(&memory, 1 << 20, 1 << 20, true, &error), KZ_OK);
    uint64_t hidden = sim_memory_suballocate(&memory, 100, NULL),
             seen = sim_memory_suballocate_visible(&memory, 5000, NULL),
             next = sim_memory_suballocate(&memory, 100, NULL);
    assert_true(hidden && seen && next && seen % 4096 == 0 && next >= seen + 8192);
    volatile char *host = (volatile char *)(uintptr_t)seen;
    host[4999] = 7;
    assert_int_equal(sim_memory_host(&memory, seen)[4999], 7);
    sim_memory_host(&memory, seen)[0] = 9;
    assert_int_equal(host[0], 9);
    assert_non_null(sim_memory_find(&memory, seen + 4999, 1));
    assert_true(sim_memory_release(&memory, seen));
    assert_null(sim_memory_find(&memory, seen, 1));
    assert_int_equal(sim_memory_host(&memory, seen)[0], 0);
    sim_memory_close(&memory);
}

// A limit on files, which those who run untrusted programs set, neither ends the process nor takes the view away.
static void a_limit_on_files_is_not_about_memory(void **state) {
    sim_memory memory;
    kz_error error;
    struct rlimit before, low, after;
    getrlimit(RLIMIT_FSIZE, &before);
    low = (struct rlimit){.rlim_cur = 4096, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &low);
    kz_status status = sim_memory_open(&memory, 1 << 20, 1 << 20, true, &error);
    getrlimit(RLIMIT_FSIZE, &after);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, KZ_OK);
    assert_int_equal(after.rlim_cur, 4096);
    assert_true(memory.host_view);
    sim_memory_close(&memory);
}

static void registered_memory_is_at_its_own_address(void **state) {
    sim_machine *machine;
    kz_error error;
    int mine[16] = {0};
    uint64_t at = (uint64_t)(uintptr_t)mine;
    assert_int_equal(sim_machine_open(&(sim_config){.sm = 90, .memory_bytes = 1 << 20}, &machine, &error),
                     KZ_OK);
    assert_int_equal(sim_memory_register(machine, at, mine, sizeof mine, true, &error), KZ_OK);
    assert_int_equal(sim_memory_register(machine, at + 16, mine + 4, 4, true, &error), KZ_BUSY);
    assert_ptr_equal(sim_memory_registered(&machine->memory, at + 60, 4, false), mine + 15);
    assert_null(sim_memory_registered(&machine->memory, at + 60, 8, false));
    assert_null(sim_memory_registered(&machine->memory, at, 4, true)); // read only
    assert_int_equal(sim_memory_unregister(machine, at, &error), KZ_OK);
    assert_int_equal(sim_memory_unregister(machine, at, &error), KZ_INVALID);
    assert_null(sim_memory_registered(&machine->memory, at, 4, false));
    sim_machine_close(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_live),
        cmocka_unit_test(explains_in_words),
        cmocka_unit_test(room_is_limited_and_used_again),
        cmocka_unit_test(host_sees_what_is_visible),
        cmocka_unit_test(a_limit_on_files_is_not_about_memory),
        cmocka_unit_test(registered_memory_is_at_its_own_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
