// Verdicts that must not contradict themselves: spills, DRAM's bytes and rates, waiting with all warps, local arrays.
#include "report/profile/profile_fixture.h"
#include "report/profile/show.h"

static const report_prof_spill spill_lines[] = {{"/home/ada/b.cu", 12, 1, 0}, {"/home/ada/b.cu", 14, 30, 24}};
static const report_prof_machine spilling = {
    .code = {.registers = 32, .instructions = 300, .spills = 55, .spill_bytes = 128},
    .spill_store_bytes = 124,
    .spill_load_bytes = 96,
    .spills = spill_lines,
    .spill_count = 2};

// ptxas stores and loads what the PTX does not show: it is said with its bytes, cost and lines, and takes its time.
static void test_spills(void **state) {
    kernel_text k = {
        .blocks = 4096, .threads = 256, .metrics = INST(655360, 20971520) MODEL(inst_executed_most, 327680)};
    fixture f;
    open_fixture(&f, &k, 32);
    double before = f.report.kernels[0].seconds[OBSERVE_BY_L1];
    close_fixture(&f);
    k.machine = &spilling;
    open_fixture(&f, &k, 32);
    const report_prof_kernel *kernel = &f.report.kernels[0];
    assert_true(kernel->spilled == 55.0 * 327680);
    assert_true(kernel->seconds[OBSERVE_BY_L1] > before + 60e-6);
    assert_non_null(strstr(kernel->notes[0], "124 bytes stored and 96 loaded"));
    assert_non_null(strstr(kernel->notes[0], "18.0 M requests a launch"));
    assert_non_null(strstr(kernel->notes[0], ": b.cu:14 (30 stores, 24 loads), b.cu:12 (1 stores, 0 loads)"));
    assert_non_null(strstr(kernel->advice[0], "more registers than 32"));
    assert_int_equal(kernel->bound, REPORT_PROF_BY_SPILLS);
    assert_non_null(strstr(kernel->lines[0].reason, "spilled registers: 30 stores and 24 loads"));
    close_fixture(&f);
}

// They do not fit L1: L2 is the busiest, and they are the cause all the same. A line costs what it executes, not what it
// has instructions: line 12 has most of them, and runs once.
static void test_spills_beyond_l1(void **state) {
    static const report_prof_spill lines[] = {{"b.cu", 12, 100, 100}, {"b.cu", 14, 30, 24}};
    const report_prof_machine machine = {
        .code = {.registers = 32, .instructions = 600, .spills = 254, .spill_bytes = 512},
        .spill_store_bytes = 520,
        .spill_load_bytes = 496,
        .spills = lines,
        .spill_count = 2};
    const kernel_text k = {.blocks = 4096,
                           .threads = 256,
                           .metrics = INST(655360, 20971520) MODEL(inst_executed_most, 1638400),
                           .lines = ",{\"file\":\"b.cu\",\"line\":12,\"metrics\":{" INST(32768, 1048576)
                               MODEL(inst_executed_most, 32768) "},\"accesses\":[]}",
                           .machine = &machine};
    fixture f;
    open_fixture(&f, &k, 32);
    const report_prof_kernel *kernel = &f.report.kernels[0];
    assert_int_equal(kernel->first, OBSERVE_BY_L2);
    assert_int_equal(kernel->bound, REPORT_PROF_BY_SPILLS);
    assert_non_null(strstr(kernel->why, "store and load spilled ones, for which L2 needs"));
    assert_non_null(strstr(kernel->notes[0], " of L1 and "));
    assert_int_equal(kernel->lines[0].line, 14);
    assert_true(kernel->lines[0].share > 0.9);
    close_fixture(&f);
}

// A copy of 2^22 floats on all warps that fit: that they wait a little longer than DRAM is busy does not make them few.
static void test_copy_waits_for_memory(void **state) {
    const kernel_text k = {
        .blocks = 16384,
        .threads = 256,
        .metrics = INST(655360, 20971520) MODEL(dram_bytes_read, 16777216) MODEL(dram_bytes_write, 20000000)
            MODEL(dram_bytes_written_back, 4000000) MODEL(sampled_blocks, 1) MODEL(sampled_clocks, 900),
        .access = "{\"kind\":\"load\",\"space\":\"global\",\"bytes\":4,\"requests\":131072,\"lanes\":4194304,"
                  "\"sectors\":524288,\"ideal_sectors\":524288,\"patterns\":[{\"kind\":\"contiguous\","
                  "\"share\":1}]}",
        .caches =
            ",\"caches\":{\"model\":\"m\",\"dram\":{\"read_bytes\":16777216,\"write_bytes\":20000000}}"};
    fixture f;
    open_fixture(&f, &k, 16);
    report_prof_kernel *kernel = &f.report.kernels[0];
    assert_true(kernel->is_full);
    assert_true(kernel->seconds[OBSERVE_BY_LATENCY] > kernel->seconds[OBSERVE_BY_DRAM]);
    assert_int_equal(kernel->bound, REPORT_PROF_BY_MEMORY);
    assert_non_null(strstr(kernel->why, "Its warps wait for that: waiting (latency)"));
    assert_non_null(strstr(kernel->advice[0], "more bytes in flight")); // starting its blocks takes as long
    // Bars are scaled by the longest of all, which is no verdict here.
    assert_true(report_prof_show_longest(kernel) == kernel->seconds[OBSERVE_BY_BLOCKS]);
    assert_true(kernel->seconds[OBSERVE_BY_BLOCKS] > kernel->seconds[kernel->first]);
    // What crosses DRAM is what the next line shows, and no rate is above the peak.
    assert_non_null(strstr(kernel->why, "20.8 MB cross DRAM"));
    assert_non_null(strstr(kernel->why, " to get going, then 4."));
    base_text text = {0};
    for (size_t i = 0; i < report_prof_show_count(); i++)
        if (!strcmp(report_prof_show_label(i), "caches")) report_prof_show_fact(&text, i, &f.report, kernel);
    assert_non_null(strstr(
        text.data, "DRAM reads 16.8 MB, writes 4.00 MB; 16.0 MB more stay in L2, to be written later"));
    base_text_free(&text);
    close_fixture(&f);
}

// With half of the warps it is latency, as it was.
static void test_few_warps_wait(void **state) {
    const kernel_text k = {.blocks = 264,
                           .threads = 256,
                           .metrics = INST(655360, 20971520) MODEL(dram_bytes_read, 16777216)
                               MODEL(sampled_blocks, 1) MODEL(sampled_clocks, 12000)};
    fixture f;
    open_fixture(&f, &k, 16);
    const report_prof_kernel *kernel = &f.report.kernels[0];
    assert_int_equal(kernel->bound, REPORT_PROF_BY_LATENCY);
    assert_non_null(strstr(kernel->why, "16 warps per SM cannot fill that time"));
    close_fixture(&f);
}

static void test_local_array(void **state) {
    expect(&(kernel_text){.blocks = 4096,
                          .threads = 256,
                          .metrics = INST(655360, 20971520) MODEL(l1_wavefronts, 1048576),
                          .access = "{\"kind\":\"load\",\"space\":\"local\",\"bytes\":4,\"requests\":32768,"
                                    "\"lanes\":1048576,\"sectors\":1048576,\"ideal_sectors\":131072,"
                                    "\"patterns\":[{\"kind\":\"contiguous\",\"share\":1}]}"},
           REPORT_PROF_BY_LOCAL, "load of local memory: 32 sectors per request, 4 would do: the threads",
           "every index is a constant");
}

// All of the data fell into one bin: with others folding in registers would do nothing.
static void test_address_by_data(void **state) {
    expect(&(kernel_text){.blocks = 4096,
                          .threads = 256,
                          .metrics = INST(655360, 20971520) MODEL(atomic_units, 24117248)
                              MODEL(atomic_units_most, 24117248),
                          .access =
                              "{\"kind\":\"reduction\",\"space\":\"global\",\"bytes\":4,\"requests\":32768,"
                              "\"lanes\":1048576,\"distinct\":32768,\"sectors\":32768,"
                              "\"ideal_sectors\":32768,\"address_by_data\":true,"
                              "\"patterns\":[{\"kind\":\"uniform\",\"share\":1}]}"},
           REPORT_PROF_BY_ATOMICS, "32 threads of a warp contend for 1 address",
           "for data like these: give each block private copies in shared memory");
}

// 8 blocks: the strided version waits less, for L1 keeps its lines, and does eight times the work of L2.
static void test_compared_at_a_small_size(void **state) {
    const kernel_text strided = {.blocks = 8,
                                 .threads = 256,
                                 .metrics = INST(4032, 129024) MODEL(l2_sectors_write, 16384)
                                     MODEL(l2_sectors_partial, 16384) MODEL(sampled_blocks, 8)
                                         MODEL(sampled_clocks, 8000)},
                      coalesced = {.blocks = 8,
                                   .threads = 256,
                                   .metrics = INST(3968, 126976) MODEL(l2_sectors_write, 2048)
                                       MODEL(sampled_blocks, 8) MODEL(sampled_clocks, 44000)};
    fixture before, after;
    open_fixture(&before, &strided, 16);
    open_fixture(&after, &coalesced, 16);
    json_t *json = report_prof_compare_to_json(&before.report, &after.report);
    const char *words = report_get_text(json_array_get(report_get(json, "pairs"), 0), "conclusion");
    assert_non_null(strstr(words, "8 blocks leave most of 132 SMs idle, so that waiting decides"));
    assert_non_null(strstr(words, "Compare them at a larger size."));
    json_decref(json);
    close_fixture(&before);
    close_fixture(&after);
}

// Textures and constants are L1's work, and no sectors of it.
static void test_texture_and_constant(void **state) {
    expect(&(kernel_text){.blocks = 4096,
                          .threads = 256,
                          .metrics = INST(655360, 20971520) ",\"ptx__inst_load_texture.sum\":294912,"
                                                            "\"ptx__requests_texture.sum\":294912"},
           REPORT_PROF_BY_TEXTURE, "texture fetches: 295 k requests of warps", NULL);
    expect(&(kernel_text){.blocks = 4096,
                          .threads = 256,
                          .metrics = INST(655360, 20971520) ",\"ptx__requests_const.sum\":524288,"
                                                            "\"ptx__addresses_const.sum\":16777216" MODEL(
                                                                pipe_const, 524288)},
           REPORT_PROF_BY_CONSTANT, "32 addresses per request, 1 would do", "const __restrict__");
}

// A line that computes is not explained by the conflicts that it has as well.
static void test_arithmetic_beside_conflicts(void **state) {
    static const char access[] =
        "{\"kind\":\"load\",\"space\":\"shared\",\"bytes\":4,\"requests\":32768,\"lanes\":1048576,"
        "\"wavefronts\":65536,\"ideal_wavefronts\":32768,\"patterns\":[{\"kind\":\"stride\",\"stride\":8,"
        "\"share\":1}]}";
    expect(&(kernel_text){.blocks = 4096,
                          .threads = 256,
                          .metrics = INST(655360, 20971520) ",\"ptx__inst_integer.sum\":600000" MODEL(
                              pipe_alu,
                              3000000) ",\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\":65536",
                          .access = access},
           REPORT_PROF_BY_ARITHMETIC, "100% of the instructions, mostly integer arithmetic", NULL);
}

static void test_divisions(void **state) {
    expect(&(kernel_text){.blocks = 4096,
                          .threads = 256,
                          .metrics =
                              "\"ptx__inst_executed.sum\":655360,\"ptx__thread_inst_executed.sum\":20971520,"
                              "\"ptx__inst_integer.sum\":600000" MODEL(issue_slots, 6000000)
                                  MODEL(pipe_alu, 4000000)},
           REPORT_PROF_BY_ARITHMETIC, "ptxas makes 9 machine instructions of each", "reciprocal");
}

static void test_empty_kernel(void **state) {
    fixture f;
    open_fixture(&f,
                 &(kernel_text){.blocks = 1,
                                .threads = 1,
                                .metrics = INST(1, 1) MODEL(sampled_blocks, 1) MODEL(sampled_clocks, 1)},
                 4);
    assert_int_equal(f.report.kernels[0].bound, REPORT_PROF_BY_LAUNCH);
    assert_non_null(strstr(f.report.kernels[0].why, "It does next to nothing"));
    assert_int_equal(f.report.kernels[0].advice_count, 0);
    assert_null(f.report.kernels[0].lines[0].advice);
    close_fixture(&f);
}

// Shared memory leaves room for 16 warps; it is the grid that brings 8.
static void test_the_grid_limits(void **state) {
    fixture f;
    open_fixture(
        &f,
        &(kernel_text){.blocks = 160,
                       .threads = 128,
                       .shared = 49152,
                       .metrics = INST(65536, 2097152) MODEL(sampled_blocks, 1) MODEL(sampled_clocks, 60000)},
        32);
    const report_prof_kernel *k = &f.report.kernels[0];
    assert_int_equal(k->bound, REPORT_PROF_BY_LATENCY);
    assert_non_null(strstr(k->advice[0], "the grid gives an SM 8 of the 16 warps that fit"));
    for (size_t i = 0; i < k->advice_count; i++) assert_null(strstr(k->advice[i], "smaller tile"));
    close_fixture(&f);
}

// Nearly all instructions are multiply-adds: their pipe is the limit, and what issues them follows it.
static void test_arithmetic_beside_issue(void **state) {
    fixture f;
    open_fixture(&f,
                 &(kernel_text){.blocks = 4096,
                                .threads = 256,
                                .metrics = INST(7320000, 234240000) ",\"ptx__inst_fp32.sum\":6600000" MODEL(
                                    pipe_fma, 6600000)},
                 20);
    assert_int_equal(f.report.kernels[0].bound, REPORT_PROF_BY_ARITHMETIC);
    assert_non_null(strstr(f.report.kernels[0].why, "The fp32 arithmetic alone would take"));
    assert_non_null(strstr(f.report.kernels[0].why, "Close to it: instruction issue"));
    close_fixture(&f);
}

static void test_lock(void **state) {
    expect(&(kernel_text){.blocks = 264,
                          .threads = 32,
                          .metrics = INST(1000, 32000) MODEL(atomic_units, 2411724)
                              MODEL(atomic_units_most, 2411724),
                          .access = "{\"ptx\":\"atom.global.cas.b32 %r1, [%rd1], 0, 1\",\"kind\":\"atomic\","
                                    "\"space\":\"global\",\"bytes\":4,\"requests\":64,\"lanes\":64,"
                                    "\"distinct\":64,\"sectors\":64,\"ideal_sectors\":64,"
                                    "\"patterns\":[{\"kind\":\"uniform\",\"share\":1}]}"},
           REPORT_PROF_BY_ATOMICS, "one address each", "a lock lets one thread after another in");
}

// Nothing names the lines: the time goes to the line that is executed most, and it is said why.
static void test_spills_without_a_disassembler(void **state) {
    const report_prof_machine machine = {
        .code = {.registers = 32, .instructions = 600, .spills = 254, .spill_bytes = 512},
        .spill_store_bytes = 520,
        .spill_load_bytes = 496};
    const kernel_text k = {.blocks = 4096,
                           .threads = 256,
                           .metrics = INST(655360, 20971520) MODEL(inst_executed_most, 1638400),
                           .lines = ",{\"file\":\"b.cu\",\"line\":12,\"metrics\":{" INST(32768, 1048576)
                               MODEL(inst_executed_most, 32768) "},\"accesses\":[]}",
                           .machine = &machine};
    fixture f;
    open_fixture(&f, &k, 32);
    const report_prof_kernel *kernel = &f.report.kernels[0];
    assert_int_equal(kernel->bound, REPORT_PROF_BY_SPILLS);
    assert_non_null(strstr(kernel->notes[0], "no disassembler names their lines (kz doctor)"));
    assert_int_equal(kernel->lines[0].line, 14);
    assert_true(kernel->lines[0].share > 0.9);
    assert_non_null(strstr(kernel->lines[0].reason, "spilled registers, taken to lie here"));
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spills),
        cmocka_unit_test(test_spills_beyond_l1),
        cmocka_unit_test(test_spills_without_a_disassembler),
        cmocka_unit_test(test_copy_waits_for_memory),
        cmocka_unit_test(test_few_warps_wait),
        cmocka_unit_test(test_local_array),
        cmocka_unit_test(test_address_by_data),
        cmocka_unit_test(test_compared_at_a_small_size),
        cmocka_unit_test(test_texture_and_constant),
        cmocka_unit_test(test_arithmetic_beside_conflicts),
        cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_empty_kernel),
        cmocka_unit_test(test_the_grid_limits),
        cmocka_unit_test(test_arithmetic_beside_issue),
        cmocka_unit_test(test_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
