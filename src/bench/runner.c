// libkz_runner: see runner.h.
#include "bench/runner.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench/sampler.h"
#include "device/share.h"

enum { MOST_CANDIDATES = 16, MOST_RUNS = 32, TRIES = 5 };
static const double TRY_SECONDS = 2e-3, TRY_BUSY = 1e-3, LATE_SECONDS = 10e-6;

typedef struct runner_candidate {
    kz_runner *runner;
    kz_runner_enqueue enqueue;
    bench_candidate as, *list; // as the sampler knows it; `list` points at it
    bench_sampler *sampler;
    bench_mode mode;
    double seconds;
    bool joined;       // its work is known to end in the stream that is timed
    kz_module *module; // on the CPU
    kz_kernel *kernel;
    bool failed; // its last run on the CPU
} runner_candidate;

struct kz_runner {
    kz_device *device;
    kz_stream *first; // of this process
    bench_probes *probes;
    bench_data data; // the sets alone
    runner_candidate candidates[MOST_CANDIDATES];
    size_t count;
    kz_error error;
};

// ---- the device --------------------------------------------------------------------------------------------

int kz_runner_interface(void) { return BENCH_RUNNER_INTERFACE; }

int kz_runner_open(const char *device, kz_runner **runner) {
    kz_runner *r = *runner = calloc(1, sizeof *r);
    if (!r) return KZ_NO_MEMORY;
    kz_status status = kz_device_open(device, &r->device, &r->error);
    if (!status) status = kz_stream_open(r->device, &r->first, &r->error);
    return status ? status : bench_probes_open(r->device, &r->probes, &r->error);
}

void kz_runner_close(kz_runner *r) {
    if (!r) return;
    if (r->device) kz_runner_done(r);
    bench_probes_close(r->probes);
    if (r->first) kz_stream_close(r->first);
    kz_device_close(r->device);
    free(r);
}

const char *kz_runner_error(const kz_runner *r) { return r ? r->error.message : "no memory for the runner"; }

int kz_runner_synchronize(kz_runner *r) { return kz_device_synchronize(r->device, &r->error); }

// ---- a case ------------------------------------------------------------------------------------------------

int kz_runner_case(kz_runner *r, size_t sets, uint32_t misalign) {
    int status = kz_runner_done(r);
    r->data = (bench_data){.device = r->device, .sets = sets, .c.misalign = misalign};
    return status;
}

static kz_status read_buffer(kz_runner *r, const char *type, const char *role, kz_buffer *buffer) {
    static const char *const roles[] = {[KZ_INPUT] = "input", [KZ_OUTPUT] = "output", [KZ_INOUT] = "inout"};
    int t = 0, k = 0;
    while (t < KZ_TYPE_COUNT && strcmp(kz_type_name((kz_type)t), type) != 0) t++;
    while (k < (int)BASE_COUNT(roles) && strcmp(roles[k], role) != 0) k++;
    if (t == KZ_TYPE_COUNT || k == (int)BASE_COUNT(roles) || r->data.buffer_count == KZ_FAMILY_BUFFERS)
        return base_fail(&r->error, KZ_INVALID, "no buffer of type %s and role %s, or too many", type, role);
    buffer->type = (kz_type)t;
    buffer->role = (kz_role)k;
    return KZ_OK;
}

static kz_status import(kz_runner *r, const unsigned char *handle, kz_ptr *address) {
    device_memory_handle given;
    if (!handle) return KZ_OK;
    memcpy(given.bytes, handle, sizeof given.bytes);
    return device_memory_import(r->device, &given, address, &r->error);
}

int kz_runner_buffer(kz_runner *r, const char *type, const char *role, uint64_t count, uint64_t stride,
                     const unsigned char *handle, const unsigned char *pristine, kz_ptr *address) {
    bench_data *d = &r->data;
    kz_buffer buffer = {.name = "", .count = count};
    kz_status status = read_buffer(r, type, role, &buffer);
    if (status) return status;
    size_t b = d->buffer_count++;
    d->buffers[b] = buffer;
    d->stride[b] = stride;
    status = import(r, handle, &d->base[b]);
    if (!status) status = import(r, pristine, &d->pristine[b]);
    *address = d->base[b];
    return status;
}

static void close_candidate(runner_candidate *c) {
    bench_sampler_close(c->sampler);
    if (c->module) kz_module_close(c->module);
    *c = (runner_candidate){0};
}

int kz_runner_done(kz_runner *r) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < r->count; i++) close_candidate(&r->candidates[i]);
    for (size_t b = 0; b < r->data.buffer_count && !status; b++) {
        status = device_memory_close(r->device, r->data.base[b], &r->error);
        if (!status) status = device_memory_close(r->device, r->data.pristine[b], &r->error);
    }
    r->count = 0;
    r->data = (bench_data){0};
    return status;
}

// ---- candidates --------------------------------------------------------------------------------------------

// On the CPU a run is a kernel of one block, so that it takes its turn in the stream, and in graphs.
static void run_block(const kz_native_launch *launch) {
    runner_candidate *c = *(runner_candidate *const *)launch->args[0];
    if (c->enqueue(NULL, *(const size_t *)launch->args[1])) c->failed = true;
}

static const kz_native_entry natives[] = {{"run", run_block}, {0}};

static kz_status load_native(runner_candidate *c) {
    const kz_image image = {.size = sizeof image, .name = "runner", .natives = natives};
    kz_status status = kz_module_load(c->runner->device, &image, &c->module, &c->runner->error);
    return status ? status : kz_module_kernel(c->module, "run", &c->kernel, &c->runner->error);
}

static kz_status fail_enqueue(kz_error *error) {
    return base_fail(error, KZ_TOOL, "the rival could not enqueue a run");
}

static kz_status enqueue_native(runner_candidate *c, kz_stream *stream, size_t set, kz_error *error) {
    const void *args[] = {&c, &set};
    const kz_launch launch = {.size = sizeof launch, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    c->failed = false;
    kz_status status = kz_launch_kernel(c->runner->device, stream, c->kernel, &launch, args, 2, error);
    return !status && c->failed ? fail_enqueue(error) : status;
}

static kz_status enqueue(void *self, kz_stream *stream, size_t set, kz_error *error) {
    runner_candidate *c = self;
    if (c->kernel) return enqueue_native(c, stream, set, error);
    return c->enqueue(stream ? kz_stream_handle(stream) : NULL, set) ? fail_enqueue(error) : KZ_OK;
}

int kz_runner_candidate(kz_runner *r, kz_runner_enqueue function) {
    if (r->count == MOST_CANDIDATES)
        return base_fail(&r->error, KZ_LIMIT, "at most %d candidates in a case", MOST_CANDIDATES);
    runner_candidate *c = &r->candidates[r->count];
    *c = (runner_candidate){.runner = r, .enqueue = function};
    c->as = (bench_candidate){.provider = BENCH_PEER, .self = c, .enqueue = enqueue};
    c->list = &c->as;
    kz_status status = kz_device_get_info(r->device)->kind == KZ_DEVICE_CPU ? load_native(c) : KZ_OK;
    if (status)
        close_candidate(c);
    else
        r->count++;
    return status;
}

static runner_candidate *find(kz_runner *r, size_t index) {
    if (index < r->count) return &r->candidates[index];
    base_fail(&r->error, KZ_INVALID, "there is no candidate %zu", index);
    return NULL;
}

int kz_runner_run(kz_runner *r, size_t index) {
    runner_candidate *c = find(r, index);
    if (!c) return KZ_INVALID;
    kz_status status = enqueue(c, r->first, 0, &r->error);
    return status
               ? status
               : kz_device_synchronize(r->device, &r->error); // in whatever stream: samples tell that apart
}

// ---- samples -----------------------------------------------------------------------------------------------

int kz_runner_condition(kz_runner *r, size_t index, const char *mode, const char *cache, const char *stream,
                        double seconds, size_t *runs, size_t *graph_sets) {
    runner_candidate *c = find(r, index);
    if (!c) return KZ_INVALID;
    const bench_condition_names names = {&mode, &cache, &stream, 1, 1, 1};
    bench_condition list[BENCH_CONDITIONS];
    size_t count = 0;
    bench_sampler_close(c->sampler);
    c->sampler = NULL;
    c->seconds = seconds;
    kz_status status = bench_conditions_parse(&names, list, &count, &r->error);
    if (status) return status;
    const bench_sampler_setup setup = {.data = &r->data,
                                       .probes = r->probes,
                                       .candidates = &c->list,
                                       .count = 1,
                                       .condition = list[0],
                                       .stream = list[0].stream == BENCH_FIRST_STREAM ? r->first : NULL,
                                       .seconds = &c->seconds};
    status = bench_sampler_open(&setup, &c->sampler, &r->error);
    if (!status) *runs = bench_sampler_runs(c->sampler, 0);
    if (!status) *graph_sets = bench_sampler_graph_sets(c->sampler, 0);
    c->mode = list[0].mode;
    c->joined = c->joined || kz_device_get_info(r->device)->kind == KZ_DEVICE_CPU || *graph_sets > 0;
    return status;
}

static bench_sampler *sampler_of(kz_runner *r, size_t index) {
    runner_candidate *c = find(r, index);
    if (c && !c->sampler) base_fail(&r->error, KZ_INVALID, "candidate %zu is in no condition", index);
    return c ? c->sampler : NULL;
}

// What a run on the CPU says while a graph is replayed is seen here alone.
static kz_status check_native(kz_runner *r, size_t index, kz_status status) {
    runner_candidate *c = &r->candidates[index];
    return !status && c->failed ? fail_enqueue(&r->error) : status;
}

// How long the device goes on when the stream is done: `runs` were enqueued while it was busy.
static kz_status time_rest(kz_runner *r, runner_candidate *c, size_t runs, double *least) {
    kz_stream *stream = bench_sampler_stream(c->sampler);
    kz_status status = KZ_OK;
    for (int i = 0; i < TRIES && !status; i++) {
        status = bench_probe_busy(r->probes, stream, TRY_BUSY, &r->error);
        for (size_t k = 0; k < runs && !status; k++)
            status = enqueue(c, stream, k % bench_sampler_sets(c->sampler), &r->error);
        if (!status) status = kz_stream_synchronize(r->device, stream, &r->error);
        double start = base_seconds();
        if (!status) status = kz_device_synchronize(r->device, &r->error);
        double waited = base_seconds() - start;
        if (i == 0 || waited < *least) *least = waited;
    }
    return status;
}

// What a rival does in streams of its own, and does not wait for in this one, is not timed. One run of it may be over
// before the host can look; the rest of many is not. Graphs need no such look: they cannot be recorded so.
static kz_status check_joined(kz_runner *r, runner_candidate *c) {
    double start = base_seconds(), empty = 0, waited = 0;
    kz_status status = enqueue(c, bench_sampler_stream(c->sampler), 0, &r->error);
    if (!status) status = kz_device_synchronize(r->device, &r->error);
    double one = base_seconds() - start;
    size_t runs = one < TRY_SECONDS / MOST_RUNS ? MOST_RUNS
                  : one < TRY_SECONDS / 2       ? (size_t)(TRY_SECONDS / one)
                                                : 2;
    if (!status) status = time_rest(r, c, 0, &empty);
    if (!status) status = time_rest(r, c, runs, &waited);
    c->joined = !status && waited <= 2 * empty + LATE_SECONDS;
    if (status || c->joined) return status;
    return base_fail(
        &r->error, KZ_TOOL,
        "its work goes on for %.0f us when the stream that is timed is done with %zu runs (without any: "
        "%.0f us): it runs in another stream, and is not waited for",
        1e6 * waited, runs, 1e6 * empty);
}

int kz_runner_sample(kz_runner *r, size_t index, double *seconds) {
    bench_sampler *sampler = sampler_of(r, index);
    if (!sampler) return KZ_INVALID;
    runner_candidate *c = &r->candidates[index];
    bench_clock clock = bench_sampler_clock(sampler);
    kz_status status = c->joined ? KZ_OK : check_joined(r, c);
    if (!status) status = check_native(r, index, clock.sample(clock.self, 0, seconds, &r->error));
    if (status || c->mode == BENCH_SUSTAINED) return status; // the next is under way there
    return kz_device_synchronize(r->device, &r->error); // nothing of it runs on into somebody else's sample
}

int kz_runner_replay(kz_runner *r, size_t index, size_t set) {
    bench_sampler *sampler = sampler_of(r, index);
    return sampler ? check_native(r, index, bench_sampler_replay(sampler, 0, set, &r->error)) : KZ_INVALID;
}
