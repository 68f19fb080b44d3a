// The public interface on the cpu device: memory, native kernels, streams, events, graphs, plans.

#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"
#include "device/test_device.h"
#include "kz/plan.h"
#include "unit.h"

// ---- kernels ---------------------------------------------------------------------------------------

enum { CHUNK = 100 }; // elements per block

static void
add_f32(const kz_native_launch *launch) { // (const float *a, const float *b, float *out, size_t n)
    const float *a = *(const float *const *)launch->args[0], *b = *(const float *const *)launch->args[1];
    float *out = *(float *const *)launch->args[2];
    size_t n = *(const size_t *)launch->args[3], from = (size_t)launch->block_index[0] * CHUNK;
    for (size_t i = from; i < n && i < from + CHUNK; i++) out[i] = a[i] + b[i];
}

static void scale_f32(const kz_native_launch *launch) { // (float *x, float factor, uint32_t n), one block
    float *x = *(float *const *)launch->args[0];
    for (uint32_t i = 0; i < *(const uint32_t *)launch->args[2]; i++) x[i] *= *(const float *)launch->args[1];
}

static void visit(const kz_native_launch *launch) { // (atomic_int *visits): every block marks its own place
    atomic_int *visits = *(atomic_int *const *)launch->args[0];
    const uint32_t *g = launch->grid, *b = launch->block_index;
    atomic_fetch_add(&visits[b[0] + g[0] * (b[1] + g[1] * b[2])], 1);
}

static const kz_native_entry natives[] = {
    {"add_f32", add_f32}, {"scale_f32", scale_f32}, {"visit", visit}, {NULL, NULL}};
static const kz_image image = {.size = sizeof(kz_image), .name = "test/native", .natives = natives};

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (kz_device_open("cpu", &f->device, NULL)) return -1;
    return kz_module_load(f->device, &image, &f->module, NULL);
}

// ---- the device and its memory -----------------------------------------------------------------------

static void info(void **state) {
    fixture *f = *state;
    const kz_device_info *i = kz_device_get_info(f->device);
    assert_int_equal(i->kind, KZ_DEVICE_CPU);
    assert_string_equal(i->id, "cpu");
    assert_true(i->name[0] && i->multiprocessors >= 1 && i->memory_bytes > 0 && i->has_clock);
    kz_device *none;
    kz_error error = {0};
    assert_int_equal(kz_device_open("cpu:1", &none, &error), KZ_NO_DEVICE);
    assert_int_equal(kz_device_open("", &none, &error), KZ_NO_DEVICE);
    assert_has(error.message, "cpu");
    assert_int_equal(kz_device_open("cpux", &none, &error), KZ_NO_DEVICE);
    assert_int_equal(kz_device_open("cpu", NULL, &error), KZ_INVALID);
    kz_device_close(NULL);
}

static void memory(void **state) {
    fixture *f = *state;
    kz_ptr a, b;
    char text[16] = "fifteen letters", back[16];
    GOOD(kz_memory_alloc(f->device, 16, &a, trouble));
    GOOD(kz_memory_alloc(f->device, 16, &b, trouble));
    assert_int_equal(a % 256, 0);
    GOOD(kz_copy_to_device(f->device, NULL, a, text, 16, trouble));
    GOOD(kz_copy_on_device(f->device, NULL, b, a, 16, trouble));
    GOOD(kz_memory_fill(f->device, NULL, b, 'F', 1, trouble));
    GOOD(kz_copy_to_host(f->device, NULL, back, b, 16, trouble));
    assert_string_equal(back, "Fifteen letters");
    GOOD(kz_memory_free(f->device, a, trouble));
    GOOD(kz_memory_free(f->device, b, trouble));
    size_t available;
    GOOD(kz_memory_available(f->device, &available, trouble));
    assert_true(available > 0);
    kz_error error = {0};
    assert_int_equal(kz_memory_alloc(f->device, (size_t)1 << 60, &a, &error), KZ_NO_MEMORY);
    assert_has(error.message, "cpu has no room for 1024 PiB");
    assert_has(error.message, "smaller case");
    assert_int_equal(kz_copy_to_host(f->device, NULL, NULL, 64, 8, &error), KZ_INVALID);
    assert_int_equal(kz_memory_alloc(NULL, 8, &a, &error), KZ_INVALID);
}

static void wrong_addresses(void **state) {
    fixture *f = *state;
    kz_ptr a;
    char bytes[32] = {0};
    kz_error error = {0};
    GOOD(kz_memory_alloc(f->device, 16, &a, trouble));
    assert_int_equal(kz_memory_fill(f->device, NULL, a, 0, SIZE_MAX, &error), KZ_INVALID);
    assert_int_equal(kz_copy_to_device(f->device, NULL, a + 1, bytes, 16, &error), KZ_INVALID);
    assert_has(error.message, "outside every allocation");
    assert_int_equal(kz_copy_to_host(f->device, NULL, bytes, a, 17, &error), KZ_INVALID);
    assert_int_equal(kz_memory_free(f->device, a + 8, &error), KZ_INVALID);
    assert_int_equal(kz_memory_free(f->device, 12345, &error), KZ_INVALID);
    GOOD(kz_memory_free(f->device, a, trouble));
    assert_int_equal(kz_memory_free(f->device, a, &error), KZ_INVALID);
    assert_has(error.message, "freed before");
    assert_int_equal(kz_copy_to_host(f->device, NULL, bytes, a, 8, &error), KZ_INVALID);
}

// ---- kernels -----------------------------------------------------------------------------------------

static void every_block_once(void **state) {
    fixture *f = *state;
    enum { X = 37, Y = 5, Z = 3 };
    atomic_int *visits = calloc(X * Y * Z, sizeof *visits);
    for (unsigned threads = 0; threads < 5; threads++) { // 0: all cores
        GOOD(kz_device_set_threads(f->device, threads, trouble));
        const void *args[] = {&visits};
        kz_launch launch = {.size = sizeof(kz_launch), .grid = {X, Y, Z}, .block = {1, 1, 1}};
        GOOD(kz_launch_kernel(f->device, NULL, kernel_of(f, "visit"), &launch, args, 1, trouble));
        for (int i = 0; i < X * Y * Z; i++) assert_int_equal(visits[i], threads + 1);
    }
    free(visits);
}

static void bad_modules_and_launches(void **state) {
    fixture *f = *state;
    kz_error error = {0};
    kz_module *module;
    kz_kernel *kernel;
    kz_image gpu_only = {.size = sizeof(kz_image), .name = "some.cu", .ptx = ".version 8.0", .ptx_size = 12};
    assert_int_equal(kz_module_load(f->device, &gpu_only, &module, &error), KZ_UNSUPPORTED);
    assert_has(error.message, "some.cu");
    assert_has(error.message, "--device sim");
    assert_int_equal(kz_module_kernel(f->module, "nobody", &kernel, &error), KZ_NOT_FOUND);
    assert_has(error.message, "test/native has no native kernel nobody");
    kz_launch empty = {.size = sizeof(kz_launch), .grid = {0, 1, 1}, .block = {1, 1, 1}},
              one = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    const void *hole[] = {NULL};
    assert_int_equal(kz_launch_kernel(f->device, NULL, kernel_of(f, "visit"), &empty, hole, 1, &error),
                     KZ_INVALID);
    assert_int_equal(kz_launch_kernel(f->device, NULL, kernel_of(f, "visit"), &one, hole, 1, &error),
                     KZ_INVALID);
    assert_has(error.message, "argument 0 is NULL");
    kz_device *other;
    kz_stream *stream;
    GOOD(kz_device_open("cpu", &other, trouble));
    GOOD(kz_stream_open(other, &stream, trouble));
    assert_int_equal(kz_launch_kernel(other, NULL, kernel_of(f, "visit"), &one, hole, 1, &error), KZ_INVALID);
    assert_int_equal(kz_stream_synchronize(f->device, stream, &error), KZ_INVALID);
    assert_has(error.message, "belongs to");
    kz_stream_close(stream);
    kz_device_close(other);
    kz_counters counters = {.size = sizeof counters};
    assert_int_equal(kz_counters_enable(f->device, true, &error), KZ_UNSUPPORTED);
    GOOD(kz_counters_read(f->device, &counters, false, trouble));
    assert_false(counters.valid);
}

// ---- streams, events, graphs ---------------------------------------------------------------------------

static void events(void **state) {
    fixture *f = *state;
    kz_event *from, *to;
    double seconds = -1;
    kz_error error = {0};
    GOOD(kz_event_open(f->device, &from, trouble));
    GOOD(kz_event_open(f->device, &to, trouble));
    assert_int_equal(kz_event_elapsed(f->device, from, to, &seconds, &error), KZ_INVALID);
    GOOD(kz_event_record(f->device, from, NULL, trouble));
    GOOD(kz_event_record(f->device, to, NULL, trouble));
    GOOD(kz_event_synchronize(f->device, to, trouble));
    GOOD(kz_event_elapsed(f->device, from, to, &seconds, trouble));
    assert_true(seconds >= 0);
    kz_event_close(from);
    kz_event_close(to);
    assert_null(kz_stream_handle(NULL));
}

static void graphs(void **state) {
    fixture *f = *state;
    kz_stream *stream, *side;
    kz_event *forked;
    kz_graph *graph, *none;
    kz_ptr x;
    float start[4] = {1, 2, 3, 4}, out[4] = {0};
    GOOD(kz_memory_alloc(f->device, sizeof start, &x, trouble));
    GOOD(kz_stream_open(f->device, &stream, trouble));
    GOOD(kz_stream_open(f->device, &side, trouble));
    GOOD(kz_event_open(f->device, &forked, trouble));
    GOOD(kz_graph_begin(f->device, stream, trouble));
    GOOD(kz_copy_to_device(f->device, stream, x, start, sizeof start, trouble));
    uint64_t factor = 0, n = 4; // 8 readable bytes each, as kz.h asks for
    memcpy(&factor, &(float){2}, 4);
    const void *args[] = {&x, &factor, &n};
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    GOOD(kz_launch_kernel(f->device, stream, kernel_of(f, "scale_f32"), &launch, args, 3, trouble));
    GOOD(kz_event_record(f->device, forked, stream, trouble));
    GOOD(kz_stream_wait(f->device, side, forked, trouble));
    memcpy(&factor, &(float){5}, 4); // the first launch keeps its 2
    GOOD(kz_launch_kernel(f->device, side, kernel_of(f, "scale_f32"), &launch, args, 3, trouble));
    GOOD(kz_copy_to_host(f->device, side, out, x, sizeof out, trouble));
    kz_error error = {0};
    assert_int_equal(kz_stream_synchronize(f->device, stream, &error), KZ_INVALID);
    assert_int_equal(kz_device_synchronize(f->device, &error), KZ_INVALID);
    assert_int_equal(kz_event_synchronize(f->device, forked, &error), KZ_INVALID);
    assert_int_equal(kz_graph_begin(f->device, side, &error), KZ_BUSY);
    assert_int_equal(kz_graph_end(f->device, side, &none, &error), KZ_INVALID);
    assert_true(out[0] == 0); // nothing has run
    GOOD(kz_graph_end(f->device, stream, &graph, trouble));

    GOOD(kz_graph_launch(f->device, graph, side, trouble));
    for (int i = 0; i < 4; i++) assert_true(out[i] == 10 * start[i]);
    start[0] = 7; // host memory is read when the graph runs
    GOOD(kz_graph_launch(f->device, graph, NULL, trouble));
    assert_true(out[0] == 70);
    assert_int_equal(kz_graph_begin(f->device, NULL, &error), KZ_INVALID);
    assert_int_equal(kz_graph_end(f->device, stream, &none, &error), KZ_INVALID);
    GOOD(kz_graph_begin(f->device, side, trouble)); // never ended: goes with its stream
    GOOD(kz_memory_fill(f->device, side, x, 0, 4, trouble));
    kz_stream_close(side);
    GOOD(kz_device_synchronize(f->device, trouble));
    kz_graph_close(graph);
    kz_event_close(forked);
    kz_stream_close(stream);
    GOOD(kz_memory_free(f->device, x, trouble));
}

// ---- plans ---------------------------------------------------------------------------------------------

// out = (a + b) * 3, by way of the workspace, whose first 64 bytes are left alone.
static kz_plan sum_times_three(uint64_t n) {
    kz_plan plan = {.workspace_bytes = 64 + 4 * n, .step_count = 4};
    uint32_t three = 0;
    float value = 3;
    memcpy(&three, &value, 4);
    plan.steps[0] = (kz_step){
        .kind = KZ_STEP_FILL, .args = {{.kind = KZ_ARG_BUFFER, .buffer = 2}}, .bytes = 4 * n, .fill = 0xee};
    plan.steps[1] = (kz_step){.kind = KZ_STEP_LAUNCH,
                              .entry = "add_f32",
                              .launch = {.size = sizeof(kz_launch),
                                         .grid = {(uint32_t)((n + CHUNK - 1) / CHUNK), 1, 1},
                                         .block = {1, 1, 1}},
                              .arg_count = 4,
                              .args = {{.kind = KZ_ARG_BUFFER, .buffer = 0, .offset = 4},
                                       {.kind = KZ_ARG_BUFFER, .buffer = 1},
                                       {.kind = KZ_ARG_WORKSPACE, .offset = 64},
                                       {.kind = KZ_ARG_SCALAR, .scalar = n}}};
    plan.steps[2] =
        (kz_step){.kind = KZ_STEP_COPY,
                  .bytes = 4 * n,
                  .args = {{.kind = KZ_ARG_BUFFER, .buffer = 2}, {.kind = KZ_ARG_WORKSPACE, .offset = 64}}};
    plan.steps[3] = (kz_step){.kind = KZ_STEP_LAUNCH,
                              .entry = "scale_f32",
                              .launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}},
                              .arg_count = 3,
                              .args = {{.kind = KZ_ARG_BUFFER, .buffer = 2},
                                       {.kind = KZ_ARG_SCALAR, .scalar = three},
                                       {.kind = KZ_ARG_SCALAR, .scalar = n}}};
    return plan;
}

static void plans_run(void **state) {
    fixture *f = *state;
    enum { N = 1000 };
    kz_ptr buffers[3], workspace;
    float *a = calloc(N + 1, 4), *b = calloc(N, 4), *out = calloc(N, 4);
    for (int i = 0; i < N; i++) a[i + 1] = (float)i, b[i] = 0.5f;
    for (int i = 0; i < 3; i++) GOOD(kz_memory_alloc(f->device, 4 * (N + 1), &buffers[i], trouble));
    kz_plan plan = sum_times_three(N);
    GOOD(kz_memory_alloc(f->device, plan.workspace_bytes, &workspace, trouble));
    GOOD(kz_copy_to_device(f->device, NULL, buffers[0], a, 4 * (N + 1), trouble));
    GOOD(kz_copy_to_device(f->device, NULL, buffers[1], b, 4 * N, trouble));
    GOOD(kz_plan_run(f->device, NULL, f->module, &plan, buffers, 3, workspace, trouble));
    GOOD(kz_copy_to_host(f->device, NULL, out, buffers[2], 4 * N, trouble));
    for (int i = 0; i < N; i++) assert_true(out[i] == 3 * ((float)i + 0.5f));
    for (int i = 0; i < 3; i++) GOOD(kz_memory_free(f->device, buffers[i], trouble));
    GOOD(kz_memory_free(f->device, workspace, trouble));
    free(a), free(b), free(out);
}

static void expect_bad_plan(fixture *f, kz_plan plan, const char *says) {
    kz_ptr buffers[3];
    kz_error error = {0};
    for (int i = 0; i < 3; i++) GOOD(kz_memory_alloc(f->device, 64, &buffers[i], trouble));
    kz_status status = kz_plan_run(f->device, NULL, f->module, &plan, buffers, 3, 4096, &error);
    assert_true(status == KZ_INVALID || status == KZ_NOT_FOUND);
    assert_has(error.message, says);
    for (int i = 0; i < 3; i++) GOOD(kz_memory_free(f->device, buffers[i], trouble));
}

static void bad_plans(void **state) {
    fixture *f = *state;
    kz_error error = {0};
    kz_ptr buffers[1] = {4096};
    kz_plan bad = sum_times_three(8);
    assert_int_equal(kz_plan_run(f->device, NULL, f->module, &bad, buffers, 1, 0, &error), KZ_INVALID);
    assert_has(error.message, "needs a workspace of 96 bytes");
    bad.step_count = KZ_PLAN_STEPS + 1;
    expect_bad_plan(f, bad, "97 steps");
    bad = sum_times_three(8), bad.steps[0].args[0].buffer = 3;
    expect_bad_plan(f, bad, "buffer 3: there are 3");
    bad = sum_times_three(8), bad.steps[0].kind = KZ_STEP_COPY, bad.steps[0].args[1].kind = KZ_ARG_WORKSPACE,
    bad.steps[0].args[1].offset = 80;
    expect_bad_plan(f, bad, "32 bytes at byte 80 of a workspace of 96");
    bad = sum_times_three(8), bad.steps[0].args[0] = (kz_arg){.kind = KZ_ARG_WORKSPACE, .offset = 97};
    expect_bad_plan(f, bad, "byte 97");
    bad = sum_times_three(8), bad.steps[0].args[0].kind = KZ_ARG_TENSOR_MAP;
    expect_bad_plan(f, bad, "a tensor map where an address is needed");
    bad = sum_times_three(8), bad.steps[1].args[0].kind = KZ_ARG_TENSOR_MAP;
    expect_bad_plan(f, bad, "tensor map 0: there are 0");
    bad = sum_times_three(8), bad.steps[0].args[0].kind = KZ_ARG_SCALAR;
    expect_bad_plan(f, bad, "a scalar");
    bad = (kz_plan){.step_count = 1, .steps = {{.kind = KZ_STEP_LAUNCH, .entry = "nobody"}}};
    expect_bad_plan(f, bad, "nobody");
    memset(bad.steps[0].entry, 'x', sizeof bad.steps[0].entry);
    expect_bad_plan(f, bad, "without an end");
    bad = (kz_plan){.step_count = 1,
                    .steps = {{.kind = KZ_STEP_LAUNCH, .entry = "visit", .arg_count = KZ_PLAN_ARGS + 1}}};
    expect_bad_plan(f, bad, "33 arguments");
    bad = (kz_plan){.step_count = 1, .steps = {{.kind = (kz_step_kind)9}}};
    expect_bad_plan(f, bad, "unknown kind");
    bad = (kz_plan){0};
    GOOD(kz_plan_run(f->device, NULL, NULL, &bad, NULL, 0, 0, trouble)); // nothing to do is fine
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(info),
        TEST(memory),
        TEST(wrong_addresses),
        TEST(every_block_once),
        TEST(bad_modules_and_launches),
        TEST(events),
        TEST(graphs),
        TEST(plans_run),
        TEST(bad_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
