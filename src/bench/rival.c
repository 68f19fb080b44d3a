// bench/candidate: a rival from peers/. Of the algorithms that it has for a problem, the fastest is the candidate.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench/candidate.h"
#include "bench/sampler.h"

enum { PACKED_UNIT = 256 };

typedef struct rival {
    const bench_data *data;
    const kz_peer *peer;
    kz_peer_problem problem;
    kz_arg args[KZ_PLAN_ARGS];
    kz_peer_plan plan;
    kz_ptr workspace;
    kz_ptr packed; // plan.packed_bytes for each set, at multiples of PACKED_UNIT
    uint64_t packed_seed;
    bool is_packed;    // of the data of that seed
    kz_module *module; // on the CPU
    kz_kernel *kernel;
    const char *failed; // why its last run on the CPU did not work
} rival;

// On the CPU a rival is a kernel of one block, so that it takes its turn in the stream, and in graphs.
static void rival_block(const kz_native_launch *launch) {
    rival *r = *(rival *const *)launch->args[0];
    kz_ptr buffers[KZ_FAMILY_BUFFERS] = {0};
    for (size_t i = 0; i < r->data->buffer_count; i++) buffers[i] = *(const kz_ptr *)launch->args[1 + i];
    const char *why = "no reason given";
    const kz_peer_call call = {.buffers = buffers, .workspace = r->workspace, .packed = r->packed};
    r->failed = r->peer->run(&r->problem, &r->plan, &call, &why) == 0 ? NULL : why;
}

static const kz_native_entry rival_natives[] = {{"rival", rival_block}, {0}};

static kz_status rival_load(rival *r, kz_error *error) {
    const kz_image image = {.size = sizeof(kz_image), .name = r->peer->name, .natives = rival_natives};
    kz_status status = kz_module_load(r->data->device, &image, &r->module, error);
    return status ? status : kz_module_kernel(r->module, "rival", &r->kernel, error);
}

static kz_status rival_launch(rival *r, kz_stream *stream, const kz_ptr *buffers, kz_error *error) {
    const void *args[1 + KZ_FAMILY_BUFFERS] = {&r};
    for (size_t i = 0; i < r->data->buffer_count; i++) args[1 + i] = &buffers[i];
    const kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    r->failed = NULL;
    kz_status status =
        kz_launch_kernel(r->data->device, stream, r->kernel, &launch, args, 1 + r->data->buffer_count, error);
    if (status || !r->failed) return status;
    return base_fail(error, KZ_TOOL, "the peer %s failed on %s: %s", r->peer->name, r->problem.family,
                     r->failed);
}

// ---- inputs in the library's own form ------------------------------------------------------------------------

static uint64_t packed_stride(const rival *r) {
    return kz_ceil_div(r->plan.packed_bytes, PACKED_UNIT) * PACKED_UNIT;
}

static kz_status pack_set(rival *r, size_t set, kz_error *error) {
    kz_ptr buffers[KZ_FAMILY_BUFFERS];
    const char *why = "no reason given";
    bench_data_addresses(r->data, set, buffers);
    const kz_peer_call call = {
        .buffers = buffers, .workspace = r->workspace, .packed = r->packed + set * packed_stride(r)};
    if (r->peer->pack(&r->problem, &r->plan, &call, &why) == 0) return KZ_OK;
    return base_fail(error, KZ_DRIVER, "the peer %s could not pack its inputs for %s: %s", r->peer->name,
                     r->problem.family, why);
}

// All sets, where there is something to pack that is not yet: at first, and when the data were drawn anew.
static kz_status rival_pack(rival *r, kz_error *error) {
    if (!r->peer->pack || (r->is_packed && r->packed_seed == r->data->seed)) return KZ_OK;
    kz_status status = kz_device_synchronize(r->data->device, error);
    for (size_t set = 0; set < r->data->sets && status == KZ_OK; set++) status = pack_set(r, set, error);
    r->is_packed = status == KZ_OK;
    r->packed_seed = r->data->seed;
    return status;
}

static kz_status rival_enqueue(void *self, kz_stream *stream, size_t set, kz_error *error) {
    rival *r = self;
    kz_ptr buffers[KZ_FAMILY_BUFFERS];
    bench_data_addresses(r->data, set, buffers);
    if (r->peer->on_cpu) return rival_launch(r, stream, buffers, error);
    kz_status status = rival_pack(r, error);
    if (status) return status;
    const char *why = "no reason given";
    const kz_peer_call call = {kz_stream_handle(stream), buffers, r->workspace,
                               r->packed + set * packed_stride(r)};
    if (r->peer->run(&r->problem, &r->plan, &call, &why) == 0) return KZ_OK;
    return base_fail(error, KZ_DRIVER, "the peer %s failed on %s: %s", r->peer->name, r->problem.family, why);
}

static void rival_close(void *self) {
    rival *r = self;
    if (r->peer->close) r->peer->close(&r->plan);
    kz_memory_free(r->data->device, r->workspace, NULL);
    kz_memory_free(r->data->device, r->packed, NULL);
    if (r->module) kz_module_close(r->module);
    free(r);
}

// ---- which algorithm -------------------------------------------------------------------------------------

// All are timed as candidates are: behind other work, with cold caches, several times; first by single runs. Short ones by
// graphs then, where single runs are mostly the launch: of those that can be recorded the fastest there is kept. No time of a
// graph is compared with one of a single run.

enum { MOST_ALGORITHMS = 64, SAMPLES = 5 };
static const double NO_CANDIDATE = 2; // times the fastest single run

typedef struct tuning {
    rival *r;
    double seconds[BENCH_MODES][MOST_ALGORITHMS]; // INFINITY: not timed so
    kz_error last;                                // of the last one that did not run
} tuning;

// The least of several samples, after one that loads what it needs.
static kz_status take_samples(bench_sampler *sampler, double *least, kz_error *error) {
    bench_clock clock = bench_sampler_clock(sampler);
    double seconds = 0;
    kz_status status = clock.sample(clock.self, 0, &seconds, error);
    for (int i = 0; i < SAMPLES && status == KZ_OK; i++) {
        status = clock.sample(clock.self, 0, &seconds, error);
        if (status == KZ_OK) *least = fmin(*least, seconds);
    }
    return status;
}

// `alone` is what one run takes where that is known.
static kz_status time_algorithm(tuning *t, int algorithm, bench_mode mode, double alone) {
    rival *r = t->r;
    bench_candidate candidate = {.provider = BENCH_PEER, .self = r, .enqueue = rival_enqueue},
                    *list[] = {&candidate};
    const bench_sampler_setup setup = {.data = r->data,
                                       .probes = r->data->probes,
                                       .candidates = list,
                                       .count = 1,
                                       .condition = {.mode = mode},
                                       .seconds = &alone};
    bench_sampler *sampler = NULL;
    double least = INFINITY;
    r->plan.algorithm = algorithm;
    kz_status status = bench_sampler_open(&setup, &sampler, &t->last);
    if (status == KZ_OK) status = take_samples(sampler, &least, &t->last);
    bench_sampler_close(sampler);
    t->seconds[mode][algorithm] = status == KZ_OK ? least : INFINITY;
    return status;
}

static int fastest(const double *seconds, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (seconds[i] < seconds[best]) best = i;
    return best;
}

// Those that may be the best, where the best is short.
static void time_in_graphs(tuning *t, int count) {
    const double *alone = t->seconds[BENCH_LATENCY];
    double best = alone[fastest(alone, count)];
    if (bench_graph_runs(best, t->r->data->sets) == 1) return;
    for (int i = 0; i < count; i++)
        if (alone[i] <= NO_CANDIDATE * best) time_algorithm(t, i, BENCH_THROUGHPUT, alone[i]);
}

// Keeps the fastest of those that run, and says how many those are. The error is the last one's where none does.
static kz_status choose_algorithm(rival *r, int *tried, kz_error *error) {
    tuning t = {.r = r};
    int count = r->plan.algorithms < MOST_ALGORITHMS ? r->plan.algorithms : MOST_ALGORITHMS;
    for (int i = 0; i < MOST_ALGORITHMS; i++)
        t.seconds[BENCH_LATENCY][i] = t.seconds[BENCH_THROUGHPUT][i] = INFINITY;
    for (int i = 0; i < count; i++) {
        kz_status status = time_algorithm(&t, i, BENCH_LATENCY, 0);
        if (bench_is_fatal(status)) break; // nothing runs here any more
        if (status == KZ_OK) ++*tried;
    }
    if (*tried == 0) {
        if (error) *error = t.last;
        return t.last.status;
    }
    time_in_graphs(&t, count);
    int best = fastest(t.seconds[BENCH_THROUGHPUT], count);
    if (!isfinite(t.seconds[BENCH_THROUGHPUT][best])) best = fastest(t.seconds[BENCH_LATENCY], count);
    r->plan.algorithm = best;
    return KZ_OK;
}

// ---- the candidate ---------------------------------------------------------------------------------------

static kz_status rival_prepare(rival *r, bench_candidate *candidate, const char *offer, kz_error *error) {
    const char *why = "no reason given";
    int tried = 0;
    int failed = r->peer->prepare(&r->problem, &r->plan, &why);
    if (failed)
        return base_fail(error, failed == KZ_PEER_DOES_NOT ? KZ_UNSUPPORTED : KZ_DRIVER,
                         "the peer %s could not prepare: %s", r->peer->name, why);
    candidate->workspace_bytes = r->plan.workspace_bytes + r->plan.kept_bytes + r->plan.packed_bytes;
    kz_status status = kz_memory_alloc(r->data->device, r->plan.workspace_bytes, &r->workspace, error);
    if (status == KZ_OK)
        status = kz_memory_alloc(r->data->device, packed_stride(r) * r->data->sets, &r->packed, error);
    if (status == KZ_OK) status = rival_pack(r, error);
    if (status == KZ_OK && r->peer->on_cpu) status = rival_load(r, error);
    if (status != KZ_OK || r->plan.algorithms < 2 || !r->data->probes) return status; // no clock: the first
    status = choose_algorithm(r, &tried, error);
    snprintf(candidate->name, sizeof candidate->name, "%s, best of %d", offer, tried);
    return status;
}

static kz_peer_problem problem_of(const kz_family *family, const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    kz_peer_problem problem = {.family = family->name,
                               .operation = family->operations[c->operation],
                               .type = c->type,
                               .args = args,
                               .arg_count = kz_guest_args(family, c, args)};
    memcpy(problem.axes, c->axes, sizeof problem.axes);
    return problem;
}

const char *bench_peer_offer(const kz_peer *peer, const kz_family *family, const kz_case *c, bool cpu) {
    kz_arg args[KZ_PLAN_ARGS];
    const kz_peer_problem problem = problem_of(family, c, args);
    return peer->on_cpu == cpu ? peer->offers(&problem) : NULL;
}

// The addresses' greatest common power of two, 256 at most: sets lie whole multiples of that apart.
static uint32_t alignment_of(const bench_data *data) {
    kz_ptr bits = 256;
    for (size_t b = 0; b < data->buffer_count; b++) bits |= bench_data_address(data, b, 0);
    return (uint32_t)(bits & -bits);
}

kz_status bench_candidate_peer(const bench_data *data, const kz_peer *peer, bench_candidate *candidate,
                               kz_error *error) {
    *candidate = bench_candidate_blank(BENCH_PEER, peer->name, "");
    rival *r = calloc(1, sizeof *r);
    if (!r) return base_fail(error, KZ_NO_MEMORY, "no memory for a candidate");
    r->data = data;
    r->peer = peer;
    r->problem = problem_of(data->family, &data->c, r->args);
    r->problem.alignment = alignment_of(data);
    bool cpu = kz_device_get_info(data->device)->kind == KZ_DEVICE_CPU;
    const char *offer = bench_peer_offer(peer, data->family, &data->c, cpu),
               *why = "it does not do this case";
    const char *version = offer ? peer->version(&why) : NULL;
    if (!version) {
        free(r);
        return base_fail(error, KZ_UNSUPPORTED, "no candidate of the peer %s: %s", peer->name, why);
    }
    snprintf(candidate->name, sizeof candidate->name, "%s", offer);
    snprintf(candidate->version, sizeof candidate->version, "%s", version);
    candidate->self = r;
    candidate->enqueue = rival_enqueue;
    candidate->close = rival_close;
    kz_status status = rival_prepare(r, candidate, offer, error);
    if (status != KZ_OK) bench_candidate_close(candidate);
    return status;
}
