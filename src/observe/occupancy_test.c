// Occupancy against figures that follow from NVIDIA's tables by hand.
#include <stdlib.h>

#include "observe/observe.h"
#include "unit.h"

static const observe_gpu h200 = {.sm = 90,
                                 .multiprocessors = 132,
                                 .max_threads = 2048,
                                 .max_blocks = 32,
                                 .registers = 65536,
                                 .shared_bytes = 228 << 10,
                                 .shared_per_block = 227 << 10};
static const observe_gpu t4 = {.sm = 75,
                               .multiprocessors = 40,
                               .max_threads = 1024,
                               .max_blocks = 16,
                               .registers = 65536,
                               .shared_bytes = 64 << 10,
                               .shared_per_block = 64 << 10};

static observe_occupancy_result of(const observe_gpu *gpu, uint32_t threads, uint32_t registers,
                                   uint32_t shared) {
    return observe_occupancy(
        gpu, &(observe_occupancy_input){
                 .threads = threads, .registers = registers, .shared_static = shared, .blocks = 1000});
}

static void expect(observe_occupancy_result r, uint32_t blocks, double occupancy, const char *limit) {
    assert_int_equal(r.blocks, blocks);
    assert_true(r.occupancy == occupancy);
    assert_string_equal(r.limit, limit);
}

static void each_limit(void **state) {
    expect(of(&h200, 256, 32, 0), 8, 1.0, "warps");
    expect(of(&h200, 32, 16, 0), 32, 0.5, "blocks");
    expect(of(&h200, 256, 64, 0), 4, 0.5, "registers");   // 64 * 32 = 2048 a warp, 32 warps
    expect(of(&h200, 256, 65, 0), 3, 0.375, "registers"); // 2304 a warp: 7 in each quarter, 28 in all
    expect(of(&h200, 1024, 65, 0), 0, 0.0, "registers");  // 32 warps are more than 28: cannot be launched
    expect(of(&h200, 128, 32, 48 << 10), 4, 0.25, "shared memory");   // 49 KiB each of 228
    expect(of(&h200, 128, 32, 57 << 10), 3, 0.1875, "shared memory"); // 58 KiB each with the system's: not 4
    expect(of(&h200, 1024, 32, 227 << 10), 1, 0.5, "shared memory");
    expect(of(&t4, 1024, 64, 0), 1, 1.0, "warps");
    expect(of(&t4, 128, 32, 16 << 10), 4, 0.5, "shared memory"); // nothing is kept back before sm_80
}

static void what_is_not_known(void **state) {
    observe_occupancy_result r = of(&h200, 256, 0, 0);
    assert_false(r.registers_known);
    assert_int_equal(r.by_registers, UINT32_MAX);
    expect(r, 8, 1.0, "warps");
}

static void waves_and_tail(void **state) {
    observe_occupancy_input input = {.threads = 256, .registers = 32, .blocks = 1057};
    observe_occupancy_result r = observe_occupancy(&h200, &input); // 1056 at once
    assert_true(r.waves > 1.0 && r.waves < 1.001);
    assert_int_equal(r.tail, 1);
    input.blocks = 2112;
    assert_int_equal(observe_occupancy(&h200, &input).tail, 0);
    input =
        (observe_occupancy_input){.threads = 33, .blocks = UINT64_C(1) << 40, .shared_dynamic = UINT32_MAX};
    r = observe_occupancy(&h200, &input); // more than there is: nothing fits, nothing overflows
    assert_int_equal(r.blocks, 0);
    assert_string_equal(r.limit, "shared memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_limit), cmocka_unit_test(what_is_not_known),
                                       cmocka_unit_test(waves_and_tail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
