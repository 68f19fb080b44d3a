// What listeners are observed: instructions, branches, accesses, warp synchronisations, barriers, calls, memory; who is observed
// on which core; schedules that are drawn; launches that are interrupted.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/inspect.h"
#include "sim/test_machine.h"
#include "unit.h"

// Lane 0 to 15 add 1 in a function, all synchronise, store to shared memory, wait, read their neighbour's.
static const char *const program_text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                        ".shared .align 4 .b8 box[128];\n"
                                        ".func (.param .b32 out) more(.param .b32 in) {\n"
                                        "  .reg .b32 %r<3>;\n"
                                        "  ld.param.u32 %r1, [in];\n"
                                        "  add.u32 %r2, %r1, 1;\n"
                                        "  st.param.b32 [out], %r2;\n"
                                        "  ret;\n"
                                        "}\n"
                                        ".visible .entry all(.param .u64 to) {\n"
                                        "  .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
                                        "  mov.u32 %r1, %tid.x;\n"
                                        "  and.b32 %r2, %r1, 31;\n"
                                        "  setp.ge.u32 %p1, %r2, 16;\n"
                                        "  @%p1 bra skip;\n"
                                        "  {\n"
                                        "  .param .b32 p0; .param .b32 q0;\n"
                                        "  st.param.b32 [p0], %r2;\n"
                                        "  call.uni (q0), more, (p0);\n"
                                        "  ld.param.b32 %r2, [q0];\n"
                                        "  }\n"
                                        "skip:\n"
                                        "  shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\n"
                                        "  bar.warp.sync -1;\n"
                                        "  shl.b32 %r4, %r1, 2;\n"
                                        "  mov.u32 %r5, box;\n"
                                        "  add.u32 %r5, %r5, %r4;\n"
                                        "  st.shared.u32 [%r5], %r3;\n"
                                        "  membar.gl;\n"
                                        "  bar.sync 0;\n"
                                        "  ld.shared.u32 %r6, [%r5];\n"
                                        "  ld.param.u64 %rd1, [to];\n"
                                        "  cvta.to.global.u64 %rd2, %rd1;\n"
                                        "  mul.wide.u32 %rd3, %r1, 4;\n"
                                        "  add.u64 %rd2, %rd2, %rd3;\n"
                                        "  st.global.u32 [%rd2], %r6;\n"
                                        "  ret;\n"
                                        "}\n"
                                        ".visible .entry endless(.param .u64 to) {\n"
                                        "  .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p<2>;\n"
                                        "  ld.param.u64 %rd1, [to];\n"
                                        "  mov.u32 %r1, 0;\n"
                                        "again:\n"
                                        "  add.u32 %r1, %r1, 1;\n"
                                        "  st.global.u32 [%rd1], %r1;\n"
                                        "  setp.ne.u32 %p1, %r1, 0;\n" // it would end after 2^32 rounds
                                        "  @%p1 bra again;\n"
                                        "  ret;\n"
                                        "}\n"
                                        ".visible .entry empty(.param .u64 to) {\n}\n"
                                        ".visible .entry unended(.param .u64 to) {\n"
                                        "  .reg .b32 %r<2>;\n"
                                        "  mov.u32 %r1, %tid.x;\n"
                                        "}\n";

typedef struct heard {
    sim_listener listener; // first
    unsigned launches, ends, blocks, block_ends, steps, done, branches, loads, stores, meets, arrives, passes,
        fences, exchanges, calls, copies, lanes_left;
    uint32_t taken, all, last_frame;
    uint8_t from[32];
    uint64_t serial;
    char order[16]; // which of the accesses, a for arrive, p for pass
} heard;

static heard *self_of(sim_listener *listener) { return (heard *)listener; }
static void note(heard *h, char what) {
    size_t n = strlen(h->order);
    if (n + 1 < sizeof h->order) h->order[n] = what;
}
static void on_launch(sim_listener *l, const sim_launch_event *e) {
    self_of(l)->launches++;
    self_of(l)->serial = e->serial;
    assert_string_equal(e->entry->name, "all");
    assert_int_equal(e->shared_bytes, 128);
}
static void on_launch_end(sim_listener *l, kz_status status) {
    self_of(l)->ends++;
    assert_int_equal(status, KZ_OK);
}
static void on_block(sim_listener *l, uint32_t block, uint32_t warps) { self_of(l)->blocks++; }
static void on_block_end(sim_listener *l, uint32_t block) { self_of(l)->block_ends++; }
static void on_step(sim_listener *l, const sim_event *e) { self_of(l)->steps++; }
static void on_done(sim_listener *l, const sim_event *e) {
    self_of(l)->done++;
    assert_non_null(e->inst);
    assert_true(e->mask);
}
static void on_branch(sim_listener *l, const sim_event *e, uint32_t taken) {
    self_of(l)->branches++;
    self_of(l)->taken = taken;
    assert_int_equal(e->mask, UINT32_MAX);
}
static void on_access(sim_listener *l, const sim_access *a) {
    heard *h = self_of(l);
    if (a->space != SIM_SHARED && a->space != SIM_GLOBAL) return;
    *(a->kind == SIM_LOAD ? &h->loads : &h->stores) += 1;
    note(h, a->space == SIM_GLOBAL ? 'g' : a->kind == SIM_LOAD ? 'l' : 's');
    if (a->space == SIM_SHARED) assert_int_equal(a->addresses[3], 12);
}
static void on_sync(sim_listener *l, const sim_sync *s) {
    heard *h = self_of(l);
    switch (s->kind) {
    case SIM_WARP_SYNC:
        h->meets++;
        assert_int_equal(s->at.mask, UINT32_MAX);
        break;
    case SIM_ARRIVE:
        h->arrives++;
        note(h, 'a');
        assert_true(s->is_barrier);
        break;
    case SIM_PASS:
        h->passes++;
        note(h, 'p');
        break;
    case SIM_FENCE: h->fences++; break;
    default: fail();
    }
}
static void on_exchange(sim_listener *l, const sim_exchange_event *e) {
    self_of(l)->exchanges++;
    memcpy(self_of(l)->from, e->from, 32);
    assert_true(e->is_shuffle);
    assert_int_equal(e->outside, 0);
}
static void on_call(sim_listener *l, const sim_event *e, const ptx_function *f, uint32_t frame) {
    self_of(l)->calls++;
    self_of(l)->last_frame = frame;
    assert_string_equal(f->name, "more");
    assert_int_equal(e->mask, 0xffff);
}
static void on_copy(sim_listener *l, const sim_event *e, uint32_t to, uint32_t from, uint32_t bytes) {
    self_of(l)->copies++;
    assert_int_equal(bytes, 4);
    assert_int_equal(e->mask, 0xffff);
}
static void on_leave(sim_listener *l, const sim_event *e) {
    self_of(l)->lanes_left += (unsigned)__builtin_popcount(e->mask);
}

typedef struct machine {
    sim_machine *sim;
    sim_program *program;
    uint64_t buffer;
} machine;

static machine open_machine(void) {
    machine m = {0};
    kz_error error = {0};
    sim_config config = test_config(80);
    ptx_module *module;
    assert_int_equal(sim_machine_open(&config, &m.sim, &error), KZ_OK);
    assert_int_equal(ptx_module_open("t.ptx", program_text, strlen(program_text), &module, &error), KZ_OK);
    assert_int_equal(sim_program_open(m.sim, module, &m.program, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(m.sim, 4096, &m.buffer, &error), KZ_OK);
    return m;
}

static void close_machine(machine *m) {
    sim_program_close(m->program);
    sim_machine_close(m->sim);
}

static kz_status launch(machine *m, const char *kernel, sim_listener *listener, uint64_t seed,
                        sim_result *result, kz_error *error) {
    const void *args[] = {&m->buffer};
    sim_launch l = {.grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .args = args,
                    .arg_count = 1,
                    .listener = listener,
                    .seed = seed};
    return sim_run(m->program, kernel, &l, result, error);
}

static void everything_is_reported(void **state) {
    machine m = open_machine();
    heard h = {.listener = {.launch_begin = on_launch,
                            .launch_end = on_launch_end,
                            .block_begin = on_block,
                            .block_end = on_block_end,
                            .step = on_step,
                            .done = on_done,
                            .branch = on_branch,
                            .access = on_access,
                            .sync = on_sync,
                            .exchange = on_exchange,
                            .call = on_call,
                            .copy_local = on_copy,
                            .leave = on_leave}};
    sim_machine_set_listener(m.sim, &h.listener); // a launch without one of its own has the machine's
    kz_error error = {0};
    assert_int_equal(launch(&m, "all", NULL, 0, NULL, &error), KZ_OK);
    assert_int_equal(h.launches + h.ends + h.blocks + h.block_ends, 4);
    assert_int_equal(h.branches, 1);
    assert_int_equal(h.taken, 0xffff0000);
    assert_int_equal(h.meets, 1); // by bar.warp.sync alone: a shuffle orders no memory
    assert_int_equal(h.exchanges, 1);
    assert_int_equal(h.from[4], 5);
    assert_int_equal(h.arrives, 1);
    assert_int_equal(h.passes, 1);
    assert_int_equal(h.fences, 1);
    assert_int_equal(h.calls, 1);
    assert_int_equal(h.last_frame, 1);
    assert_int_equal(h.copies, 2); // the argument, the result
    assert_int_equal(h.lanes_left, 32);
    assert_string_equal(h.order, "saplg"); // in the order of execution
    assert_true(h.steps > h.done && h.done > 8);
    uint32_t out[32];
    assert_int_equal(sim_memory_read(m.sim, out, m.buffer, sizeof out, &error), KZ_OK);
    assert_int_equal(out[0], 2); // lane 1 has 2
    assert_int_equal(out[30], 31);
    assert_int_equal(launch(&m, "all", NULL, 0, NULL, &error), KZ_OK);
    assert_int_equal(h.serial, 1);
    close_machine(&m);
}

// A listener that wants everything must not change what is computed.
static void instructions_observed_are_instructions_run(void **state) {
    machine m = open_machine();
    heard h = {.listener = {.done = on_done}};
    kz_error error = {0};
    sim_result quiet, observed;
    uint32_t a[32], b[32];
    assert_int_equal(launch(&m, "all", NULL, 0, &quiet, &error), KZ_OK);
    assert_int_equal(sim_memory_read(m.sim, a, m.buffer, sizeof a, &error), KZ_OK);
    assert_int_equal(launch(&m, "all", &h.listener, 0, &observed, &error), KZ_OK);
    assert_int_equal(sim_memory_read(m.sim, b, m.buffer, sizeof b, &error), KZ_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(quiet.thread_instructions, observed.thread_instructions);
    close_machine(&m);
}

static void on_run(sim_listener *l, const ptx_inst *first, uint32_t count, uint32_t block, uint32_t warp,
                   uint32_t mask) {
    self_of(l)->steps += count;
    assert_non_null(first);
}

// The return at the end of a text without `ret` is no instruction, so no run has it.
static void a_kernel_may_run_off_its_end(void **state) {
    machine m = open_machine();
    heard h = {.listener = {.run = on_run, .leave = on_leave}};
    assert_int_equal(launch(&m, "empty", &h.listener, 0, NULL, NULL), KZ_OK);
    assert_true(h.steps == 0 && h.lanes_left == 32);
    assert_int_equal(launch(&m, "unended", &h.listener, 0, NULL, NULL), KZ_OK);
    assert_true(h.steps == 1 && h.lanes_left == 64);
    close_machine(&m);
}

// Wants a run in detail from its first load on, if at all; and of multiplications the end.
typedef struct picky {
    sim_listener listener; // first
    bool closely;
    unsigned entered, ands, multiplications, done;
} picky;
static unsigned on_wants(sim_listener *l, const ptx_inst *inst) {
    return SIM_WANT_STEP_IN_DETAIL | (inst->op == PTX_OP_MUL ? SIM_WANT_DONE : 0);
}
static bool on_enter(sim_listener *l, const sim_event *e, uint32_t count) {
    assert_non_null(e->inst);
    assert_true(e->mask && count);
    ((picky *)l)->entered++;
    return false;
}
static void on_picked_step(sim_listener *l, const sim_event *e) {
    ((picky *)l)->ands += e->inst->op == PTX_OP_AND;
    ((picky *)l)->multiplications += e->inst->op == PTX_OP_MUL;
}
static void on_picked_done(sim_listener *l, const sim_event *e) {
    ((picky *)l)->done++;
    assert_int_equal(e->inst->op, PTX_OP_MUL);
    assert_int_equal(e->mask, UINT32_MAX);
}
static void on_picked_access(sim_listener *l, const sim_access *a) {
    if (((picky *)l)->closely && a->kind == SIM_LOAD && a->space == SIM_SHARED)
        sim_inspect_closely(a->at.self);
}

static void what_is_not_wanted_is_not_reported(void **state) {
    machine m = open_machine();
    kz_error error = {0};
    for (int closely = 0; closely < 2; closely++) {
        picky p = {.listener = {.wants = on_wants,
                                .enter = on_enter,
                                .step = on_picked_step,
                                .done = on_picked_done,
                                .access = on_picked_access},
                   .closely = closely};
        assert_int_equal(launch(&m, "all", &p.listener, 0, NULL, &error), KZ_OK);
        assert_true(p.entered >= 3);
        assert_int_equal(p.ands, 0);
        assert_int_equal(p.multiplications, closely); // it comes after the load
        assert_int_equal(p.done, 1);
    }
    close_machine(&m);
}

static void drawn_schedules_agree(void **state) {
    machine m = open_machine();
    kz_error error = {0};
    uint32_t a[32], b[32];
    assert_int_equal(launch(&m, "all", NULL, 0, NULL, &error), KZ_OK);
    assert_int_equal(sim_memory_read(m.sim, a, m.buffer, sizeof a, &error), KZ_OK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_int_equal(launch(&m, "all", NULL, seed, NULL, &error), KZ_OK);
        assert_int_equal(sim_memory_read(m.sim, b, m.buffer, sizeof b, &error), KZ_OK);
        assert_memory_equal(a, b, sizeof a);
    }
    close_machine(&m);
}

static void *interrupt_soon(void *context) {
    usleep(20000);
    sim_machine_interrupt(context);
    return NULL;
}

static void an_endless_kernel_is_interrupted(void **state) {
    machine m = open_machine();
    kz_error error = {0};
    sim_result result;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, m.sim), 0);
    assert_int_equal(launch(&m, "endless", NULL, 0, &result, &error), KZ_TIMEOUT);
    pthread_join(thread, NULL);
    assert_int_equal(result.fault.kind, SIM_FAULT_INTERRUPTED);
    assert_non_null(strstr(error.message, "endless"));
    assert_non_null(strstr(error.message, "block (0,0,0) warp 0"));
    assert_int_equal(launch(&m, "all", NULL, 0, &result, &error), KZ_OK); // the next is not
    assert_int_equal(result.fault.kind, SIM_FAULT_NONE);
    close_machine(&m);
}

static void faults_are_data(void **state) {
    machine m = open_machine();
    kz_error error = {0};
    sim_result result;
    uint64_t good = m.buffer;
    m.buffer += 4096;
    assert_int_equal(launch(&m, "all", NULL, 0, &result, &error), KZ_FAULT);
    assert_int_equal(result.fault.kind, SIM_FAULT_BOUNDS);
    assert_int_equal(result.fault.address, m.buffer);
    assert_int_equal(result.fault.bytes, 4);
    assert_true(result.fault.is_write);
    assert_int_equal(result.fault.inst->op, PTX_OP_ST);
    m.buffer = good + 2;
    assert_int_equal(launch(&m, "all", NULL, 0, &result, &error), KZ_FAULT);
    assert_int_equal(result.fault.kind, SIM_FAULT_MISALIGNED);
    m.buffer = good;
    assert_int_equal(sim_memory_free(m.sim, good, &error), KZ_OK);
    assert_int_equal(launch(&m, "all", NULL, 0, &result, &error), KZ_FAULT);
    assert_int_equal(result.fault.kind, SIM_FAULT_FREED);
    close_machine(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_reported),
        cmocka_unit_test(instructions_observed_are_instructions_run),
        cmocka_unit_test(a_kernel_may_run_off_its_end),
        cmocka_unit_test(drawn_schedules_agree),
        cmocka_unit_test(an_endless_kernel_is_interrupted),
        cmocka_unit_test(faults_are_data),
        cmocka_unit_test(what_is_not_wanted_is_not_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
