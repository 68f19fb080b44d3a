// bench/candidate: a rival from peers/. Of the algorithms that it has for a problem, the fastest is the candidate.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench/candidate.h"
#include "bench/sampler.h"

typedef struct rival {
    const bench_data *data;
    const kz_peer *peer;
    kz_peer_problem problem;
    kz_arg args[KZ_PLAN_ARGS];
    kz_peer_plan plan;
    kz_ptr workspace;
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
    const kz_peer_call call = {.buffers = buffers, .workspace = r->workspace};
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

static kz_status rival_enqueue(void *self, kz_stream *stream, size_t set, kz_error *error) {
    rival *r = self;
    kz_ptr buffers[KZ_FAMILY_BUFFERS];
    bench_data_addresses(r->data, set, buffers);
    if (r->peer->on_cpu) return rival_launch(r, stream, buffers, error);
    const char *why = "no reason given";
    const kz_peer_call call = {kz_stream_handle(stream), buffers, r->workspace};
    if (r->peer->run(&r->problem, &r->plan, &call, &why) == 0) return KZ_OK;
    return base_fail(error, KZ_DRIVER, "the peer %s failed on %s: %s", r->peer->name, r->problem.family, why);
}

static void rival_close(void *self) {
    rival *r = self;
    if (r->peer->close) r->peer->close(&r->plan);
    kz_memory_free(r->data->device, r->workspace, NULL);
    if (r->module) kz_module_close(r->module);
    free(r);
}

// ---- which algorithm -------------------------------------------------------------------------------------

typedef struct stopwatch {
    rival *r;
    kz_device *device;
    kz_stream *stream;
    kz_event *start, *stop;
} stopwatch;

static kz_status stopwatch_open(stopwatch *w, rival *r, kz_error *error) {
    *w = (stopwatch){.r = r, .device = r->data->device};
    kz_status status = kz_stream_open(w->device, &w->stream, error);
    if (status == KZ_OK) status = kz_event_open(w->device, &w->start, error);
    return status ? status : kz_event_open(w->device, &w->stop, error);
}

static void stopwatch_close(stopwatch *w) {
    if (w->stop) kz_event_close(w->stop);
    if (w->start) kz_event_close(w->start);
    if (w->stream) kz_stream_close(w->stream);
}

// A run, or where a graph is given, that.
static kz_status time_once(stopwatch *w, kz_graph *graph, double *seconds, kz_error *error) {
    kz_status status = kz_event_record(w->device, w->start, w->stream, error);
    if (status == KZ_OK)
        status = graph ? kz_graph_launch(w->device, graph, w->stream, error)
                       : rival_enqueue(w->r, w->stream, 0, error);
    if (status == KZ_OK) status = kz_event_record(w->device, w->stop, w->stream, error);
    if (status == KZ_OK) status = kz_event_synchronize(w->device, w->stop, error);
    return status ? status : kz_event_elapsed(w->device, w->start, w->stop, seconds, error);
}

// Per run of a graph of `runs`, on one set after the other.
static kz_status time_graph(stopwatch *w, size_t runs, double *seconds) {
    kz_graph *graph = NULL;
    kz_status status = kz_graph_begin(w->device, w->stream, NULL);
    if (status != KZ_OK) return status;
    for (size_t i = 0; i < runs && status == KZ_OK; i++)
        status = rival_enqueue(w->r, w->stream, i % w->r->data->sets, NULL);
    kz_status ended = kz_graph_end(w->device, w->stream, &graph, NULL);
    if (status == KZ_OK) status = ended;
    for (int i = 0; i < 2 && status == KZ_OK; i++)
        status = time_once(w, graph, seconds, NULL); // the second counts
    if (graph) kz_graph_close(graph);
    *seconds /= (double)runs;
    return status;
}

// The first run loads what it needs. A short one is timed in a graph, where it can be recorded: its single run is
// mostly the launch. Twice the best so far is no candidate, and not timed further.
static kz_status time_algorithm(stopwatch *w, double best, double *seconds, kz_error *error) {
    double in_graph;
    kz_status status = time_once(w, NULL, seconds, error);
    if (status == KZ_OK) status = time_once(w, NULL, seconds, error);
    if (status != KZ_OK || *seconds > 2 * best) return status;
    size_t runs = bench_graph_runs(*seconds, w->r->data->sets);
    if (runs > 1 && time_graph(w, runs, &in_graph) == KZ_OK) *seconds = in_graph;
    return KZ_OK;
}

// Keeps the fastest of those that run, and says how many those are. The error is the last one's where none does.
static kz_status choose_algorithm(rival *r, int *tried, kz_error *error) {
    stopwatch w;
    kz_error last = {0};
    double best = INFINITY, seconds;
    int chosen = 0;
    kz_status status = stopwatch_open(&w, r, &last);
    for (int i = 0; i < r->plan.algorithms && w.stop; i++) {
        r->plan.algorithm = i;
        kz_status one = time_algorithm(&w, best, &seconds, &last);
        if (one == KZ_LOST || one == KZ_FAULT) break; // nothing runs here any more
        if (one != KZ_OK) continue;
        ++*tried;
        if (seconds < best) best = seconds, chosen = i;
    }
    r->plan.algorithm = chosen;
    stopwatch_close(&w);
    if (*tried == 0 && error) *error = last;
    return *tried ? KZ_OK : last.status ? last.status : status;
}

// ---- the candidate ---------------------------------------------------------------------------------------

static kz_status rival_prepare(rival *r, bench_candidate *candidate, const char *offer, kz_error *error) {
    const char *why = "no reason given";
    int tried = 0;
    int failed = r->peer->prepare(&r->problem, &r->plan, &why);
    if (failed)
        return base_fail(error, failed == KZ_PEER_DOES_NOT ? KZ_UNSUPPORTED : KZ_DRIVER,
                         "the peer %s could not prepare: %s", r->peer->name, why);
    candidate->workspace_bytes = r->plan.workspace_bytes + r->plan.kept_bytes;
    kz_status status = kz_memory_alloc(r->data->device, r->plan.workspace_bytes, &r->workspace, error);
    if (status == KZ_OK && r->peer->on_cpu) status = rival_load(r, error);
    if (status != KZ_OK || r->plan.algorithms < 2) return status;
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
