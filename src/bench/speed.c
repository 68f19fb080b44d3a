// The simulator's speed on the kernels that other simulators were measured with: a vector add of 2^20
// elements, a matmul of 256^3 in 16x16 tiles, a block reduction of 2^20 elements. Bounds checks are on,
// as always; counters are off, unless instruments are named. One core and two are measured in turn. The
// figure is the fastest launch: a virtual core often shares its core with a neighbour, which halves whatever
// is measured; the median is given beside it.

#include "bench/speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "observe/observe.h"

extern const char bench_speed_ptx[];
extern const size_t bench_speed_ptx_size;

typedef struct speed_kernel {
    const char *name, *entry;
    kz_launch launch;
    size_t inputs, outputs; // elements of each buffer
    int n;
    bool second_input;
} speed_kernel;

static const speed_kernel kernels[BENCH_SPEED_KERNELS] = {
    {"vector add, 2^20",
     "speed_vector_add",
     {.size = sizeof(kz_launch), .grid = {4096, 1, 1}, .block = {256, 1, 1}},
     1 << 20,
     1 << 20,
     1 << 20,
     true},
    {"matmul, 256^3 in 16x16 tiles",
     "speed_matmul",
     {.size = sizeof(kz_launch), .grid = {16, 16, 1}, .block = {16, 16, 1}},
     1 << 16,
     1 << 16,
     256,
     true},
    {"block reduction, 2^20",
     "speed_reduce",
     {.size = sizeof(kz_launch), .grid = {4096, 1, 1}, .block = {256, 1, 1}},
     1 << 20,
     4096,
     1 << 20,
     false},
};

typedef struct speed_run {
    kz_device *device;
    kz_module *module;
    kz_kernel *kernel;
    const speed_kernel *what;
    kz_ptr a, b, c;
    float *host;
    observe_session *session; // NULL, or who is to observe
} speed_run;

static kz_status launch(const speed_run *r, kz_error *error) {
    const void *three[] = {&r->a, &r->b, &r->c, &r->what->n}, *two[] = {&r->a, &r->c, &r->what->n};
    return kz_launch_kernel(r->device, NULL, r->kernel, &r->what->launch, r->what->second_input ? three : two,
                            r->what->second_input ? 4 : 3, error);
}

static float input(size_t i) { return (float)(i % 7) - 3.0f; }

// Small integers: every sum is exact, so the answer is known to the bit.
static bool is_correct(const speed_run *r) {
    for (size_t i = 0; i < r->what->outputs; i++) {
        double expected = 0;
        if (r->what == &kernels[0])
            expected = 2.0 * input(i);
        else if (r->what == &kernels[1])
            for (size_t k = 0; k < 256; k++)
                expected += (double)input(i / 256 * 256 + k) * input(k * 256 + i % 256);
        else
            for (size_t k = 0; k < 256; k++) expected += input(i * 256 + k);
        if (!(fabs(r->host[i] - expected) == 0)) return false;
    }
    return true;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static kz_status time_one(const speed_run *r, unsigned threads, double *samples, size_t *count,
                          kz_error *error) {
    kz_status status = kz_device_set_threads(r->device, threads, error);
    if (status != KZ_OK) return status;
    double begin = base_seconds();
    status = launch(r, error);
    samples[(*count)++] = base_seconds() - begin;
    return status;
}

static double median(double *samples, size_t count) {
    qsort(samples, count, sizeof *samples, by_value);
    return samples[count / 2];
}

enum { SAMPLES = 4096 };

// One sample with the instruments, which listen to nothing else.
static kz_status time_observed(const speed_run *r, double *samples, size_t *count, kz_error *error) {
    kz_status status = device_sim_observe(r->device, r->session, error);
    if (status == KZ_OK) status = time_one(r, 1, samples, count, error);
    kz_status after = device_sim_observe(r->device, NULL, error);
    return status ? status : after;
}

static kz_status take_samples(const speed_run *r, double seconds, unsigned cores, double *samples[3],
                              size_t counts[3], kz_error *error) {
    kz_status status = KZ_OK;
    for (double end = base_seconds() + seconds;
         status == KZ_OK && counts[0] < SAMPLES && (base_seconds() < end || counts[0] < 5);) {
        status = time_one(r, 1, samples[0], &counts[0], error);
        if (status == KZ_OK) status = time_one(r, cores, samples[1], &counts[1], error);
        if (status == KZ_OK && r->session) status = time_observed(r, samples[2], &counts[2], error);
    }
    return status;
}

static kz_status measure(const speed_run *r, double seconds, bench_speed_row *row, kz_error *error) {
    double *memory = malloc(3 * SAMPLES * sizeof *memory);
    if (!memory) return base_fail(error, KZ_NO_MEMORY, "out of memory for samples");
    double *samples[3] = {memory, memory + SAMPLES, memory + 2 * SAMPLES};
    size_t counts[3] = {0};
    kz_status status = take_samples(r, seconds, row->cores, samples, counts, error);
    if (status == KZ_OK) {
        double done = (double)row->thread_instructions;
        row->one_core_median = done / median(samples[0], counts[0]);
        row->all_cores_median = done / median(samples[1], counts[1]);
        row->one_core = done / samples[0][0]; // sorted by now
        row->all_cores = done / samples[1][0];
        if (r->session) row->observed_median = done / median(samples[2], counts[2]);
        if (r->session) row->observed = done / samples[2][0];
    }
    free(memory);
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

static kz_status run_kernel(speed_run *r, double seconds, bench_speed_row *row, kz_error *error) {
    size_t in = r->what->inputs * sizeof(float), out = r->what->outputs * sizeof(float);
    r->host = malloc(in > out ? in : out);
    if (!r->host) return base_fail(error, KZ_NO_MEMORY, "out of memory for inputs");
    // Instruments that follow memory must hear of all of it.
    if (r->session) device_sim_observe(r->device, r->session, NULL);
    for (size_t i = 0; i < r->what->inputs; i++) r->host[i] = input(i);
    kz_status status = kz_module_kernel(r->module, r->what->entry, &r->kernel, error);
    if (status == KZ_OK) status = kz_memory_alloc(r->device, in, &r->a, error);
    if (status == KZ_OK) status = kz_memory_alloc(r->device, in, &r->b, error);
    if (status == KZ_OK) status = kz_memory_alloc(r->device, out, &r->c, error);
    if (status == KZ_OK) status = kz_copy_to_device(r->device, NULL, r->a, r->host, in, error);
    if (status == KZ_OK) status = kz_copy_to_device(r->device, NULL, r->b, r->host, in, error);
    if (status == KZ_OK && r->session) status = device_sim_observe(r->device, NULL, error);
    if (status == KZ_OK) status = count_instructions(r, &row->thread_instructions, error);
    if (status == KZ_OK) status = measure(r, seconds, row, error);
    if (status == KZ_OK) status = kz_copy_to_host(r->device, NULL, r->host, r->c, out, error);
    if (status == KZ_OK) row->correct = is_correct(r);
    kz_memory_free(r->device, r->a, NULL);
    kz_memory_free(r->device, r->b, NULL);
    kz_memory_free(r->device, r->c, NULL);
    free(r->host);
    return status;
}

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

kz_status bench_speed(double seconds, const char *observe, bench_speed_row rows[BENCH_SPEED_KERNELS],
                      kz_error *error) {
    kz_image image = {.size = sizeof(kz_image),
                      .name = "bench/speed",
                      .ptx = bench_speed_ptx,
                      .ptx_size = bench_speed_ptx_size};
    speed_run r = {0};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    kz_status status = kz_device_open("sim", &r.device, error);
    if (status != KZ_OK) return status;
    if (observe) status = open_session(r.device, observe, &r.session, error);
    if (status == KZ_OK) status = kz_module_load(r.device, &image, &r.module, error);
    for (size_t i = 0; status == KZ_OK && i < BENCH_SPEED_KERNELS; i++) {
        speed_run one = r;
        one.what = &kernels[i];
        rows[i] = (bench_speed_row){.kernel = kernels[i].name, .cores = cores < 2 ? 1 : 2};
        status = run_kernel(&one, seconds, &rows[i], error);
    }
    kz_module_close(r.module);
    kz_device_close(r.device);
    observe_session_close(r.session);
    return status;
}
