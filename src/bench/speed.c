// The simulator's speed on the kernels that other simulators were measured with (a vector add of 2^20 elements, a
// matmul of 256^3 in 16x16 tiles, a block reduction of 2^20 elements), and on what costs simulators most. Bounds
// checks are on, as always. Without instruments on one core and on two, then with each set of instruments on one
// core, all in turn. One core is measured by processor time, two by the clock. The figure is the fastest launch: a virtual core
// often shares its core with a neighbour, which halves whatever is measured; the median is given beside it.

#include "bench/speed.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/speed_kernels.h"
#include "device/device.h"
#include "observe/observe.h"

extern const char bench_speed_ptx[], bench_tensor_ptx[];
extern const size_t bench_speed_ptx_size, bench_tensor_ptx_size;

typedef struct speed_run {
    kz_device *device;
    kz_module *module;
    kz_kernel *kernel;
    const bench_speed_kernel *what;
    kz_ptr a, b, c;
    observe_session *sessions[BENCH_SPEED_OBSERVED]; // NULL: not asked for
} speed_run;

static kz_status launch(const speed_run *r, kz_error *error) {
    const void *arguments[] = {&r->a, &r->b, &r->c, &r->what->n};
    return kz_launch_kernel(r->device, NULL, r->kernel, &r->what->launch, arguments, 4, error);
}

// ---- measuring -------------------------------------------------------------------------------------------

// The ways in which a kernel is timed: on one core, on all, with each set of instruments.
enum { ONE_CORE, ALL_CORES, OBSERVED, WAYS = OBSERVED + BENCH_SPEED_OBSERVED, SAMPLES = 4096, LEAST = 3 };
typedef struct speed_samples {
    size_t count[WAYS];
    double seconds[WAYS][SAMPLES];
} speed_samples;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bench_speed_figure figure_of(speed_samples *samples, int way, uint64_t work) {
    size_t count = samples->count[way];
    if (!count) return (bench_speed_figure){0};
    qsort(samples->seconds[way], count, sizeof(double), by_value);
    return (bench_speed_figure){.best = (double)work / samples->seconds[way][0],
                                .median = (double)work / samples->seconds[way][count / 2]};
}

// Of all threads of the process, of which one computes: what others run meanwhile does not count.
static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static kz_status time_one(const speed_run *r, int way, unsigned cores, speed_samples *samples,
                          kz_error *error) {
    observe_session *session = way >= OBSERVED ? r->sessions[way - OBSERVED] : NULL;
    kz_status status = kz_device_set_threads(r->device, way == ALL_CORES ? cores : 1, error);
    if (status == KZ_OK && session) status = device_sim_observe(r->device, session, error);
    if (status != KZ_OK) return status;
    double begin = way == ALL_CORES ? base_seconds() : processor_seconds();
    status = launch(r, error);
    double end = way == ALL_CORES ? base_seconds() : processor_seconds();
    samples->seconds[way][samples->count[way]++] = end - begin;
    if (session) device_sim_observe(r->device, NULL, NULL);
    return status;
}

static kz_status measure(const speed_run *r, double seconds, bench_speed_row *row, kz_error *error) {
    speed_samples *samples = calloc(1, sizeof *samples);
    if (!samples) return base_fail(error, KZ_NO_MEMORY, "out of memory for samples");
    kz_status status = KZ_OK;
    for (double end = base_seconds() + seconds; status == KZ_OK && samples->count[ONE_CORE] < SAMPLES &&
                                                (base_seconds() < end || samples->count[ONE_CORE] < LEAST);)
        for (int way = 0; status == KZ_OK && way < WAYS; way++)
            if (way < OBSERVED || r->sessions[way - OBSERVED])
                status = time_one(r, way, row->cores, samples, error);
    uint64_t work = row->products ? row->products : row->thread_instructions;
    row->one_core = figure_of(samples, ONE_CORE, work);
    row->all_cores = figure_of(samples, ALL_CORES, work);
    for (int i = 0; i < BENCH_SPEED_OBSERVED; i++) row->observed[i] = figure_of(samples, OBSERVED + i, work);
    free(samples);
    return status;
}

static kz_status count_instructions(const speed_run *r, uint64_t *count, kz_error *error) {
    kz_counters counters = {.size = sizeof counters};
    kz_status status = kz_counters_enable(r->device, true, error);
    if (status == KZ_OK) status = kz_counters_read(r->device, &counters, true, error);
    if (status == KZ_OK) status = launch(r, error);
    if (status == KZ_OK) status = kz_counters_read(r->device, &counters, true, error);
    if (status == KZ_OK) status = kz_counters_enable(r->device, false, error);
    *count = counters.thread_instructions;
    return status;
}

// ---- one kernel ------------------------------------------------------------------------------------------

// The sessions listen to launches alone: what was made before is told to them.
static void declare(const speed_run *r, kz_ptr buffer, size_t bytes, uint64_t serial) {
    for (int i = 0; i < BENCH_SPEED_OBSERVED; i++)
        if (r->sessions[i])
            observe_session_declare_buffer(r->sessions[i], &(observe_buffer){.serial = serial,
                                                                             .base = buffer,
                                                                             .total = bytes,
                                                                             .data = buffer,
                                                                             .bytes = bytes,
                                                                             .is_written = true});
}

static kz_status make_buffers(speed_run *r, float *host, size_t in, size_t out, kz_error *error) {
    for (size_t i = 0; i < r->what->inputs; i++) {
        uint32_t word = r->what->word ? r->what->word(i) : 0;
        host[i] = bench_speed_input(i);
        if (r->what->word) memcpy(&host[i], &word, sizeof word);
    }
    kz_status status = kz_memory_alloc(r->device, in, &r->a, error);
    if (status == KZ_OK) status = kz_memory_alloc(r->device, in, &r->b, error);
    if (status == KZ_OK) status = kz_memory_alloc(r->device, out, &r->c, error);
    if (status == KZ_OK) status = kz_copy_to_device(r->device, NULL, r->a, host, in, error);
    if (status == KZ_OK) status = kz_copy_to_device(r->device, NULL, r->b, host, in, error);
    if (status == KZ_OK) status = kz_memory_fill(r->device, NULL, r->c, 0, out, error);
    declare(r, r->a, in, 1);
    declare(r, r->b, in, 2);
    declare(r, r->c, out, 3);
    return status;
}

// One more launch, from the beginning: is what it computes right?
static kz_status check(const speed_run *r, void *host, size_t out, bool *correct, kz_error *error) {
    kz_status status = kz_memory_fill(r->device, NULL, r->c, 0, out, error);
    if (status == KZ_OK) status = launch(r, error);
    if (status == KZ_OK) status = kz_copy_to_host(r->device, NULL, host, r->c, out, error);
    *correct = status == KZ_OK && r->what->is_right(host);
    return status;
}

static kz_status run_kernel(speed_run *r, double seconds, bench_speed_row *row, kz_error *error) {
    size_t in = r->what->inputs * sizeof(float), out = r->what->outputs * sizeof(float);
    float *host = malloc(in > out ? in : out);
    if (!host) return base_fail(error, KZ_NO_MEMORY, "out of memory for inputs");
    kz_status status = kz_module_kernel(r->module, r->what->entry, &r->kernel, error);
    if (status == KZ_OK) status = make_buffers(r, host, in, out, error);
    if (status == KZ_OK) status = count_instructions(r, &row->thread_instructions, error);
    if (status == KZ_OK) status = measure(r, seconds, row, error);
    if (status == KZ_OK) status = check(r, host, out, &row->correct, error);
    kz_memory_free(r->device, r->a, NULL);
    kz_memory_free(r->device, r->b, NULL);
    kz_memory_free(r->device, r->c, NULL);
    free(host);
    return status;
}

// ---- all -------------------------------------------------------------------------------------------------

// The instruments that are named, for the GPU that the device simulates.
static kz_status open_session(kz_device *device, const char *words, observe_session **session,
                              kz_error *error) {
    observe_options options;
    observe_gpu gpu;
    kz_status status = observe_options_parse(words, &options, error);
    if (status == KZ_OK) status = device_sim_gpu(device, &gpu, error);
    if (status == KZ_OK) status = observe_session_open(&options, &gpu, session, error);
    return status;
}

// Sessions of its own for each kernel: the buffers of the last one are none of its.
static kz_status run_observed(const speed_run *shared, const char *const observe[], double seconds,
                              bench_speed_row *row, kz_error *error) {
    speed_run r = *shared;
    kz_status status = KZ_OK;
    for (int i = 0; status == KZ_OK && i < BENCH_SPEED_OBSERVED; i++)
        if (observe[i]) status = open_session(r.device, observe[i], &r.sessions[i], error);
    if (status == KZ_OK) status = run_kernel(&r, seconds, row, error);
    for (int i = 0; i < BENCH_SPEED_OBSERVED; i++) observe_session_close(r.sessions[i]);
    return status;
}

kz_status bench_speed(double seconds, const char *const observe[BENCH_SPEED_OBSERVED],
                      bench_speed_row rows[BENCH_SPEED_KERNELS], kz_error *error) {
    const kz_image images[] = {
        {sizeof(kz_image), .name = "bench/speed", .ptx = bench_speed_ptx, .ptx_size = bench_speed_ptx_size},
        {sizeof(kz_image), .name = "bench/tensor", .ptx = bench_tensor_ptx,
         .ptx_size = bench_tensor_ptx_size}};
    kz_module *modules[2] = {NULL};
    speed_run r = {0};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    kz_status status = kz_device_open("sim", &r.device, error);
    if (status != KZ_OK) return status;
    for (int i = 0; i < 2 && status == KZ_OK; i++)
        status = kz_module_load(r.device, &images[i], &modules[i], error);
    for (size_t i = 0; status == KZ_OK && i < BENCH_SPEED_KERNELS; i++) {
        r.what = &bench_speed_kernels[i];
        r.module = modules[r.what->is_tensor];
        rows[i] = (bench_speed_row){
            .kernel = r.what->name, .products = r.what->products, .cores = cores < 2 ? 1 : 2};
        status = run_observed(&r, observe, seconds, &rows[i], error);
    }
    for (int i = 0; i < 2; i++) kz_module_close(modules[i]);
    kz_device_close(r.device);
    return status;
}
