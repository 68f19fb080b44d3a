// What products on tensor cores, ldmatrix and stmatrix are counted as.
#include <stdlib.h>
#include <string.h>

#include "observe/metrics.h"
#include "unit.h"

static observe_inst_info info_of(const char *line) {
    base_text text = {0};
    base_text_add(&text,
                  ".version 8.6\n.target sm_90a\n.address_size 64\n.entry k() {\n"
                  ".reg .b32 %%r<32>; .reg .b64 %%d<9>; .reg .f32 %%f<32>; .reg .f64 %%g<32>; .reg .pred "
                  "%%p<3>;\n%s\n ret;\n}\n",
                  line);
    ptx_module *module;
    kz_error error = {0};
    if (ptx_module_open("k.ptx", text.data, text.length, &module, &error)) fail_msg("%s", error.message);
    observe_inst_info info = observe_inst_describe(&module->functions[0]->insts[0]);
    ptx_module_close(module);
    base_text_free(&text);
    return info;
}

static uint64_t count_of(const char *line, observe_sum_index index) {
    observe_sums sums = {0};
    observe_inst_info info = info_of(line);
    observe_tensor_add(&info.tensor, 10, sums.value);
    return sums.value[index];
}

#define F4     "{%f1,%f2,%f3,%f4}"
#define R4     "{%r1,%r2,%r3,%r4}"
#define R2     "{%r5,%r6}"
#define HALVES "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " F4 "," R4 "," R2 "," F4 ";"

static void products_by_type(void **state) {
    enum { FLOPS = 2 * 16 * 8 * 16 };
    assert_int_equal(count_of(HALVES, OBSERVE_SUM_TENSOR_INST_F16), 10);
    assert_int_equal(count_of(HALVES, OBSERVE_SUM_TENSOR_OPS_F16), 10 * FLOPS);
    assert_int_equal(count_of(HALVES, OBSERVE_SUM_FLOPS_TENSOR), 10 * FLOPS);
    assert_int_equal(count_of(HALVES, OBSERVE_SUM_PATH_FP16_FP32), 10 * FLOPS);
    assert_int_equal(count_of(HALVES, OBSERVE_SUM_PIPE_HMMA), 10);
    assert_int_equal(count_of(HALVES, OBSERVE_SUM_PIPE_GMMA), 0);
    assert_int_equal(count_of(HALVES, OBSERVE_SUM_SPARSE_OPS_F16), 0);
    static const char doubles[] =
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g1,%g2},{%g3},{%g4},{%g1,%g2};";
    assert_int_equal(count_of(doubles, OBSERVE_SUM_PATH_FP64), 10 * 2 * 8 * 8 * 4);
    assert_int_equal(count_of(doubles, OBSERVE_SUM_PIPE_DMMA), 10);
    // Integers are no flops.
    static const char bytes[] = "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%r7,%r8,%r9,%r10}," R4
                                "," R2 ",{%r7,%r8,%r9,%r10};";
    assert_int_equal(count_of(bytes, OBSERVE_SUM_TENSOR_OPS_I8), 10 * 2 * 16 * 8 * 32);
    assert_int_equal(count_of(bytes, OBSERVE_SUM_FLOPS_TENSOR), 0);
    assert_int_equal(count_of(bytes, OBSERVE_SUM_PIPE_IMMA), 10);
}

// What ptxas makes for sm_90 of products that it lacks.
static void products_that_are_expanded(void **state) {
    static const char f8[] =
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 " F4 "," R4 "," R2 "," F4 ";";
    assert_int_equal(count_of(f8, OBSERVE_SUM_TENSOR_OPS_F8), 10 * 2 * 16 * 8 * 32);
    assert_int_equal(count_of(f8, OBSERVE_SUM_PATH_FP8), 0);
    assert_int_equal(count_of(f8, OBSERVE_SUM_PATH_FP16_FP32), 10 * 2 * 16 * 8 * 32);
    assert_int_equal(count_of(f8, OBSERVE_SUM_PIPE_HMMA), 20);
    static const char bits[] =
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r7,%r8},{%r1},{%r2},{%r7,%r8};";
    assert_int_equal(count_of(bits, OBSERVE_SUM_TENSOR_OPS_B1), 10 * 2 * 8 * 8 * 128);
    assert_int_equal(count_of(bits, OBSERVE_SUM_PATH_INT1), 20 * 2 * 8 * 8 * 128);
    assert_int_equal(count_of(bits, OBSERVE_SUM_PIPE_IMMA), 20);
    static const char quarters[] = "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 "
                                   "{%r1,%r2,%r3,%r4},{%r5,%r6},{%r7,%r8},{%r1,%r2,%r3,%r4};";
    assert_int_equal(count_of(quarters, OBSERVE_SUM_TENSOR_OPS_F16), 10 * 4 * 2 * 8 * 8 * 4);
    assert_int_equal(count_of(quarters, OBSERVE_SUM_PIPE_HMMA), 0);
    static const char wide[] = "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%r1,%r2,%r3,%r4},"
                               "{%r5,%r6,%r7,%r8,%r9,%r10,%r11,%r12},{%r5,%r6,%r7,%r8,%r9,%r10,%r11,%r12},"
                               "{%r1,%r2,%r3,%r4};";
    assert_int_equal(count_of(wide, OBSERVE_SUM_PATH_FP16_FP16), 10 * 2 * 16 * 16 * 16);
    assert_int_equal(count_of(wide, OBSERVE_SUM_PIPE_HMMA), 20);
}

static void sparse_products(void **state) {
    static const char line[] = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 " F4
                               "," R4 ",{%r5,%r6,%r7,%r8}," F4 ",%r9,0x0;";
    assert_int_equal(count_of(line, OBSERVE_SUM_SPARSE_INST_BF16), 10);
    assert_int_equal(count_of(line, OBSERVE_SUM_SPARSE_OPS_BF16), 10 * 2 * 16 * 8 * 32);
    assert_int_equal(count_of(line, OBSERVE_SUM_TENSOR_OPS_BF16), 0);
    assert_int_equal(count_of(line, OBSERVE_SUM_PATH_BF16_FP32_SPARSE), 10 * 2 * 16 * 8 * 32);
    assert_int_equal(count_of(line, OBSERVE_SUM_FLOPS_TENSOR), 10 * 2 * 16 * 8 * 32);
}

// A warp does a quarter of it, and reads a quarter of what the four read.
static void products_of_warpgroups(void **state) {
    static const char shared[] =
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " F4 ",%d1,%d2,1,1,1,0,0;";
    static const char in_registers[] =
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " F4 "," R4 ",%d2,1,1,1,0;";
    assert_int_equal(4 * count_of(shared, OBSERVE_SUM_GROUP_OPS), 10 * 2 * 64 * 8 * 16);
    assert_int_equal(4 * count_of(shared, OBSERVE_SUM_PATH_FP16_FP32), 10 * 2 * 64 * 8 * 16);
    assert_int_equal(4 * count_of(shared, OBSERVE_SUM_GROUP_BYTES), 10 * (64 + 8) * 16 * 2);
    assert_int_equal(4 * count_of(in_registers, OBSERVE_SUM_GROUP_BYTES), 10 * 8 * 16 * 2);
    assert_int_equal(count_of(shared, OBSERVE_SUM_PIPE_GMMA), 10);
    assert_int_equal(count_of(shared, OBSERVE_SUM_PIPE_HMMA), 10);
    static const char f8[] = "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 " F4 ",%d1,%d2,1,1,1;";
    assert_int_equal(4 * count_of(f8, OBSERVE_SUM_PATH_FP8), 10 * 2 * 64 * 8 * 32);
}

static void moves_are_no_products(void **state) {
    assert_int_equal(info_of("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1},[%r2];").tensor.ops, 0);
    assert_int_equal(
        info_of("wmma.load.c.sync.aligned.row.m16n16k16.f16 {%r1,%r2,%r3,%r4},[%d1];").tensor.ops, 0);
    assert_true(info_of("@%p1 " HALVES).guarded_flops);
}

// ---- in a launch -----------------------------------------------------------------------------------------

// Rows of 16 bytes that are 16, 32 and 128 bytes apart; a product by one of two warps.
static const char text[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry moves() {\n"
    "  .reg .b32 %r<32>; .reg .f32 %f<9>; .reg .pred %p<2>; .shared .align 128 .b8 box[4096];\n"
    "  mov.u32 %r10, box; mov.u32 %r11, %laneid; mov.u32 %r15, %tid.x; setp.lt.u32 %p1, %r15, 32;\n"
    "  mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0; mov.b32 %r4, 0;\n"
    "  mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
    "  mad.lo.u32 %r12, %r11, 16, %r10; mad.lo.u32 %r13, %r11, 32, %r10; mad.lo.u32 %r14, %r11, 128, %r10;\n"
    "  stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r12], {%r1,%r2,%r3,%r4};\n"
    "  stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r13], {%r1,%r2};\n"
    "  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r12];\n"
    "  ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1,%r2,%r3,%r4}, [%r13];\n"
    "  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r14];\n"
    "  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r10];\n"
    "  @%p1 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},{%r1,%r2},"
    "{%f1,%f2,%f3,%f4};\n"
    "  ret;\n"
    "}\n";

static char *run(void) {
    kz_error error = {0};
    const sim_config config = {.sm = 90,
                               .multiprocessors = 2,
                               .max_threads_per_block = 1024,
                               .max_threads_per_multiprocessor = 2048,
                               .max_blocks_per_multiprocessor = 32,
                               .shared_per_block = 48 << 10,
                               .shared_per_block_optin = 48 << 10,
                               .shared_per_multiprocessor = 48 << 10,
                               .memory_bytes = 1 << 20,
                               .host_threads = 1};
    const observe_gpu gpu = {
        .key = "toy", .sm = 90, .multiprocessors = 2, .l1_bytes = 1 << 18, .l2_bytes = 1 << 20};
    observe_options options;
    observe_session *session;
    sim_machine *machine;
    sim_program *program;
    ptx_module *module;
    base_text record = {0};
    assert_int_equal(observe_options_parse("counters", &options, &error), KZ_OK);
    assert_int_equal(observe_session_open(&options, &gpu, &session, &error), KZ_OK);
    assert_int_equal(sim_machine_open(&config, &machine, &error), KZ_OK);
    sim_machine_set_listener(machine, observe_session_listener(session));
    if (ptx_module_open("m.ptx", text, strlen(text), &module, &error)) fail_msg("%s", error.message);
    assert_int_equal(sim_program_open(machine, module, &program, &error), KZ_OK);
    const sim_launch launch = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    if (sim_run(program, "moves", &launch, NULL, &error)) fail_msg("%s", error.message);
    sim_program_close(program);
    sim_machine_close(machine);
    observe_session_finish(session, &record);
    observe_session_close(session);
    assert_non_null(record.data);
    return record.data;
}

static void expect(const char *record, const char *part) {
    if (!strstr(record, part)) fail_msg("no %s in\n%s", part, record);
}

// Of each matrix 8 rows: without conflicts one wavefront; 32 bytes apart two, 128 bytes eight. All lanes at one row: one each.
static void wavefronts_of_matrices(void **state) {
    char *r = run();
    expect(r,
           "\"smsp__inst_executed_op_ldsm.sum\":8,"
           "\"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum\":48," // 2 * (4 + 8 + 8 + 4)
           "\"ptx__wavefronts_ideal_shared_ldsm.sum\":26,");
    expect(r, "\"smsp__sass_inst_executed_op_stsm.sum\":4,\"ptx__wavefronts_shared_stsm.sum\":16,"
              "\"ptx__wavefronts_ideal_shared_stsm.sum\":12,");
    expect(r, "\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\":48,");
    expect(r, "\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum\":16,");
    expect(r, "\"ptx__inst_tensor.sum\":14,");    // of both warps
    expect(r, "\"ptx__inst_tensor_f16.sum\":1,"); // the guard lets one in
    expect(r, "\"sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum\":4096,");
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_by_type),      cmocka_unit_test(products_that_are_expanded),
        cmocka_unit_test(sparse_products),       cmocka_unit_test(products_of_warpgroups),
        cmocka_unit_test(moves_are_no_products), cmocka_unit_test(wavefronts_of_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
