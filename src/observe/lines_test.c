// The counters by kernel and line: whole launches of small kernels, whose figures are known, and what may not
// matter to them: the number of workers, how often a launch is repeated, who else listens.
#include <stdio.h>
#include <stdlib.h>

#include "observe/observe.h"
#include "observe/request.h"
#include "sim/tensor_map.h"
#include "unit.h"

static const observe_gpu gpu = {.key = "h200",
                                .sm = 90,
                                .multiprocessors = 132,
                                .l1_bytes = 256 << 10,
                                .l2_bytes = 60 << 20,
                                .max_threads = 2048,
                                .max_blocks = 32,
                                .registers = 65536,
                                .shared_bytes = 228 << 10,
                                .shared_per_block = 227 << 10};

// walk: out[tid * 8] = in[tid] + 1, by lanes whose number is even; shared memory with a stride of two words;
// an atomic of all lanes on one address; local memory; one guarded fma.
static const char *const text =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry _ZN3lab4walkEPfS_Pj(.param .u64 in, .param .u64 out, .param .u64 sum) {\n"
    "  .reg .b32 %r<9>; .reg .b64 %rd<12>; .reg .f32 %f<5>; .reg .pred %p<3>;\n"
    "  .shared .align 4 .b8 box[1024];\n"
    "  .local .align 4 .b8 stack[16];\n"
    "  .loc 1 10 3\n"
    "  ld.param.u64 %rd1, [in];\n"
    "  ld.param.u64 %rd2, [out];\n"
    "  ld.param.u64 %rd3, [sum];\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %ntid.x;\n"
    "  mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "  mul.wide.u32 %rd4, %r4, 4;\n"
    "  add.u64 %rd5, %rd1, %rd4;\n"
    "  .loc 1 11 3\n"
    "  ld.global.f32 %f1, [%rd5];\n"
    "  add.f32 %f2, %f1, 0f3f800000;\n"
    "  .loc 1 12 3\n"
    "  shl.b32 %r5, %r1, 3;\n"
    "  mov.u32 %r6, box;\n"
    "  add.u32 %r6, %r6, %r5;\n"
    "  st.shared.f32 [%r6], %f2;\n"
    "  bar.sync 0;\n"
    "  .loc 1 13 3\n"
    "  red.global.add.u32 [%rd3], 1;\n"
    "  .loc 1 14 3\n"
    "  st.local.f32 [stack], %f2;\n"
    "  and.b32 %r7, %r1, 1;\n"
    "  setp.ne.u32 %p1, %r7, 0;\n"
    "  @!%p1 fma.rn.f32 %f2, %f2, %f2, %f2;\n"
    "  @%p1 bra end;\n"
    "  .loc 1 15 3\n"
    "  mul.wide.u32 %rd6, %r4, 32;\n"
    "  add.u64 %rd7, %rd2, %rd6;\n"
    "  .loc 1 20 3, function_name name, inlined_at 1 16 7\n"
    "  st.global.f32 [%rd7], %f2;\n"
    "end:\n"
    "  ret;\n"
    "}\n"
    ".const .align 4 .b8 table[64];\n"
    ".visible .entry choose(.param .u64 in, .param .u64 out, .param .u64 sum) {\n"
    "  .reg .b32 %r<4>;\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  and.b32 %r2, %r1, 3;\n"
    "  .reg .b64 %rd<4>;\n"
    "  mul.wide.u32 %rd1, %r2, 4;\n"
    "  mov.u64 %rd2, table;\n"
    "  add.u64 %rd3, %rd1, %rd2;\n"
    "  ld.const.u32 %r3, [%rd3];\n"
    "ways: .branchtargets a, b, b, c;\n"
    "  brx.idx %r2, ways;\n"
    "a: add.u32 %r3, %r1, 1;\n"
    "b: add.u32 %r3, %r1, 2;\n"
    "c: ret;\n"
    "}\n"
    ".visible .entry tally(.param .u64 in, .param .u64 out, .param .u64 sum) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p<2>;\n"
    "  .loc 1 30 3\n"
    "  ld.param.u64 %rd1, [in];\n"
    "  ld.param.u64 %rd2, [sum];\n"
    "  ld.global.u32 %r1, [%rd1];\n"
    "  mul.wide.u32 %rd3, %r1, 4;\n"
    "  add.u64 %rd4, %rd2, %rd3;\n"
    "  mov.u32 %r2, 0;\n"
    "again:\n"
    "  .loc 1 31 3\n"
    "  red.global.add.u32 [%rd4], 1;\n"
    "  add.u32 %r2, %r2, 1;\n"
    "  setp.lt.u32 %p1, %r2, 5;\n"
    "  @%p1 bra again;\n"
    "  ret;\n"
    "}\n"
    // The map is at `in`; the box has 4 rows of 32 bytes, of which 3 rows of 16 are inside.
    ".visible .entry boxes(.param .u64 in, .param .u64 out, .param .u64 sum) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    "  .shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar;\n"
    "  ld.param.u64 %rd1, [in];\n"
    "  mbarrier.init.shared.b64 [bar], 1;\n"
    "  mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [bar], 128;\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
    "    [tile], [%rd1, {4, -1}], [bar];\n"
    "again:\n"
    "  mbarrier.try_wait.shared::cta.b64 %p1, [bar], %rd2;\n"
    "  @!%p1 bra again;\n"
    "  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 8}], [tile];\n"
    "  cp.async.bulk.commit_group;\n"
    "  cp.async.bulk.wait_group 0;\n"
    "  ret;\n"
    "}\n"
    ".file 1 \"/home/ada/walk.cu\"\n"
    ".section .debug_str {\nname:\n.b8 104, 0\n}\n";

typedef struct lab {
    sim_machine *machine;
    sim_program *program;
    observe_session *session;
    uint64_t in, out, sum;
} lab;

static void open_lab(lab *l, const char *words, unsigned threads) {
    kz_error error = {0};
    sim_config config = {.sm = 90,
                         .multiprocessors = 132,
                         .max_threads_per_block = 1024,
                         .max_threads_per_multiprocessor = 2048,
                         .max_blocks_per_multiprocessor = 32,
                         .shared_per_block = 48 << 10,
                         .shared_per_block_optin = 227 << 10,
                         .shared_per_multiprocessor = 228 << 10,
                         .memory_bytes = 1 << 26,
                         .host_threads = threads};
    observe_options options;
    assert_int_equal(observe_options_parse(words, &options, &error), KZ_OK);
    assert_int_equal(observe_session_open(&options, &gpu, &l->session, &error), KZ_OK);
    assert_int_equal(sim_machine_open(&config, &l->machine, &error), KZ_OK);
    sim_machine_set_listener(l->machine, observe_session_listener(l->session));
    ptx_module *module;
    if (ptx_module_open("walk.ptx", text, strlen(text), &module, &error)) fail_msg("%s", error.message);
    assert_int_equal(sim_program_open(l->machine, module, &l->program, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(l->machine, 1 << 16, &l->in, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(l->machine, 1 << 19, &l->out, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(l->machine, 4, &l->sum, &error), KZ_OK);
    assert_int_equal(sim_memory_fill(l->machine, l->in, 0, 1 << 16, &error), KZ_OK);
    assert_int_equal(sim_memory_fill(l->machine, l->sum, 0, 4, &error), KZ_OK);
}

static kz_status launch_entry(lab *l, const char *entry, uint32_t blocks, uint32_t threads, kz_error *error) {
    const void *args[] = {&l->in, &l->out, &l->sum};
    sim_launch launch = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .args = args, .arg_count = 3};
    sim_result result = {0};
    kz_status status = sim_run(l->program, entry, &launch, &result, error);
    if (status) observe_session_fault(l->session, NULL, &result.fault, error);
    return status;
}

static kz_status walk(lab *l, uint32_t blocks, uint32_t threads, kz_error *error) {
    return launch_entry(l, "_ZN3lab4walkEPfS_Pj", blocks, threads, error);
}

// The record; the program is closed before, as at the end of a run.
static char *close_lab(lab *l) {
    base_text record = {0};
    sim_program_close(l->program);
    sim_machine_close(l->machine);
    observe_session_name(l->session, "walk", 0);
    observe_session_finish(l->session, &record);
    observe_session_close(l->session);
    assert_non_null(record.data);
    assert_false(record.failed);
    return record.data;
}

static void expect(const char *record, const char *part) {
    if (!strstr(record, part)) fail_msg("no %s in\n%s", part, record);
}

static void expect_none(const char *record, const char *part) {
    if (strstr(record, part)) fail_msg("%s in\n%s", part, record);
}

// ---- tests ------------------------------------------------------------------------------------------

static void figures_of_a_kernel(void **state) {
    lab l = {0};
    kz_error error = {0};
    open_lab(&l, "counters", 1);
    if (walk(&l, 4, 128, &error)) fail_msg("%s", error.message); // 16 warps
    char *r = close_lab(&l);
    expect(r, "\"name\":\"_ZN3lab4walkEPfS_Pj\",\"short\":\"walk\",\"module\":\"walk.ptx\"");
    expect(r, "\"launches\":1,\"first_launch\":1,\"grid\":[4,1,1],\"block\":[128,1,1],\"cluster\":[1,1,1]");
    expect(r, "\"ptx__warps.sum\":16,");
    // 22 instructions with all lanes, 3 by half of them, and ret, where all have reconverged.
    expect(r, "\"ptx__inst_executed.sum\":416,\"ptx__thread_inst_executed.sum\":12544,");
    expect(r, "\"ptx__branches.sum\":16,\"ptx__branches_divergent.sum\":16,");
    expect(r, "\"ptx__flops_f32.sum\":1024,"); // 512 adds, 256 fmas
    expect(r, "\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\":16,"
              "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\":64,");
    // 16 lanes 64 bytes apart.
    expect(r, "\"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum\":16,"
              "\"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum\":256,"
              "\"ptx__sectors_ideal_global_st.sum\":32,\"ptx__bytes_used_global_st.sum\":1024,");
    expect(r, "\"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum\":16,");
    expect(r, "\"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum\":64,");
    expect(r, "\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum\":32,");
    expect(r, "\"ptx__bank_conflicts_shared_st.sum\":16,");
    expect(r, "\"ptx__atomic_lanes.sum\":512,\"ptx__atomic_addresses.sum\":16,"
              "\"ptx__atomic_collisions.sum\":496,\"ptx__atomic_lanes_per_address.ratio\":32");
    expect(r, "\"launch__occupancy_limit_warps\":16,\"launch__occupancy_limit_blocks\":32,"
              "\"launch__occupancy_limit_shared_mem\":114");
    expect(r, "{\"type\":\"end\",\"status\":\"ok\",\"launches\":1,\"findings\":{\"error\":0,");
    free(r);
}

// However many ways the lanes go, it is one branch that diverges.
static void branches_by_table(void **state) {
    lab l = {0};
    kz_error error = {0};
    open_lab(&l, "counters", 1);
    if (launch_entry(&l, "choose", 2, 32, &error)) fail_msg("%s", error.message);
    char *r = close_lab(&l);
    expect(r, "\"is_ptx\":true");
    expect(r, "\"ptx__requests_const.sum\":2,\"ptx__addresses_const.sum\":8,"); // four words a warp
    expect(r, "\"ptx__branches.sum\":2,\"ptx__branches_divergent.sum\":2,");
    free(r);
}

static void figures_of_lines(void **state) {
    lab l = {0};
    kz_error error = {0};
    open_lab(&l, "counters", 1);
    assert_int_equal(walk(&l, 1, 32, &error), KZ_OK);
    char *r = close_lab(&l);
    expect(r, "{\"file\":\"/home/ada/walk.cu\",\"line\":11,\"metrics\":{\"ptx__inst_executed.sum\":2,"
              "\"ptx__thread_inst_executed.sum\":64,");
    expect(r, "{\"file\":\"/home/ada/walk.cu\",\"line\":20,\"inlined_at\":[{\"file\":\"/home/ada/walk.cu\","
              "\"line\":16}],\"metrics\":{");
    expect(r, "\"ptx\":\"st.global.f32 [%rd7], %f2\",\"kind\":\"store\",\"space\":\"global\",\"bytes\":4,"
              "\"requests\":1,\"lanes\":16,\"sectors\":16,\"ideal_sectors\":2,"
              "\"patterns\":[{\"kind\":\"stride\",\"stride\":64,\"requests\":1,\"share\":1}]}");
    expect(
        r,
        "\"kind\":\"reduction\",\"space\":\"global\",\"bytes\":4,\"requests\":1,\"lanes\":32,\"sectors\":32,"
        "\"ideal_sectors\":1,\"distinct\":1,\"gathered\":true,\"patterns\":[{\"kind\":\"uniform\"");
    expect(r, "\"kind\":\"load\",\"space\":\"global\",\"bytes\":4,\"requests\":1,\"lanes\":32,\"sectors\":4,"
              "\"ideal_sectors\":4,\"patterns\":[{\"kind\":\"contiguous\"");
    free(r);
}

// What the profile needs to charge spilled registers to lines, and to tell a histogram's atomics from a counter's.
static void lines_of_loops_and_histograms(void **state) {
    lab l = {0};
    kz_error error = {0};
    open_lab(&l, "counters,caches", 1);
    if (launch_entry(&l, "tally", 2, 32, &error)) fail_msg("%s", error.message);
    char *r = close_lab(&l);
    const char *before = strstr(r, "\"line\":30"), *loop = strstr(r, "\"line\":31");
    assert_true(before && loop && before < loop);
    const char *once = strstr(before, "\"model__inst_executed_most.sum\":2}"),
               *often = strstr(loop, "\"model__inst_executed_most.sum\":10}");
    assert_true(once && once < loop && often);
    expect(loop, "\"distinct\":10,\"address_by_data\":true");
    free(r);
    open_lab(&l, "counters,caches", 1);
    assert_int_equal(walk(&l, 1, 32, &error), KZ_OK);
    r = close_lab(&l);
    expect_none(r, "address_by_data");
    free(r);
}

static char *record_with(unsigned threads, const char *words) {
    lab l = {0};
    kz_error error = {0};
    open_lab(&l, words, threads);
    for (int i = 0; i < 3; i++) assert_int_equal(walk(&l, 64, 128, &error), KZ_OK);
    assert_int_equal(walk(&l, 64, 96, &error), KZ_OK);
    return close_lab(&l);
}

static void workers_do_not_matter(void **state) {
    char *one = record_with(1, "counters"), *four = record_with(4, "counters");
    assert_string_equal(one, four);
    expect(one, "\"launches\":3,\"first_launch\":1,");
    expect(one, "\"launches\":1,\"first_launch\":4,");
    free(one);
    free(four);
    one = record_with(1, "counters,caches");
    four = record_with(4, "counters,caches");
    assert_string_equal(one, four);
    expect(one, "\"caches\":{\"model\":\"a model of the h200's caches, not a measurement");
    free(one);
    free(four);
}

// Beside instruments that need a single core, the counts are the same.
static void company_does_not_matter(void **state) {
    char *alone = record_with(2, "counters"), *beside = record_with(2, "counters,caches,undefined");
    const char *mark = "\"ptx__blocks.sum\"", *from = strstr(alone, mark), *other = strstr(beside, mark);
    assert_non_null(from);
    assert_non_null(other);
    size_t length = (size_t)(strstr(from, ",\"ptx__atomic_lanes_per_address") - from);
    assert_memory_equal(from, other, length);
    free(alone);
    free(beside);
}

static void many_launches_fold(void **state) {
    lab l = {0};
    kz_error error = {0};
    open_lab(&l, "counters", 2);
    for (int i = 0; i < 2000; i++) assert_int_equal(walk(&l, 1, 32, &error), KZ_OK);
    char *r = close_lab(&l);
    expect(r, "\"launches\":2000,\"first_launch\":1,");
    expect(r, "\"ptx__inst_executed.sum\":52000,");
    assert_true(strlen(r) < 40000);
    free(r);
}

// More shapes than are kept are counted as dropped, and the rest is whole.
static void shapes_are_bounded(void **state) {
    lab l = {0};
    kz_error error = {0};
    open_lab(&l, "counters", 1);
    for (uint32_t i = 0; i < 4100; i++) assert_int_equal(walk(&l, i % 64 + 1, i / 64 + 1, &error), KZ_OK);
    char *r = close_lab(&l);
    expect(r, "\"launches\":4100,\"dropped\":4,");
    free(r);
}

static void a_fault_is_a_finding(void **state) {
    lab l = {0};
    kz_error error = {0};
    open_lab(&l, "counters", 1);
    assert_int_equal(walk(&l, 1, 32, &error), KZ_OK);
    assert_int_equal(walk(&l, 200, 128, &error), KZ_FAULT); // in[] ends
    char *r = close_lab(&l);
    expect(r, "\"failed\":1,\"grid\":[200,1,1]");
    expect(r, "\"type\":\"finding\",\"kind\":\"out-of-bounds\",\"severity\":\"error\"");
    expect(r, "{\"type\":\"end\",\"status\":\"fault\",\"message\":");
    expect(r, "\"findings\":{\"error\":1,\"warning\":0,\"note\":0}}");
    free(r);
}

static void nobody_counts_unasked(void **state) {
    lab l = {0};
    kz_error error = {0};
    open_lab(&l, "leaks", 1);
    assert_int_equal(walk(&l, 1, 32, &error), KZ_OK);
    char *r = close_lab(&l);
    expect(r, "\"instruments\":[\"leaks\"]");
    expect(r, "\"launch__grid_size\":1");
    expect_none(r, "ptx__inst_executed");
    free(r);
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

// One of a few layouts of addresses, at any place: what an instruction meets again and again.
static void draw_addresses(uint64_t *seed, uint32_t bytes, uint64_t a[32]) {
    uint64_t base = 1 << 20 | (uint64_t)(next_random(seed) % 4096 * bytes);
    uint32_t layout = next_random(seed) % 12;
    for (int i = 0; i < 32; i++) {
        uint64_t at = (uint64_t)i;
        if (layout == 0) at = 0;
        if (layout == 2) at = (uint64_t)i / 16 * 100 + (uint64_t)i % 16;
        if (layout == 3) at = (uint64_t)(i * i % 11);
        if (layout == 4) at = next_random(seed) % 64;
        if (layout == 5) at = (uint64_t)i / 2;
        if (layout > 5) at = (uint64_t)i * layout;
        a[i] = base + at * bytes;
    }
}

// What the instrument remembers of earlier requests must not change what it counts.
static void memos_agree_with_plain_counts(void **state) {
    lab l = {0};
    open_lab(&l, "counters", 1);
    const ptx_module *module = sim_program_module(l.program);
    const ptx_function *entry = ptx_find_function(module, "_ZN3lab4walkEPfS_Pj");
    const ptx_inst *load = NULL, *store = NULL;
    for (uint32_t i = 0; i < entry->inst_count; i++) {
        if (entry->insts[i].op == PTX_OP_LD && entry->insts[i].by_category[PTX_CAT_SPACE] == PTX_MOD_GLOBAL)
            load = &entry->insts[i];
        if (entry->insts[i].op == PTX_OP_ST && entry->insts[i].by_category[PTX_CAT_SPACE] == PTX_MOD_SHARED)
            store = &entry->insts[i];
    }
    sim_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    sim_listener *listener = observe_session_listener(l.session);
    listener->launch_begin(listener,
                           &(sim_launch_event){.module = module, .entry = entry, .launch = &launch});
    sim_listener *child = listener->fork(listener);
    assert_non_null(child);
    uint64_t seed = 7, sectors = 0, ideal = 0, waves = 0, least = 0, used = 0;
    for (int round = 0; round < 20000; round++) {
        uint64_t a[32];
        uint32_t bytes = 1u << next_random(&seed) % 5;
        uint32_t mask = next_random(&seed) % 2 ? UINT32_MAX : 0x0f0f3301u << next_random(&seed) % 3;
        draw_addresses(&seed, bytes, a);
        sim_access access = {.at = {.inst = load, .mask = mask}, .bytes = bytes, .addresses = a};
        access.space = SIM_GLOBAL;
        child->access(child, &access);
        uint32_t s = observe_count_sectors(a, mask, bytes), w, i;
        sectors += s;
        ideal += observe_ideal_sectors(observe_lane_count(mask), bytes, s);
        used += (uint64_t)observe_count_distinct(a, mask) * bytes;
        access.at.inst = store;
        access.space = SIM_SHARED;
        access.kind = SIM_STORE;
        child->access(child, &access);
        observe_count_wavefronts(a, mask, bytes, false, &w, &i);
        waves += w;
        least += i;
    }
    listener->join(listener, child);
    listener->launch_end(listener, KZ_OK);
    char *r = close_lab(&l), part[512];
    snprintf(part, sizeof part,
             "\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\":20000,"
             "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\":%llu,"
             "\"ptx__sectors_ideal_global_ld.sum\":%llu,\"ptx__bytes_used_global_ld.sum\":%llu,",
             (unsigned long long)sectors, (unsigned long long)ideal, (unsigned long long)used);
    expect(r, part);
    snprintf(part, sizeof part,
             "\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum\":%llu,"
             "\"ptx__wavefronts_ideal_shared_st.sum\":%llu,",
             (unsigned long long)waves, (unsigned long long)least);
    expect(r, part);
    free(r);
}

// A tensor copy is one copy, whatever rows it is told of by; its map is no traffic.
static void boxes_of_tensor_copies(void **state) {
    lab l = {0};
    kz_error error = {0};
    _Alignas(64) uint8_t map[SIM_TENSOR_MAP_BYTES];
    open_lab(&l, "counters", 1);
    sim_tensor_map tensor = {.type = SIM_TENSOR_U32,
                             .rank = 2,
                             .address = l.out,
                             .dim = {8, 9},
                             .stride = {64},
                             .box = {8, 4},
                             .step = {1, 1}};
    assert_int_equal(sim_tensor_map_encode(&tensor, map, &error), KZ_OK);
    assert_int_equal(sim_memory_write(l.machine, l.in, map, sizeof map, &error), KZ_OK);
    assert_int_equal(sim_memory_fill(l.machine, l.out, 1, 1024, &error), KZ_OK);
    if (launch_entry(&l, "boxes", 1, 1, &error)) fail_msg("%s", error.message);
    char *r = close_lab(&l);
    // Each copy counts at its source and at its destination.
    expect(r, "\"ptx__bulk_copies.sum\":4,\"ptx__bulk_bytes_global_ld.sum\":48,"
              "\"ptx__bulk_bytes_global_st.sum\":32,");
    expect(r, "\"ptx__tensor_copies.sum\":2,\"ptx__tensor_boxes.sum\":2,\"ptx__tensor_bytes.sum\":160");
    free(r);
}

static void words_of_options(void **state) {
    observe_options o;
    kz_error error = {0};
    assert_int_equal(observe_options_parse("counters,races", &o, &error), KZ_OK);
    assert_true(o.counters && o.races && !o.caches);
    assert_int_equal(observe_options_parse("", &o, &error), KZ_OK);
    assert_false(o.counters || o.races);
    assert_int_equal(observe_options_parse(NULL, &o, &error), KZ_OK);
    assert_int_equal(observe_options_parse("counter", &o, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "\"counter\""));
    assert_non_null(strstr(error.message, "counters, caches"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_a_kernel),
        cmocka_unit_test(figures_of_lines),
        cmocka_unit_test(lines_of_loops_and_histograms),
        cmocka_unit_test(branches_by_table),
        cmocka_unit_test(workers_do_not_matter),
        cmocka_unit_test(company_does_not_matter),
        cmocka_unit_test(many_launches_fold),
        cmocka_unit_test(shapes_are_bounded),
        cmocka_unit_test(a_fault_is_a_finding),
        cmocka_unit_test(nobody_counts_unasked),
        cmocka_unit_test(boxes_of_tensor_copies),
        cmocka_unit_test(words_of_options),
        cmocka_unit_test(memos_agree_with_plain_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
