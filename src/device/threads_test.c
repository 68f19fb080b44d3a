// Several threads on one device: each does what a program does, all at once, and finds its own results.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/plan.h"
#include "unit.h"

enum { THREADS = 4, ROUNDS = 12, N = 300 };

// add_f32(const float *a, const float *b, float *out, size_t n), as tests/fake_cuda has it too.
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add_f32(.param .u64 a, .param .u64 b, .param .u64 out, .param .u64 n) {\n"
    "    .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;\n"
    "    ld.param.u64 %rd1, [a];\n    ld.param.u64 %rd2, [b];\n    ld.param.u64 %rd3, [out];\n"
    "    ld.param.u64 %rd4, [n];\n    mov.u32 %r3, %ctaid.x;\n    mov.u32 %r4, %ntid.x;\n"
    "    mov.u32 %r5, %tid.x;\n    mad.lo.s32 %r1, %r3, %r4, %r5;\n    cvt.u64.u32 %rd7, %r1;\n"
    "    setp.ge.u64 %p1, %rd7, %rd4;\n"
    "    @%p1 bra done;\n    mul.wide.u32 %rd5, %r1, 4;\n    add.s64 %rd6, %rd1, %rd5;\n"
    "    add.s64 %rd8, %rd2, %rd5;\n    ld.global.f32 %f1, [%rd8];\n    ld.global.f32 %f2, [%rd6];\n"
    "    add.f32 %f3, %f2, %f1;\n    add.s64 %rd10, %rd3, %rd5;\n    st.global.f32 [%rd10], %f3;\n"
    "done:\n    ret;\n}\n";

static void add_native(const kz_native_launch *launch) {
    const float *a = *(float *const *)launch->args[0], *b = *(float *const *)launch->args[1];
    float *out = *(float *const *)launch->args[2];
    size_t n = *(const size_t *)launch->args[3], from = 64 * (size_t)launch->block_index[0];
    for (size_t i = from; i < n && i < from + 64; i++) out[i] = a[i] + b[i];
}
static const kz_native_entry natives[] = {{"add_f32", add_native}, {NULL, NULL}};

typedef struct job {
    kz_device *device;
    kz_module *shared; // module of all threads
    int number;
    char trouble[512]; // what went wrong; cmocka's own checks are for one thread
} job;

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        if ((call) == KZ_OK) break;                                                                          \
        snprintf(j->trouble, sizeof j->trouble, "%s: %.400s", #call, error.message);                         \
        return false;                                                                                        \
    } while (0)

static kz_launch shape(const job *j) {
    uint32_t threads = kz_device_get_info(j->device)->kind == KZ_DEVICE_CPU ? 1 : 64;
    return (kz_launch){.size = sizeof(kz_launch), .grid = {(N + 63) / 64, 1, 1}, .block = {threads, 1, 1}};
}

static kz_status launch_add(job *j, kz_module *module, kz_stream *stream, const kz_ptr at[3],
                            kz_error *error) {
    kz_kernel *kernel;
    size_t n = N;
    const void *args[] = {&at[0], &at[1], &at[2], &n};
    const kz_launch launch = shape(j);
    kz_status status = kz_module_kernel(module, "add_f32", &kernel, error);
    return status ? status : kz_launch_kernel(j->device, stream, kernel, &launch, args, 4, error);
}

// The same as a plan: out is filled with other bytes before. As a graph every third time.
static kz_status run_plan(job *j, kz_module *module, kz_stream *stream, const kz_ptr at[3], bool graph,
                          kz_error *error) {
    kz_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return KZ_NO_MEMORY;
    plan->graph = graph;
    plan->step_count = 2;
    plan->steps[0] =
        (kz_step){.kind = KZ_STEP_FILL, .arg_count = 1, .bytes = N * sizeof(float), .fill = 0xff};
    plan->steps[0].args[0] = (kz_arg){.kind = KZ_ARG_BUFFER, .buffer = 2};
    plan->steps[1] =
        (kz_step){.kind = KZ_STEP_LAUNCH, .entry = "add_f32", .launch = shape(j), .arg_count = 4};
    for (uint32_t i = 0; i < 3; i++) plan->steps[1].args[i] = (kz_arg){.kind = KZ_ARG_BUFFER, .buffer = i};
    plan->steps[1].args[3] = (kz_arg){.kind = KZ_ARG_SCALAR, .scalar = N};
    kz_status status = kz_plan_run(j->device, stream, module, plan, at, 3, 0, error);
    free(plan);
    return status;
}

static bool is_sum(job *j, const float *out, float expected) {
    for (int i = 0; i < N; i++)
        if (out[i] != expected + (float)i) {
            snprintf(j->trouble, sizeof j->trouble, "out[%d] is %g, not %g", i, (double)out[i],
                     (double)(expected + (float)i));
            return false;
        }
    return true;
}

// Memory, a stream, events, a launch, a registered buffer; every other time with a module of its own.
static bool one_round(job *j, int round) {
    kz_error error = {0};
    kz_device *device = j->device;
    kz_ptr at[3], host;
    kz_stream *stream;
    kz_event *event;
    kz_module *module = j->shared;
    float in[N], out[N];
    size_t available;
    const kz_image image = {
        .size = sizeof image, .name = "add", .ptx = ptx, .ptx_size = sizeof ptx - 1, .natives = natives};
    for (int i = 0; i < N; i++) in[i] = (float)i, out[i] = -1;
    if (round % 2) TRY(kz_module_load(device, &image, &module, &error));
    TRY(kz_stream_open(device, &stream, &error));
    TRY(kz_event_open(device, &event, &error));
    TRY(kz_memory_register(device, out, sizeof out, &error));
    for (int i = 0; i < 3; i++) TRY(kz_memory_alloc(device, sizeof in, &at[i], &error));
    TRY(kz_memory_alloc_host(device, sizeof in, round % 3 == 0, &host, &error));
    TRY(kz_copy_to_device(device, stream, at[0], in, sizeof in, &error));
    for (int i = 0; i < N; i++) in[i] = (float)(1000 * j->number + round);
    TRY(kz_copy_to_device(device, NULL, at[1], in, sizeof in, &error));
    TRY(kz_event_record(device, event, NULL, &error));
    TRY(kz_stream_wait(device, stream, event, &error));
    if (round % 3 == 0)
        TRY(launch_add(j, module, stream, at, &error));
    else
        TRY(run_plan(j, module, stream, at, round % 3 == 1, &error));
    TRY(kz_copy_on_device(device, stream, host, at[2], sizeof out, &error));
    TRY(kz_copy_on_device(device, stream, at[2], host, sizeof out, &error));
    TRY(kz_copy_to_host(device, stream, out, at[2], sizeof out, &error));
    TRY(kz_stream_synchronize(device, stream, &error));
    if (round % 4 == 0) TRY(kz_device_synchronize(device, &error));
    TRY(kz_memory_available(device, &available, &error));
    TRY(kz_memory_unregister(device, out, &error));
    for (int i = 0; i < 3; i++) TRY(kz_memory_free(device, at[i], &error));
    TRY(kz_memory_free(device, host, &error));
    kz_event_close(event);
    kz_stream_close(stream);
    if (module != j->shared) kz_module_close(module);
    return is_sum(j, out, (float)(1000 * j->number + round));
}

static void *work(void *context) {
    job *j = context;
    for (int round = 0; round < ROUNDS && one_round(j, round); round++) {}
    return NULL;
}

static void all_at_once(const char *id) {
    kz_device *device;
    kz_module *shared;
    kz_error error = {0};
    const kz_image image = {
        .size = sizeof image, .name = "shared", .ptx = ptx, .ptx_size = sizeof ptx - 1, .natives = natives};
    if (kz_device_open(id, &device, &error)) fail_msg("%s", error.message);
    if (kz_module_load(device, &image, &shared, &error)) fail_msg("%s", error.message);
    job jobs[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){.device = device, .shared = shared, .number = i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        if (jobs[i].trouble[0]) fail_msg("thread %d on %s: %s", i, id, jobs[i].trouble);
    kz_module_close(shared);
    kz_device_close(device);
}

static void on_the_simulator(void **state) { all_at_once("sim:h200"); }
static void on_the_cpu(void **state) { all_at_once("cpu"); }
static void on_a_gpu(void **state) {
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    all_at_once("cuda");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_the_simulator), cmocka_unit_test(on_the_cpu),
                                       cmocka_unit_test(on_a_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
