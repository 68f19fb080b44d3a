// Looking into running warps: registers of every width, calls, memory of every space, who waits where.

#include "sim/inspect.h"
#include "sim/test_machine.h"
#include "unit.h"

// Lanes below 8 go through a function; all wait; then store. The line of each event is asked for by PTX text.
static const char *const text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                ".shared .align 4 .b8 box[256];\n"
                                ".global .align 4 .u32 count = 77;\n"
                                ".func (.param .b32 out) more(.param .b32 in) {\n"
                                "  .reg .b32 %r<3>;\n"
                                "  .local .align 4 .b8 depot[8];\n"
                                "  ld.param.u32 %r1, [in];\n"
                                "  st.local.u32 [depot+4], %r1;\n"
                                "  add.u32 %r2, %r1, 100;\n"
                                "  st.param.b32 [out], %r2;\n"
                                "  ret;\n"
                                "}\n"
                                ".visible .entry look(.param .u64 to, .param .u32 n) {\n"
                                "  .reg .b16 %h<2>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
                                "  mov.u32 %r1, %tid.x;\n"
                                "  ld.param.u32 %r7, [n];\n"
                                "  mov.u32 %r8, 5;\n"
                                "  cvt.u16.u32 %h1, %r1;\n"
                                "  mul.wide.u32 %rd3, %r1, 4;\n"
                                "  setp.ge.u32 %p1, %r1, 8;\n"
                                "  @%p1 bra skip;\n"
                                "  {\n"
                                "  .param .b32 p0; .param .b32 q0;\n"
                                "  st.param.b32 [p0], %r1;\n"
                                "  call.uni (q0), more, (p0);\n"
                                "  ld.param.b32 %r2, [q0];\n"
                                "  }\n"
                                "skip:\n"
                                "  shl.b32 %r4, %r1, 2;\n"
                                "  mov.u32 %r5, box;\n"
                                "  add.u32 %r5, %r5, %r4;\n"
                                "  st.shared.u32 [%r5], %r4;\n"
                                "  bar.sync 0;\n"
                                "  ld.shared.u32 %r6, [%r5];\n"
                                "  ld.param.u64 %rd1, [to];\n"
                                "  add.u64 %rd2, %rd1, %rd3;\n"
                                "  st.global.u32 [%rd2], %r6;\n"
                                "  ret;\n"
                                "}\n";

typedef struct watcher {
    sim_listener listener; // first
    ptx_op op;             // stop at the first of these in warp 1 ...
    bool in_call;          // ... in the called function
    void (*look)(const sim_event *event);
    unsigned seen;
    char fault[256];
    ptx_op fault_op; // the module is gone by the time it is asked for
} watcher;

// Known before the first step.
static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    bool has_step[64];
    assert_true(event->module->inst_count <= BASE_COUNT(has_step));
    sim_inspect_steps(event, has_step, event->module->inst_count);
    for (uint32_t i = 0; i < event->entry->inst_count; i++) {
        const ptx_inst *inst = &event->entry->insts[i];
        bool constant = inst->op == PTX_OP_MOV || (inst->op == PTX_OP_LD && i < 3);
        if (i < 3) assert_int_equal(has_step[inst->serial], !constant);
        if (inst->op == PTX_OP_BAR_SYNC || inst->op == PTX_OP_BRA || inst->op == PTX_OP_ST)
            assert_true(has_step[inst->serial]);
    }
}

static void on_step(sim_listener *listener, const sim_event *event) {
    watcher *w = (watcher *)listener;
    bool called = sim_inspect_frame(event->self) != 0;
    if (event->inst->op != w->op || called != w->in_call || event->warp != (w->in_call ? 0 : 1)) return;
    if (w->seen++ == 0) w->look(event);
}

static void on_fault(sim_listener *listener, const sim_event *event, const char *message) {
    watcher *w = (watcher *)listener;
    strncpy(w->fault, message, sizeof w->fault - 1);
    w->fault_op = event->inst->op;
    assert_int_equal(event->mask, 1); // the first thread that went out of bounds
    assert_int_equal(sim_inspect_paths(event->self), 1);
}

static kz_status launch(watcher *w, uint64_t shift) {
    sim_config config = test_config(80);
    kz_error error;
    sim_machine *machine;
    ptx_module *module;
    sim_program *program;
    uint64_t to;
    uint32_t n = 41;
    assert_int_equal(sim_machine_open(&config, &machine, &error), KZ_OK);
    assert_int_equal(ptx_module_open("look.ptx", text, strlen(text), &module, &error), KZ_OK);
    assert_int_equal(sim_program_open(machine, module, &program, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(machine, 256, &to, &error), KZ_OK);
    to += shift;
    w->listener.launch_begin = on_launch_begin;
    w->listener.step = on_step;
    w->listener.fault = on_fault;
    const void *args[] = {&to, &n};
    sim_launch l = {
        .grid = {1, 1, 1}, .block = {16, 4, 1}, .args = args, .arg_count = 2, .listener = &w->listener};
    kz_status status = sim_run(program, "look", &l, NULL, &error);
    sim_program_close(program);
    sim_machine_close(machine);
    return status;
}

static int32_t reg_named(const ptx_function *function, const char *name) {
    for (uint32_t i = 0; i < function->reg_count; i++)
        if (!strcmp(function->regs[i].name, name)) return (int32_t)i;
    return -1;
}

static const void *value_of(const sim_event *event, const char *name) {
    const ptx_function *function = sim_inspect_function(event->self, 0);
    const void *lanes = sim_inspect_register(event->self, 0, reg_named(function, name));
    assert_non_null(lanes);
    return lanes;
}

static void look_at_registers(const sim_event *event) {
    // Warp 1 of 16 x 4 threads: %tid.x is 0 ... 15 twice.
    const uint32_t *x = value_of(event, "%r1"), *n = value_of(event, "%r7"), *five = value_of(event, "%r8");
    const uint16_t *half = value_of(event, "%h1");
    const uint64_t *wide = value_of(event, "%rd3");
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(x[i], i % 16);
        assert_int_equal(half[i], i % 16);
        assert_int_equal(wide[i], 4 * (i % 16));
        assert_int_equal(n[i], 41);   // names a parameter
        assert_int_equal(five[i], 5); // names a constant
    }
    assert_int_equal(*(const uint32_t *)value_of(event, "%p1"), 0xff00ff00);
    assert_null(sim_inspect_register(event->self, 0, -1));
    assert_null(sim_inspect_register(event->self, 0, 10000));
    assert_null(sim_inspect_register(event->self, 9, 0));
    assert_null(sim_inspect_function(event->self, 9));
}

static void test_registers(void **state) {
    watcher w = {.op = PTX_OP_BAR_SYNC, .look = look_at_registers};
    assert_int_equal(launch(&w, 0), KZ_OK);
    assert_int_equal(w.seen, 1);
}

static void look_at_memory(const sim_event *event) {
    uint32_t bytes = 0, begin = 99, word = 0;
    uint64_t address = 0;
    sim_inspect_where where;
    sim_inspect_at(event->self, &where);
    const uint8_t *shared = sim_inspect_shared(event->self, &bytes);
    assert_int_equal(bytes, 256);
    memcpy(&word, shared + 12, 4);
    assert_int_equal(word, 12); // thread 3 stored 4 * 3
    const ptx_variable *box = sim_inspect_shared_variable(event->self, 255, &begin);
    assert_string_equal(box->name, "box");
    assert_int_equal(begin, 0);
    assert_null(sim_inspect_shared_variable(event->self, 256, &begin));
    assert_true(sim_inspect_variable(event->self, 0, box, &address));
    assert_int_equal(address, sim_inspect_window(SIM_SHARED));
    assert_true(sim_inspect_memory(event->self, 0, address + 20, &word, 4));
    assert_int_equal(word, 20);
    assert_true(sim_inspect_memory(event->self, 0, address + 252, &word, 4));
    assert_false(sim_inspect_memory(event->self, 0, address + 253, &word, 4));
    assert_true(sim_inspect_variable(event->self, 0, where.module->variables[1], &address)); // count
    assert_true(sim_inspect_memory(event->self, 0, address, &word, 4));
    assert_int_equal(word, 77);
    assert_true(sim_inspect_variable(event->self, 0, where.entry->params[1], &address));
    assert_true(sim_inspect_memory(event->self, 0, address, &word, 4));
    assert_int_equal(word, 41);
    assert_false(sim_inspect_memory(event->self, 0, 0, &word, 4));
    assert_false(sim_inspect_memory(event->self, 0, UINT64_MAX - 1, &word, 4));
    assert_false(sim_inspect_memory(event->self, 32, sim_inspect_window(SIM_LOCAL), &word, 4));
}

static void test_memory(void **state) {
    watcher w = {.op = PTX_OP_BAR_SYNC, .look = look_at_memory};
    assert_int_equal(launch(&w, 0), KZ_OK);
    assert_int_equal(w.seen, 1);
}

static void look_at_call(const sim_event *event) {
    uint32_t frame = sim_inspect_frame(event->self), caller = 99, word = 0;
    const ptx_inst *back = NULL;
    const ptx_function *more = sim_inspect_function(event->self, frame);
    assert_string_equal(more->name, "more");
    assert_true(sim_inspect_caller(event->self, frame, &caller, &back));
    assert_int_equal(caller, 0);
    assert_int_equal(back[-1].op, PTX_OP_CALL);
    assert_false(sim_inspect_caller(event->self, 0, &caller, &back));
    assert_string_equal(sim_inspect_function(event->self, 0)->name, "look");
    const uint32_t *sum = sim_inspect_register(event->self, frame, reg_named(more, "%r2"));
    assert_int_equal(sum[5], 105);
    uint64_t address = 0;
    assert_true(sim_inspect_variable(event->self, frame, more->locals[0], &address));
    assert_true(sim_inspect_memory(event->self, 5, address + 4, &word, 4));
    assert_int_equal(word, 5);
    // Eight of each sixteen threads are in the call, the others ahead of it.
    sim_inspect_path path;
    uint32_t lanes = 0;
    for (uint32_t i = 0; sim_inspect_path_at(event->self, i, &path); i++) {
        lanes |= path.mask;
        assert_int_equal(path.mask, path.frame ? 0x00ff00ff : 0xff00ff00);
        assert_int_equal(path.state, path.frame ? SIM_INSPECT_RUNNING : SIM_INSPECT_READY);
        if (!path.frame) assert_int_equal(path.inst->op, PTX_OP_SHL);
    }
    assert_int_equal(lanes, UINT32_MAX);
}

static void test_calls(void **state) {
    watcher w = {.op = PTX_OP_RET, .in_call = true, .look = look_at_call};
    assert_int_equal(launch(&w, 0), KZ_OK);
    assert_int_equal(w.seen, 1);
}

static void look_at_others(const sim_event *event) {
    sim_inspect_where where;
    sim_inspect_path path;
    sim_inspect_at(event->self, &where);
    assert_int_equal(where.warp, 1);
    assert_int_equal(where.warps, 2);
    assert_int_equal(where.threads, 64);
    assert_int_equal(where.block[0], 16);
    assert_int_equal(where.block[1], 4);
    assert_int_equal(where.exited, 0);
    assert_int_equal(sim_inspect_resident(event->self), 1);
    assert_ptr_equal(sim_inspect_block(event->self, 0), sim_inspect_warp(event->self, 0));
    assert_null(sim_inspect_block(event->self, 1));
    assert_null(sim_inspect_warp(event->self, 2));
    const sim_warp *other = sim_inspect_warp(event->self, 0);
    assert_int_equal(sim_inspect_paths(other), 1);
    assert_true(sim_inspect_path_at(other, 0, &path));
    assert_int_equal(path.state, SIM_INSPECT_AT_BARRIER);
    assert_int_equal(path.barrier, 0);
    assert_int_equal(path.arrived, 32);
    assert_int_equal(path.expected, 64);
    assert_int_equal(path.inst->op, PTX_OP_BAR_SYNC);
    assert_false(sim_inspect_path_at(other, 1, &path));
}

static void test_others(void **state) {
    watcher w = {.op = PTX_OP_BAR_SYNC, .look = look_at_others};
    assert_int_equal(launch(&w, 0), KZ_OK);
    assert_int_equal(w.seen, 1);
}

static void test_faults(void **state) {
    watcher w = {.op = PTX_OP_TRAP, .look = look_at_others};
    assert_int_equal(launch(&w, 256), KZ_FAULT);
    assert_non_null(strstr(w.fault, "out of bounds"));
    assert_int_equal(w.fault_op, PTX_OP_ST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers), cmocka_unit_test(test_memory), cmocka_unit_test(test_calls),
        cmocka_unit_test(test_others),    cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
