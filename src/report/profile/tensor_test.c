// What is said of kernels that use tensor cores: their roofline, what the pipes wait for, what to try.
#include <math.h>

#include "report/profile/profile_fixture.h"
#include "report/profile/show.h"

// 1024 blocks; 1 M products of m16n8k16 by each kind.
#define HALVES(ops)                                                                                          \
    ",\"ptx__flops_tensor_f16.sum\":" #ops ",\"ptx__flops_tensor.sum\":" #ops                                \
    ",\"sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum\":" #ops                                      \
    ",\"sm__inst_executed_pipe_tensor_op_hmma.sum\":1048576"
#define BY_GROUPS(ops, columns, bytes)                                                                       \
    ",\"ptx__ops_tensor_wgmma.sum\":" #ops ",\"sm__inst_executed_pipe_tensor_op_gmma.sum\":1048576"          \
    ",\"ptx__columns_wgmma.sum\":" #columns ",\"ptx__bytes_shared_wgmma.sum\":" #bytes
#define CACHES(bytes) ",\"caches\":{\"model\":\"m\",\"dram\":{\"read_bytes\":" #bytes ",\"write_bytes\":0}}"

static void expect_words(const kernel_text *k, report_prof_bound bound, const char *why, const char *advice) {
    fixture f;
    open_fixture(&f, k, 32);
    const report_prof_kernel *kernel = &f.report.kernels[0];
    if (kernel->bound != bound) print_message("bound: %s\n", report_prof_bound_name(kernel->bound));
    assert_int_equal(kernel->bound, bound);
    if (!strstr(kernel->why, why)) fail_msg("no \"%s\" in: %s", why, kernel->why);
    if (!kernel->advice_count || !strstr(kernel->advice[0], advice))
        fail_msg("no \"%s\" in: %s", advice, kernel->advice_count ? kernel->advice[0] : "nothing");
    close_fixture(&f);
}

// 4.3 Gflop at 989 Tflop/s take 4.3 us; mma reaches 63% of that.
static void the_peak_is_the_types_own(void **state) {
    const kernel_text k = {.blocks = 1024,
                           .threads = 128,
                           .metrics = INST(1100000, 35200000) HALVES(42949672960),
                           .caches = CACHES(1000000)};
    fixture f;
    report_prof_roofline r;
    open_fixture(&f, &k, 32);
    const report_prof_kernel *kernel = &f.report.kernels[0];
    assert_true(report_prof_roofline_of(&f.report, kernel, &r));
    assert_true(r.on_tensor && !r.sparse);
    assert_string_equal(r.type, "f16");
    assert_true(r.peak == 989.4e12 && r.flops == 42949672960.0);
    assert_true(fabs(kernel->seconds[OBSERVE_BY_TENSOR] / (42949672960.0 / 989.4e12 / 0.63) - 1) < 0.05);
    base_text text = {0};
    report_prof_tensor_show(&text, &f.report, kernel);
    assert_non_null(strstr(text.data, "42.9 Gflop of f16"));
    assert_non_null(strstr(text.data, "of its peak of 989 Tflop/s"));
    base_text_free(&text);
    close_fixture(&f);
    expect_words(&k, REPORT_PROF_BY_TENSOR, "tensor cores alone would take", "mma reaches 63%");
}

// Integers have operations, a peak of their own, and twice that where A is sparse.
static void integers_and_sparse_products(void **state) {
    const kernel_text k = {.blocks = 1024,
                           .threads = 128,
                           .metrics = INST(1100000, 35200000) ",\"ptx__ops_tensor_i8_sparse.sum\":8589934592",
                           .caches = CACHES(1000000)};
    fixture f;
    report_prof_roofline r;
    open_fixture(&f, &k, 32);
    assert_true(report_prof_roofline_of(&f.report, &f.report.kernels[0], &r));
    assert_true(r.sparse && r.peak == 2 * 1978.9e12);
    assert_string_equal(r.unit, "op");
    close_fixture(&f);
}

static const char conflicts[] =
    "{\"kind\":\"load\",\"space\":\"shared\",\"bytes\":16,\"requests\":1048576,\"lanes\":"
    "33554432,\"wavefronts\":33554432,\"ideal_wavefronts\":4194304,\"patterns\":[{\"kind\":"
    "\"stride\",\"stride\":128,\"share\":1}],\"ptx\":\"ldmatrix.sync.aligned.m8n8.x4\"}";
static const char smooth[] =
    "{\"kind\":\"load\",\"space\":\"shared\",\"bytes\":16,\"requests\":1048576,\"lanes\":"
    "33554432,\"wavefronts\":4194304,\"ideal_wavefronts\":4194304,\"patterns\":[]}";
#define LDSM(wavefronts)                                                                                     \
    ",\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\":" #wavefronts                                 \
    ",\"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum\":" #wavefronts                     \
    ",\"ptx__wavefronts_ideal_shared_ldsm.sum\":4194304"

static void pipes_wait_for_shared_memory(void **state) {
    const kernel_text with_conflicts = {.blocks = 1024,
                                        .threads = 128,
                                        .metrics = INST(2200000, 70400000) HALVES(4294967296) LDSM(33554432),
                                        .access = conflicts};
    expect_words(
        &with_conflicts, REPORT_PROF_BY_CONFLICTS,
        "they wait for shared memory: ldmatrix takes 33.6 M wavefronts, 4.19 M without bank conflicts",
        "different banks");
    expect(&with_conflicts, REPORT_PROF_BY_CONFLICTS, "the rows of a matrix lie 128 bytes apart", NULL);
    const kernel_text without = {.blocks = 1024,
                                 .threads = 128,
                                 .metrics = INST(2200000, 70400000) HALVES(4294967296) LDSM(4194304),
                                 .access = smooth};
    expect_words(&without, REPORT_PROF_BY_SHARED, "ldmatrix takes 4.0 wavefronts for each product",
                 "64 x 64");
    // Fragments straight from global memory, as wmma.load reads them.
    static const char global[] = "{\"kind\":\"load\",\"space\":\"global\",\"bytes\":4,\"requests\":4194304,"
                                 "\"lanes\":134217728,\"sectors\":"
                                 "33554432,\"ideal_sectors\":16777216,\"patterns\":[{\"kind\":\"rows\","
                                 "\"stride\":4,\"run\":4,\"jump\":128,"
                                 "\"share\":1}]}";
    const kernel_text fragments = {
        .blocks = 1024,
        .threads = 128,
        .metrics = INST(2200000, 70400000)
            HALVES(4294967296) ",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\":4194304,"
                               "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\":33554432,"
                               "\"model__l1_wavefronts.sum\":33554432",
        .access = global};
    expect_words(&fragments, REPORT_PROF_BY_UNCOALESCED,
                 "they wait for global memory: its loads keep L1 busy",
                 "load fragments from there by ldmatrix");
    expect(&fragments, REPORT_PROF_BY_UNCOALESCED, "runs of 4 threads", "load the fragment from there");
    // Products of 8 columns read 64 rows of A each.
    const kernel_text narrow = {.blocks = 1024,
                                .threads = 128,
                                .metrics = INST(1100000, 35200000) HALVES(4294967296)
                                    BY_GROUPS(4294967296, 8388608, 603979776)};
    fixture f;
    open_fixture(&f, &narrow, 32);
    assert_int_equal(f.report.kernels[0].first, OBSERVE_BY_L1);
    assert_non_null(strstr(f.report.kernels[0].why, "products 8 columns wide read 604 MB of it"));
    assert_non_null(strstr(f.report.kernels[0].advice[0], "a tile 64 wide"));
    close_fixture(&f);
}

static void pipes_wait_for_copies(void **state) {
    kernel_text k = {.blocks = 1024,
                     .threads = 128,
                     .metrics = INST(1100000, 35200000) HALVES(4294967296) MODEL(sampled_blocks, 1)
                         MODEL(sampled_clocks, 90000) ",\"ptx__inst_async_wait.sum\":2000,"
                                                      "\"ptx__inst_async_wait_all.sum\":2000"};
    expect_words(&k, REPORT_PROF_BY_LATENCY, "2.00 k of 2.00 k waits leave none under way", "wait_group 1");
    k.metrics =
        INST(1100000, 35200000) HALVES(4294967296) MODEL(sampled_blocks, 1) MODEL(sampled_clocks, 90000);
    expect_words(&k, REPORT_PROF_BY_LATENCY, "none of its copies is asynchronous", "second buffer");
    k.metrics = INST(1100000, 35200000) HALVES(4294967296) MODEL(dram_bytes_read, 400000000);
    k.caches = CACHES(400000000);
    expect_words(&k, REPORT_PROF_BY_MEMORY,
                 "10.7 operations for each byte that crosses it, 206 would fill them", "larger tile");
}

static void other_kernels_hear_nothing_of_it(void **state) {
    const kernel_text k = {.blocks = 1024, .threads = 128, .metrics = INST(1100000, 35200000)};
    fixture f;
    report_prof_tensor t;
    open_fixture(&f, &k, 32);
    base_text text = {0};
    assert_false(report_prof_tensor_of(&f.report, &f.report.kernels[0], &t));
    report_prof_tensor_show(&text, &f.report, &f.report.kernels[0]);
    assert_null(text.data);
    assert_null(strstr(f.report.kernels[0].why, "tensor"));
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peak_is_the_types_own),        cmocka_unit_test(integers_and_sparse_products),
        cmocka_unit_test(pipes_wait_for_shared_memory),     cmocka_unit_test(pipes_wait_for_copies),
        cmocka_unit_test(other_kernels_hear_nothing_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
