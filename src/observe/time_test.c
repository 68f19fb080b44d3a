// The model of time: what a resource takes, where atomics meet, what a warp waits for, and which rows help.
#include <math.h>
#include <stdlib.h>

#include "observe/contention.h"
#include "observe/padding.h"
#include "observe/scoreboard.h"
#include "observe/time.h"
#include "unit.h"

static const observe_gpu h200 = {.key = "h200",
                                 .sm = 90,
                                 .multiprocessors = 132,
                                 .bandwidth = 4.8e12,
                                 .flops_f32 = 66.9e12,
                                 .flops_f64 = 33.5e12,
                                 .flops_f16 = 133.8e12,
                                 .clock = 1.98e9,
                                 .max_threads = 2048,
                                 .max_blocks = 32,
                                 .registers = 65536,
                                 .shared_bytes = 228 << 10};

static observe_time time_of(const observe_sums *sums, uint64_t blocks) {
    const observe_launch launch = {&h200, {.threads = 256, .blocks = blocks}, {0}, 1};
    return observe_time_of(&launch, sums);
}

static void a_kernel_that_does_nothing(void **state) {
    const observe_sums none = {0};
    observe_time t = time_of(&none, 1);
    assert_true(fabs(t.launch - observe_time_empty()) < 0.1e-6); // measured: 2.75 us
    assert_true(t.share < 0.01);
}

// 1 GB read takes what kz microbench measured, and as much again for each GB more.
static void bytes_of_dram(void **state) {
    observe_sums sums = {0};
    sums.value[OBSERVE_SUM_DRAM_READ] = 1000000000;
    observe_time t = time_of(&sums, 132 * 8);
    assert_true(fabs(t.resource[OBSERVE_BY_DRAM] * 4.64e12 / 1e9 - 1) < 0.01);
    assert_true(t.kernel >= t.resource[OBSERVE_BY_DRAM] && t.kernel < 1.05 * t.resource[OBSERVE_BY_DRAM]);
    sums.value[OBSERVE_SUM_WRITTEN_BACK] = 1000000000; // a copy: mixing costs
    assert_true(time_of(&sums, 132 * 8).resource[OBSERVE_BY_DRAM] > 2.2 * t.resource[OBSERVE_BY_DRAM]);
}

// The SM that has two blocks decides: 133 blocks take as long as 264.
static void the_last_block(void **state) {
    observe_sums sums = {0};
    sums.value[OBSERVE_SUM_ISSUE] = 133 * 100000;
    double one_more = time_of(&sums, 133).resource[OBSERVE_BY_ISSUE];
    sums.value[OBSERVE_SUM_ISSUE] = 264 * 100000;
    assert_true(fabs(one_more / time_of(&sums, 264).resource[OBSERVE_BY_ISSUE] - 1) < 0.01);
}

// Of a kernel and of its lines: the parts of a resource add up.
static void parts_add_up(void **state) {
    observe_sums all = {0}, part = {0};
    all.value[OBSERVE_SUM_ISSUE] = 3000000;
    all.value[OBSERVE_SUM_WAITS] = 400;
    all.value[OBSERVE_SUM_SAMPLED_BLOCKS] = 1;
    all.value[OBSERVE_SUM_SAMPLED_CLOCKS] = 50000;
    part.value[OBSERVE_SUM_ISSUE] = 1000000;
    part.value[OBSERVE_SUM_WAITS] = 300;
    const observe_launch launch = {&h200, {.threads = 256, .blocks = 1056}, {0}, 1};
    double resource[OBSERVE_RESOURCES];
    observe_time whole = observe_time_of(&launch, &all);
    observe_time_of_part(&launch, &all, &part, resource);
    assert_true(fabs(resource[OBSERVE_BY_ISSUE] * 3 / whole.resource[OBSERVE_BY_ISSUE] - 1) < 1e-9);
    assert_true(fabs(resource[OBSERVE_BY_LATENCY] / 0.75 / whole.resource[OBSERVE_BY_LATENCY] - 1) < 1e-9);
}

// ---- atomics ---------------------------------------------------------------------------------------------------

static uint64_t add_by(observe_contention *c, ptx_type type, uint32_t addresses, uint64_t base) {
    ptx_inst inst = {.op = PTX_OP_RED, .type_count = 1, .types = {type}};
    uint64_t at[32];
    for (uint32_t i = 0; i < 32; i++) at[i] = base + 4 * (i % addresses);
    return observe_contention_add(c,
                                  &(sim_access){.at = {.inst = &inst, .mask = UINT32_MAX},
                                                .kind = SIM_ATOMIC,
                                                .space = SIM_GLOBAL,
                                                .bytes = 4,
                                                .addresses = at},
                                  false);
}

static uint64_t most_of(ptx_type type, uint32_t addresses, uint64_t step) {
    observe_contention *c = observe_contention_open();
    observe_contention_begin(c);
    for (uint64_t i = 0; i < 100; i++) add_by(c, type, addresses, 4096 + i * step);
    uint64_t most = observe_contention_most(c);
    observe_contention_begin(c);
    assert_int_equal(observe_contention_most(c), 0);
    observe_contention_close(c);
    return most;
}

// Requests of one, three and 32 addresses meet at the same place, whatever each warp's own addresses are.
static void atomics_meet_over_the_grid(void **state) {
    uint64_t one = most_of(PTX_U32, 1, 0), three = most_of(PTX_U32, 3, 0), all = most_of(PTX_U32, 32, 0);
    assert_int_equal(one, 100 * 32 * 23);
    assert_true(three * 2 < one && three * 4 > one);
    assert_true(all < three && all * 20 > one);
    assert_true(most_of(PTX_F32, 1, 0) > 2 * one);     // floats take longer
    assert_true(most_of(PTX_U32, 1, 4096) * 50 < one); // an address for each warp: nobody meets
}

// ---- the scoreboard ----------------------------------------------------------------------------------------------

enum { CHAIN = 100 };

// r1 = r1 * r2 + r2, or r[i] = r0 * r0 + r0: dependent, or not.
static uint64_t clocks_of(bool dependent) {
    static ptx_operand operands[CHAIN][4];
    static ptx_inst insts[CHAIN];
    static observe_inst_info infos[CHAIN];
    for (int i = 0; i < CHAIN; i++) {
        for (int k = 0; k < 4; k++)
            operands[i][k] = (ptx_operand){.kind = PTX_OPERAND_REG,
                                           .reg = dependent ? 1
                                                  : k       ? 0
                                                            : 2 + i,
                                           .second = -1};
        insts[i] = (ptx_inst){.op = PTX_OP_FMA,
                              .type_count = 1,
                              .types = {PTX_F32},
                              .guard = -1,
                              .operands = operands[i],
                              .operand_count = 4,
                              .serial = (uint32_t)i};
        infos[i] = (observe_inst_info){.cost = observe_inst_cost(&insts[i])};
    }
    ptx_function function = {.reg_count = CHAIN + 2};
    ptx_function *functions[] = {&function};
    const ptx_module module = {.functions = functions, .function_count = 1};
    const sim_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    observe_scoreboard *board = observe_scoreboard_open();
    observe_scoreboard_begin(board, &(sim_launch_event){.module = &module, .launch = &launch}, infos, CHAIN);
    observe_scoreboard_block(board, 0, 1);
    observe_scoreboard_run(board, insts, CHAIN, 0, 0);
    observe_sampled sampled = observe_scoreboard_end(board);
    assert_int_equal(sampled.blocks, 1);
    uint64_t clocks = sampled.clocks;
    observe_scoreboard_close(board);
    return clocks;
}

static void chains_wait(void **state) {
    assert_int_equal(clocks_of(false), CHAIN);
    assert_in_range(clocks_of(true), 4 * CHAIN - 4, 4 * CHAIN);
}

// ---- rows of shared memory -----------------------------------------------------------------------------------------

static observe_padding try_tile(uint32_t row_words, bool by_column) {
    static const ptx_inst inst = {.op = PTX_OP_LD};
    observe_paddings *p = observe_paddings_open();
    uint64_t at[32];
    for (uint32_t i = 0; i < 32; i++)
        at[i] = 4 * (by_column ? (uint64_t)i * row_words : (uint64_t)i / 16 * row_words + i % 16);
    observe_paddings_begin(p);
    observe_paddings_note(
        p,
        &(sim_access){
            .at = {.inst = &inst, .mask = UINT32_MAX}, .kind = SIM_LOAD, .bytes = 4, .addresses = at},
        0);
    assert_int_equal(observe_paddings_try(p), 1);
    observe_padding padding;
    assert_ptr_equal(observe_paddings_get(p, 0, &padding), &inst);
    observe_paddings_close(p);
    return padding;
}

static void padding_is_tried(void **state) {
    observe_padding column = try_tile(32, true); // tile[32][32] by columns: 33
    assert_int_equal(column.to, 4 * 33);
    assert_true(column.own_now == 32 && column.own_then == 1);
    observe_padding halves = try_tile(22, false); // two rows of 16 threads: one more does not help, 48 does
    assert_int_equal(halves.row, 4 * 22);
    assert_int_equal(halves.to, 4 * 48);
    assert_true(halves.own_now == 2 && halves.own_then == 1);
    assert_int_equal(try_tile(33, true).row, 0); // no conflicts: nothing to try
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_that_does_nothing),
        cmocka_unit_test(bytes_of_dram),
        cmocka_unit_test(the_last_block),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(atomics_meet_over_the_grid),
        cmocka_unit_test(chains_wait),
        cmocka_unit_test(padding_is_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
