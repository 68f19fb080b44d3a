// What listeners are told of asynchronous copies, mbarriers and clusters; how many blocks and which launches
// a cluster may have.
#include <stdio.h>

#include "sim/test_machine.h"
#include "unit.h"

static const char *const program_text =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".shared .align 16 .b8 box[64];\n"
    ".shared .align 8 .b64 bar;\n"
    ".visible .entry copies(.param .u64 to) {\n"
    "  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<3>;\n"
    "  ld.param.u64 %rd1, [to];\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  shl.b32 %r2, %r1, 3;\n"
    "  mov.u32 %r3, box;\n"
    "  add.u32 %r3, %r3, %r2;\n"
    "  sub.u32 %r4, 8, %r2;\n" // the first reads 8 bytes, the second none
    "  cp.async.ca.shared.global [%r3], [%rd1+8], 8, %r4;\n"
    "  cp.async.commit_group;\n"
    "  cp.async.wait_group 0;\n"
    "  setp.ne.u32 %p1, %r1, 0;\n"
    "  @%p1 exit;\n"
    "  mbarrier.init.shared.b64 [bar], 2;\n"
    "  cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
    "  mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [bar], 16;\n"
    "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%rd1], 16, [bar];\n"
    "again:\n"
    "  mbarrier.try_wait.shared::cta.b64 %p2, [bar], %rd2;\n"
    "  @!%p2 bra again;\n"
    "  fence.proxy.async.shared::cta;\n"
    "  cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [box], 16;\n"
    "  cp.async.bulk.commit_group;\n"
    "  cp.async.bulk.wait_group.read 0;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry far(.param .u64 to) {\n"
    "  .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "  mov.u32 %r1, %cluster_ctarank;\n"
    "  xor.b32 %r2, %r1, 1;\n"
    "  mapa.shared::cluster.u32 %r3, box, %r2;\n"
    "  barrier.cluster.arrive;\n"
    "  barrier.cluster.wait;\n"
    "  st.shared::cluster.u32 [%r3+4], %r1;\n"
    "  barrier.cluster.arrive;\n"
    "  barrier.cluster.wait;\n"
    "  ret;\n"
    "}\n";

typedef struct heard {
    sim_listener listener; // first
    char text[4096];
    size_t used;
} heard;

static void add(heard *h, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(h->text + h->used, sizeof h->text - h->used, format, list);
    va_end(list);
    assert_true(n > 0 && h->used + (size_t)n < sizeof h->text);
    h->used += (size_t)n;
}

static uint64_t buffer; // addresses are told relative to it

static void on_access(sim_listener *listener, const sim_access *a) {
    static const char *const kinds[] = {"load", "store", "atomic"}, *const agents[] = {"", "copy ", "proxy "};
    static const char *const spaces[] = {"global", "shared", "local", "param", "const", "distributed"};
    uint64_t at = a->addresses[__builtin_ctz(a->at.mask)];
    if (a->space == SIM_GLOBAL) at -= buffer;
    add((heard *)listener, "%s%s %s %x+%u mask %x\n", agents[a->agent], kinds[a->kind], spaces[a->space],
        (unsigned)(at >> 32 ? at >> 32 << 16 | (at & 0xffff) : at), a->bytes, a->at.mask);
}

static void on_sync(sim_listener *listener, const sim_sync *s) {
    static const char *const kinds[] = {"warp_sync", "arrive", "pass",  "commit", "wait",  "track",
                                        "fence",     "left",   "ended", "init",   "issue", "grid_wait"},
                             *const agents[] = {"", "copy ", "proxy "};
    add((heard *)listener, "%s%s %u:%x mask %x count %u\n", agents[s->agent], kinds[s->kind],
        (unsigned)(s->object >> 32), (unsigned)s->object, s->at.mask, s->count);
}

typedef struct machine {
    sim_machine *sim;
    sim_program *program;
    kz_error error;
} machine;

static machine open_machine(int sm, const char *text) {
    machine m = {0};
    sim_config config = test_config(sm);
    ptx_module *module;
    assert_int_equal(sim_machine_open(&config, &m.sim, &m.error), KZ_OK);
    assert_int_equal(ptx_module_open("t.ptx", text, strlen(text), &module, &m.error), KZ_OK);
    assert_int_equal(sim_program_open(m.sim, module, &m.program, &m.error), KZ_OK);
    assert_int_equal(sim_memory_alloc(m.sim, 64, &buffer, &m.error), KZ_OK);
    uint8_t bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = (uint8_t)i;
    assert_int_equal(sim_memory_write(m.sim, buffer, bytes, 64, &m.error), KZ_OK);
    return m;
}

static void close_machine(machine *m) {
    sim_program_close(m->program);
    sim_machine_close(m->sim);
}

static kz_status run(machine *m, const char *kernel, uint32_t blocks, uint32_t threads, uint32_t cluster,
                     sim_listener *listener) {
    const void *args[] = {&buffer};
    sim_launch launch = {.grid = {blocks, 1, 1},
                         .block = {threads, 1, 1},
                         .cluster = {cluster, cluster ? 1 : 0, cluster ? 1 : 0},
                         .args = args,
                         .arg_count = 1,
                         .listener = listener};
    return sim_run(m->program, kernel, &launch, NULL, &m->error);
}

static void copies_emit_accesses(void **state) {
    machine m = open_machine(90, program_text);
    heard h = {.listener = {.access = on_access, .sync = on_sync}};
    assert_int_equal(run(&m, "copies", 1, 2, 0, &h.listener), KZ_OK);
    assert_string_equal(h.text, "copy load global 8+8 mask 1\n"
                                "copy store shared 0+8 mask 3\n"
                                "copy commit 0:0 mask 3 count 0\n"
                                "copy wait 0:0 mask 3 count 0\n"
                                "init 0:80000040 mask 1 count 0\n"
                                "copy track 0:80000040 mask 1 count 0\n"
                                "arrive 0:80000040 mask 1 count 0\n"
                                "proxy load global 0+16 mask 1\n"
                                "proxy store shared 0+16 mask 1\n"
                                "proxy track 0:80000040 mask 1 count 16\n"
                                "pass 0:80000040 mask 1 count 0\n"
                                "fence 0:0 mask 1 count 0\n"
                                "proxy load shared 0+16 mask 1\n"
                                "proxy store global 10+16 mask 1\n"
                                "proxy commit 0:0 mask 1 count 0\n"
                                "proxy wait 0:0 mask 1 count 0\n");
    uint8_t bytes[64];
    assert_int_equal(sim_memory_read(m.sim, bytes, buffer, 64, &m.error), KZ_OK);
    for (int i = 0; i < 64; i++) assert_int_equal(bytes[i], i >= 16 && i < 32 ? i - 16 : i);
    close_machine(&m);
}

static void clusters_emit_accesses(void **state) {
    machine m = open_machine(90, program_text);
    heard h = {.listener = {.access = on_access, .sync = on_sync}};
    assert_int_equal(run(&m, "far", 4, 1, 2, &h.listener), KZ_OK);
    // The second cluster: blocks 2 and 3, each writing into the other.
    const char *second = strstr(h.text, "arrive 2:40000000 mask 1 count 0\n");
    assert_non_null(second);
    assert_non_null(strstr(second, "store distributed 30004+4 mask 1\n"));
    assert_non_null(strstr(second, "store distributed 20004+4 mask 1\n"));
    unsigned passes = 0;
    for (const char *at = h.text; (at = strstr(at, "pass 0:40000000")); at++) passes++;
    assert_int_equal(passes, 4); // two blocks, twice
    close_machine(&m);
}

static void shapes_of_clusters(void **state) {
    machine m = open_machine(90, program_text);
    assert_int_equal(run(&m, "far", 3, 1, 2, NULL), KZ_INVALID);
    assert_non_null(strstr(m.error.message, "grid dimension x is 3, not a multiple of the cluster's 2"));
    assert_int_equal(run(&m, "far", 17, 1, 17, NULL), KZ_LIMIT);
    assert_non_null(strstr(m.error.message, "a cluster of 17 blocks, at most 16 are allowed"));
    assert_int_equal(run(&m, "far", 16, 1, 16, NULL), KZ_OK);
    close_machine(&m);
    m = open_machine(80, ".version 8.0\n.target sm_80\n.address_size 64\n"
                         ".visible .entry far(.param .u64 to) { ret; }\n");
    assert_int_equal(run(&m, "far", 2, 1, 2, NULL), KZ_UNSUPPORTED);
    assert_non_null(strstr(m.error.message, "compute capability 9.0"));
    close_machine(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_emit_accesses),
        cmocka_unit_test(clusters_emit_accesses),
        cmocka_unit_test(shapes_of_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
