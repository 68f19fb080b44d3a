// Plans with streams on the simulator: the order that they keep, and the times that the model gives them.

#include <stdlib.h>

#include "device/test_expect.h"
#include "device/trace.h"
#include "unit.h"

// twice(unsigned *x): one block of 256 threads, each doubles its own.
static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry twice(.param .u64 x) {\n"
                          "    .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                          "    ld.param.u64 %rd1, [x];\n    mov.u32 %r1, %tid.x;\n"
                          "    mul.wide.u32 %rd2, %r1, 4;\n    add.s64 %rd3, %rd1, %rd2;\n"
                          "    ld.global.u32 %r2, [%rd3];\n    add.u32 %r3, %r2, %r2;\n"
                          "    st.global.u32 [%rd3], %r3;\n    ret;\n}\n";
static const kz_image image = {
    .size = sizeof(kz_image), .name = "twice.ptx", .ptx = ptx, .ptx_size = sizeof ptx - 1};

enum { PIECES = 4, BYTES = 1 << 20, IN = 0, OUT = 1 };

// Four pieces of a MiB through two streams.
static void make_plan(kz_plan *plan, bool graph) {
    *plan = (kz_plan){.workspace_bytes = 2 * BYTES, .graph = graph};
    for (uint32_t i = 0; i < PIECES; i++) {
        kz_arg slot = {.kind = KZ_ARG_WORKSPACE, .offset = i % 2 * BYTES};
        kz_arg in = {.kind = KZ_ARG_BUFFER, .buffer = IN, .offset = i * BYTES};
        kz_arg out = {.kind = KZ_ARG_BUFFER, .buffer = OUT, .offset = i * BYTES};
        kz_step *steps = &plan->steps[3 * i];
        steps[0] = (kz_step){.kind = KZ_STEP_COPY, .args = {slot, in}, .bytes = BYTES};
        steps[1] = (kz_step){.kind = KZ_STEP_LAUNCH,
                             .entry = "twice",
                             .launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {256, 1, 1}},
                             .arg_count = 1,
                             .args = {slot}};
        steps[2] = (kz_step){.kind = KZ_STEP_COPY, .args = {out, slot}, .bytes = BYTES};
        for (int k = 0; k < 3; k++) steps[k].stream = 1 + i % 2;
        plan->step_count += 3;
    }
}

static void trace_plan(bool pinned, bool graph, device_trace *trace) {
    kz_device *device;
    kz_module *module;
    kz_ptr buffers[2], workspace;
    kz_plan *plan = malloc(sizeof *plan);
    uint32_t *host = malloc(PIECES * BYTES);
    make_plan(plan, graph);
    for (uint32_t i = 0; i < PIECES * BYTES / 4; i++) host[i] = i;
    GOOD(kz_device_open("sim:h200", &device, trouble));
    GOOD(kz_module_load(device, &image, &module, trouble));
    for (int i = 0; i < 2; i++)
        GOOD(kz_memory_alloc_host(device, PIECES * BYTES, pinned, &buffers[i], trouble));
    GOOD(kz_memory_alloc(device, plan->workspace_bytes, &workspace, trouble));
    GOOD(kz_copy_to_device(device, NULL, buffers[IN], host, PIECES * BYTES, trouble));
    const device_plan_call call = {device, NULL, module, plan, buffers, 2, workspace};
    GOOD(device_plan_trace(&call, trace, trouble));
    GOOD(kz_copy_to_host(device, NULL, host, buffers[OUT], PIECES * BYTES, trouble));
    for (uint32_t i = 0; i < PIECES; i++) { // the first 256 of each piece
        assert_int_equal(host[i * BYTES / 4 + 7], 2 * (i * BYTES / 4 + 7));
        assert_int_equal(host[i * BYTES / 4 + 256], i * BYTES / 4 + 256);
    }
    GOOD(kz_memory_free(device, workspace, trouble)); // host memory goes with the device
    kz_module_close(module);
    kz_device_close(device);
    free(host);
    free(plan);
}

static bool overlap(const device_span *a, const device_span *b) {
    return a->start < b->end && b->start < a->end;
}

static bool any_overlap(const device_trace *t) {
    for (size_t i = 0; i < t->count; i++)
        for (size_t k = 0; k < i; k++)
            if (overlap(&t->spans[i], &t->spans[k])) return true;
    return false;
}

static void check_order(const device_trace *t) {
    assert_int_equal(t->count, 3 * PIECES);
    assert_true(t->modelled);
    for (size_t i = 0; i < t->count; i++)
        for (size_t k = 0; k < i; k++) {
            const device_span *a = &t->spans[k], *b = &t->spans[i];
            if (a->stream == b->stream) assert_true(b->start >= a->end);
            if (a->engine == b->engine && a->engine != DEVICE_ENGINE_COMPUTE) assert_false(overlap(a, b));
            assert_true(b->end <= t->seconds);
        }
}

static void pinned_copies_overlap(void **state) {
    device_trace *t = *state;
    trace_plan(true, false, t);
    check_order(t);
    assert_true(any_overlap(t));
    assert_true(overlap(&t->spans[2], &t->spans[3])); // the second piece goes in while the first comes out
}

static void pageable_copies_do_not(void **state) {
    device_trace *t = *state;
    trace_plan(false, false, t);
    check_order(t);
    assert_false(any_overlap(t));
}

static void a_graph_is_issued_at_once(void **state) {
    device_trace *t = *state;
    trace_plan(true, true, t);
    check_order(t);
    // Both streams' first copies were issued with the graph: the second begins when the first has ended.
    assert_true(t->spans[3].start == t->spans[0].end && t->spans[0].start > 0);
}

static void cpu_has_no_engines(void **state) {
    kz_device *device;
    kz_error error = {0};
    kz_plan *plan = calloc(1, sizeof *plan);
    GOOD(kz_device_open("cpu", &device, trouble));
    const device_plan_call call = {.device = device, .plan = plan};
    assert_int_equal(device_plan_trace(&call, *state, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "--device sim"));
    kz_device_close(device);
    free(plan);
}

static int set_up(void **state) { return (*state = malloc(sizeof(device_trace))) == NULL; }
static int tear_down(void **state) {
    free(*state);
    return 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(pinned_copies_overlap), TEST(pageable_copies_do_not),
                                       TEST(a_graph_is_issued_at_once), TEST(cpu_has_no_engines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
