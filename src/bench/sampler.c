// bench/sampler: see sampler.h.
#include "bench/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "device/context.h"

enum { MOST_RUNS = 2048, MOST_LAUNCHES = 1024, NOBODY = -1 };
enum { GAP_LAUNCHES = 120, GAP_TRIES = 5 };
static const double GRAPH_SECONDS = 1.1e-3; // 1 ms, and a little for what the estimate misses
static const double SUSTAINED_SECONDS = 20e-3, BURST_SECONDS = 3e-3;
static const double REST_SECONDS = 0.2;  // before a burst
static const double HEAD_START = 300e-6; // seconds

struct bench_sampler {
    bench_sampler_setup setup;
    kz_stream *stream;
    kz_event *start[2], *stop[2]; // two samples are under way in sustained mode, else one
    kz_graph **graphs;            // one per candidate; NULL: its runs are enqueued one by one
    kz_graph **replays;           // NULL where the graph that is timed is replayed itself
    size_t *runs, *launches;      // in a graph; of the graph in a sample
    size_t *graph_sets;           // as in bench_sample_shape
    size_t set;                   // latency: the next one
    int ahead, slot;              // sustained: the candidate whose next sample is under way, and its events
};

// Whole rounds over the sets where there is more than one round, so that each set is used equally often.
size_t bench_graph_runs(double seconds, size_t sets) {
    double wanted = seconds > 0 ? ceil(GRAPH_SECONDS / seconds) : MOST_RUNS;
    size_t runs = wanted > MOST_RUNS ? MOST_RUNS : wanted < 1 ? 1 : (size_t)wanted;
    if (runs > sets) runs = (runs + sets - 1) / sets * sets;
    return runs;
}

static size_t launches_in(double wanted, double seconds) {
    double launches = seconds > 0 ? ceil(wanted / seconds) : 1;
    return launches > MOST_LAUNCHES ? MOST_LAUNCHES : launches < 1 ? 1 : (size_t)launches;
}

static bench_condition condition_of(const bench_sampler *s) { return s->setup.condition; }

// Sets that runs rotate through.
static size_t sets_of(const bench_sampler *s) {
    return condition_of(s).cache == BENCH_HOT ? 1 : s->setup.data->sets;
}

// ---- runs -------------------------------------------------------------------------------------------------

static void watch(void *self, size_t index) {
    const bench_sampler *s = self;
    if (s->setup.watch) s->setup.watch(index, s->setup.watch_context);
}

// On the sets from `first` on.
static kz_status enqueue_runs(bench_sampler *s, size_t index, size_t first, size_t runs, kz_error *error) {
    bench_candidate *c = s->setup.candidates[index];
    kz_status status = KZ_OK;
    for (size_t i = 0; i < runs && status == KZ_OK; i++)
        status = c->enqueue(c->self, s->stream, (first + i) % sets_of(s), error);
    return status;
}

static kz_status enqueue_launches(bench_sampler *s, size_t index, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < s->launches[index] && status == KZ_OK; i++)
        status = s->graphs[index]
                     ? kz_graph_launch(s->setup.data->device, s->graphs[index], s->stream, error)
                     : enqueue_runs(s, index, s->set + i * s->runs[index], s->runs[index], error);
    return status;
}

// A run outside the graph comes first: what loads or compiles lazily must not do so while recording.
static kz_status record(bench_sampler *s, size_t index, size_t runs, kz_graph **graph, kz_error *error) {
    kz_device *device = s->setup.data->device;
    bench_candidate *c = s->setup.candidates[index];
    kz_status status = c->enqueue(c->self, s->stream, 0, error);
    if (status == KZ_OK) status = kz_stream_synchronize(device, s->stream, error);
    if (status == KZ_OK) status = kz_graph_begin(device, s->stream, error);
    if (status != KZ_OK) return status;
    status = enqueue_runs(s, index, 0, runs, error);
    // Recording must end even where a run could not be recorded, or the stream stays unusable.
    kz_status ended = kz_graph_end(device, s->stream, graph, status ? NULL : error);
    return status ? status : ended;
}

// A graph that visits a set several times alters its inouts several times, and no reference says what they are then:
// another one, with a run per set, is replayed in its place.
static kz_status record_graphs(bench_sampler *s, size_t index, kz_error *error) {
    size_t runs = s->runs[index], sets = sets_of(s);
    kz_status status = record(s, index, runs, &s->graphs[index], error);
    if (status == KZ_OK && runs > sets && bench_data_has_inout(s->setup.data))
        status = record(s, index, sets, &s->replays[index], error);
    s->graph_sets[index] = runs < sets ? runs : sets;
    return status;
}

static kz_status open_elsewhere(bench_sampler *s, size_t index, double seconds, kz_error *error) {
    const bench_candidate *c = s->setup.candidates[index];
    bench_sample_shape shape = {.runs = 1};
    kz_status status = c->elsewhere->open(c->self, condition_of(s), seconds, &shape, error);
    s->runs[index] = shape.runs;
    s->graph_sets[index] = shape.graph_sets < sets_of(s) ? shape.graph_sets : sets_of(s);
    return status;
}

// A run that fills a sample of its own needs no graph, unless graphs are what is measured.
static kz_status open_candidate(bench_sampler *s, size_t index, kz_error *error) {
    bench_mode mode = condition_of(s).mode;
    const bench_candidate *c = s->setup.candidates[index];
    double seconds = s->setup.seconds ? s->setup.seconds[index] : 0;
    s->runs[index] = s->launches[index] = 1;
    if (c->elsewhere) return open_elsewhere(s, index, seconds, error);
    if (mode == BENCH_LATENCY) return KZ_OK;
    s->runs[index] = bench_graph_runs(seconds, sets_of(s));
    if (mode != BENCH_THROUGHPUT)
        s->launches[index] = launches_in(mode == BENCH_SUSTAINED ? SUSTAINED_SECONDS : BURST_SECONDS,
                                         seconds * (double)s->runs[index]);
    return mode == BENCH_THROUGHPUT || s->runs[index] > 1 ? record_graphs(s, index, error) : KZ_OK;
}

// ---- opening ----------------------------------------------------------------------------------------------

static kz_status check_setup(const bench_sampler_setup *setup, kz_error *error) {
    kz_status status = bench_condition_check(setup->condition, error);
    bench_stream stream = setup->condition.stream;
    bool there = stream == BENCH_FIRST_STREAM      ? setup->stream != NULL
                 : stream == BENCH_SWITCHED_STREAM ? device_has_contexts(setup->data->device)
                                                   : true;
    if (status || there) return status;
    status =
        base_fail(error, KZ_INVALID, "%s has no %s", kz_device_get_info(setup->data->device)->id,
                  stream == BENCH_FIRST_STREAM ? "first stream to measure in" : "other context to switch to");
    base_fail_note(error, "use --stream later");
    return status;
}

static kz_status open_events(bench_sampler *s, kz_error *error) {
    kz_device *device = s->setup.data->device;
    kz_status status = KZ_OK;
    for (int i = 0; i < 2 && status == KZ_OK; i++) {
        status = kz_event_open(device, &s->start[i], error);
        if (status == KZ_OK) status = kz_event_open(device, &s->stop[i], error);
    }
    return status;
}

kz_status bench_sampler_open(const bench_sampler_setup *setup, bench_sampler **sampler, kz_error *error) {
    *sampler = NULL;
    kz_status status = check_setup(setup, error);
    if (status != KZ_OK) return status;
    bench_sampler *s = calloc(1, sizeof *s);
    if (!s) return base_fail(error, KZ_NO_MEMORY, "no memory to take samples");
    size_t count = setup->count;
    s->setup = *setup;
    s->ahead = NOBODY;
    s->graphs = calloc(count + 1, sizeof(kz_graph *));
    s->replays = calloc(count + 1, sizeof(kz_graph *));
    s->runs = calloc(count + 1, sizeof *s->runs);
    s->launches = calloc(count + 1, sizeof *s->launches);
    s->graph_sets = calloc(count + 1, sizeof *s->graph_sets);
    if (!s->graphs || !s->replays || !s->runs || !s->launches || !s->graph_sets)
        status = base_fail(error, KZ_NO_MEMORY, "no memory to take samples");
    s->stream = setup->stream;
    if (status == KZ_OK && !s->stream) status = kz_stream_open(setup->data->device, &s->stream, error);
    if (status == KZ_OK) status = open_events(s, error);
    for (size_t i = 0; i < count && status == KZ_OK; i++) {
        watch(s, i);
        status = open_candidate(s, i, error);
        if (status != KZ_OK && setup->offender) *setup->offender = i;
    }
    if (status != KZ_OK) {
        bench_sampler_close(s);
        return status;
    }
    *sampler = s;
    return KZ_OK;
}

void bench_sampler_close(bench_sampler *s) {
    if (!s) return;
    if (s->ahead != NOBODY) kz_stream_synchronize(s->setup.data->device, s->stream, NULL);
    for (size_t i = 0; s->graphs && i < s->setup.count; i++)
        if (s->graphs[i]) kz_graph_close(s->graphs[i]);
    for (size_t i = 0; s->replays && i < s->setup.count; i++)
        if (s->replays[i]) kz_graph_close(s->replays[i]);
    for (int i = 0; i < 2; i++) {
        if (s->stop[i]) kz_event_close(s->stop[i]);
        if (s->start[i]) kz_event_close(s->start[i]);
    }
    if (s->stream && !s->setup.stream) kz_stream_close(s->stream);
    free(s->graphs);
    free(s->replays);
    free(s->runs);
    free(s->launches);
    free(s->graph_sets);
    free(s);
}

size_t bench_sampler_runs(const bench_sampler *s, size_t candidate) {
    return s->runs[candidate] * s->launches[candidate];
}
size_t bench_sampler_sets(const bench_sampler *s) { return sets_of(s); }
size_t bench_sampler_graph_sets(const bench_sampler *s, size_t candidate) { return s->graph_sets[candidate]; }
kz_stream *bench_sampler_stream(bench_sampler *s) { return s->stream; }

// ---- samples ----------------------------------------------------------------------------------------------

// That a sample visits, from s->set on.
static size_t visited_sets(const bench_sampler *s, size_t index) {
    size_t runs = bench_sampler_runs(s, index);
    return runs < sets_of(s) ? runs : sets_of(s);
}

static kz_status restore(bench_sampler *s, size_t index, kz_error *error) {
    const bench_data *data = s->setup.data;
    if (s->setup.candidates[index]->provider == BENCH_PEAK || !bench_data_has_inout(data)) return KZ_OK;
    return bench_data_restore(data, s->stream, s->set, visited_sets(s, index), error);
}

// A run that finds its result there already could leave the work undone.
static kz_status blank(bench_sampler *s, size_t index, kz_error *error) {
    if (s->setup.candidates[index]->provider == BENCH_PEAK) return KZ_OK;
    return bench_data_blank(s->setup.data, s->stream, s->set, visited_sets(s, index), error);
}

// Keeps a GPU busy for HEAD_START or more, so that a run has been enqueued when its turn comes: what is timed is the GPU's
// work, whether Python enqueues it or C, one launch or a graph of hundreds. A CPU runs at once what is enqueued.
static kz_status give_head_start(bench_sampler *s, kz_error *error) {
    bench_mode mode = condition_of(s).mode;
    if (mode == BENCH_SUSTAINED || mode == BENCH_BURST) return KZ_OK;
    return bench_probe_busy(s->setup.probes, s->stream, HEAD_START, error);
}

// Blanking and restoring write too: they come before what decides what the caches hold. Hot outputs are not blanked: they
// would be hot by another's writing.
static kz_status prepare(bench_sampler *s, size_t index, kz_error *error) {
    const bench_sampler_setup *setup = &s->setup;
    bench_candidate *c = setup->candidates[index];
    bench_cache cache = condition_of(s).cache;
    kz_status status = KZ_OK;
    if (condition_of(s).mode == BENCH_SUSTAINED) return restore(s, index, error);
    if (cache == BENCH_HOT) status = c->enqueue(c->self, s->stream, 0, error);
    if (cache != BENCH_HOT) status = blank(s, index, error);
    if (cache == BENCH_FRESH && status == KZ_OK) status = bench_probe_flush(setup->probes, s->stream, error);
    if (status == KZ_OK) status = restore(s, index, error);
    if (status != KZ_OK || cache == BENCH_HOT) return status;
    if (cache == BENCH_COLD) return bench_probe_flush(setup->probes, s->stream, error);
    if (cache == BENCH_DIRTY) return bench_probe_dirty(setup->probes, s->stream, error);
    return c->produce ? c->produce(c->self, s->stream, s->set, error)
                      : bench_data_produce(setup->data, setup->probes, s->stream, s->set, error);
}

static kz_status start_sample(bench_sampler *s, size_t index, int slot, kz_error *error) {
    kz_device *device = s->setup.data->device;
    kz_status status = give_head_start(s, error);
    if (status == KZ_OK) status = prepare(s, index, error);
    if (status == KZ_OK) status = kz_event_record(device, s->start[slot], s->stream, error);
    if (status == KZ_OK) status = enqueue_launches(s, index, error);
    return status ? status : kz_event_record(device, s->stop[slot], s->stream, error);
}

static kz_status finish_sample(bench_sampler *s, size_t index, int slot, double *seconds, kz_error *error) {
    kz_device *device = s->setup.data->device;
    kz_status status = kz_event_synchronize(device, s->stop[slot], error);
    if (status == KZ_OK) status = kz_event_elapsed(device, s->start[slot], s->stop[slot], seconds, error);
    *seconds /= (double)bench_sampler_runs(s, index);
    return status;
}

// Only while nothing of ours is under way, and before anything is prepared: what it leaves in the caches is none of the
// condition's.
static kz_status switch_context(const bench_sampler *s, kz_error *error) {
    if (condition_of(s).stream != BENCH_SWITCHED_STREAM) return KZ_OK;
    return device_switch_context(s->setup.data->device, error);
}

// The next sample is under way before this one is waited for. Another candidate begins on a device that has just
// finished the one before.
static kz_status sample_sustained(bench_sampler *s, size_t index, double *seconds, kz_error *error) {
    kz_status status = KZ_OK;
    if (s->ahead != (int)index) {
        status = kz_stream_synchronize(s->setup.data->device, s->stream, error);
        if (status == KZ_OK) status = switch_context(s, error);
        if (status == KZ_OK) status = start_sample(s, index, s->slot, error);
    }
    int slot = s->slot;
    s->ahead = (int)index;
    s->slot = !slot;
    if (status == KZ_OK) status = start_sample(s, index, s->slot, error);
    return status ? status : finish_sample(s, index, slot, seconds, error);
}

// Nothing of ours may run while another process measures.
static kz_status sample_elsewhere(bench_sampler *s, size_t index, double *seconds, kz_error *error) {
    const bench_candidate *c = s->setup.candidates[index];
    kz_status status =
        s->ahead == NOBODY ? KZ_OK : kz_stream_synchronize(s->setup.data->device, s->stream, error);
    s->ahead = NOBODY;
    return status ? status : c->elsewhere->sample(c->self, seconds, error);
}

static void rest(void) {
    const struct timespec time = {.tv_nsec = (long)(REST_SECONDS * 1e9)};
    nanosleep(&time, NULL); // a signal cuts it short, and the run with it
}

static kz_status sample(void *self, size_t index, double *seconds, kz_error *error) {
    bench_sampler *s = self;
    bench_mode mode = condition_of(s).mode;
    if (s->setup.candidates[index]->elsewhere) return sample_elsewhere(s, index, seconds, error);
    if (mode == BENCH_SUSTAINED) return sample_sustained(s, index, seconds, error);
    kz_status status = switch_context(s, error);
    if (mode == BENCH_BURST) rest();
    if (status == KZ_OK) status = start_sample(s, index, 0, error);
    if (status == KZ_OK) status = finish_sample(s, index, 0, seconds, error);
    if (mode == BENCH_LATENCY) s->set = (s->set + 1) % sets_of(s);
    return status;
}

static double now(void *self) { return base_seconds(); }

static bool interrupted(void *self) {
    bench_sampler *s = self;
    return s->setup.interrupted && s->setup.interrupted();
}

// 0 is this one. A provider has one process for all of its candidates.
static size_t process(void *self, size_t index) {
    const bench_sampler *s = self;
    bench_candidate *const *all = s->setup.candidates;
    size_t first = 0;
    if (!all[index]->elsewhere) return 0;
    while (!all[first]->elsewhere || strcmp(all[first]->by, all[index]->by) != 0) first++;
    return first + 1;
}

bench_clock bench_sampler_clock(bench_sampler *sampler) {
    bool several = false;
    for (size_t i = 0; i < sampler->setup.count; i++)
        several = several || sampler->setup.candidates[i]->elsewhere;
    return (bench_clock){.self = sampler,
                         .sample = sample,
                         .ready = watch,
                         .now = now,
                         .interrupted = interrupted,
                         .process = several ? process : NULL};
}

// Behind other work in its stream, the last of which blanks the outputs as before a sample: a run finds nothing by which it
// could tell one from the other. What it does in another stream, where it does not wait, is blanked too.
static kz_status blank_behind(bench_sampler *s, size_t first, size_t count, kz_error *error) {
    const bench_data *data = s->setup.data;
    kz_status status = bench_probe_busy(s->setup.probes, s->stream, HEAD_START, error);
    if (status == KZ_OK) status = bench_data_restore(data, s->stream, first, count, error);
    return status ? status : bench_data_blank(data, s->stream, first, count, error);
}

static kz_status run_behind(bench_sampler *s, size_t index, size_t set, kz_error *error) {
    bench_candidate *c = s->setup.candidates[index];
    kz_status status = blank_behind(s, set, 1, error);
    return status ? status : c->enqueue(c->self, s->stream, set, error);
}

static kz_status launch_behind(bench_sampler *s, size_t index, kz_error *error) {
    kz_graph *graph = s->replays[index] ? s->replays[index] : s->graphs[index];
    kz_status status = blank_behind(s, 0, s->graph_sets[index], error);
    return status ? status : kz_graph_launch(s->setup.data->device, graph, s->stream, error);
}

kz_status bench_sampler_replay(bench_sampler *s, size_t index, size_t set, kz_error *error) {
    const bench_data *data = s->setup.data;
    bench_candidate *c = s->setup.candidates[index];
    watch(s, index);
    kz_status status = KZ_OK;
    if (c->elsewhere) {
        status = kz_stream_synchronize(data->device, s->stream, error); // what the caller prepared
        return status ? status : c->elsewhere->replay(c->self, set, error);
    }
    status = s->graphs[index] ? launch_behind(s, index, error) : run_behind(s, index, set, error);
    return status ? status : kz_stream_synchronize(data->device, s->stream, error);
}

// ---- how closely launches follow each other -----------------------------------------------------------------

static kz_status record_empty(bench_sampler *s, kz_graph **graph, kz_error *error) {
    kz_device *device = s->setup.data->device;
    kz_status status = kz_graph_begin(device, s->stream, error);
    if (status != KZ_OK) return status;
    for (int i = 0; i < GAP_LAUNCHES && status == KZ_OK; i++)
        status = bench_probe_empty(s->setup.probes, s->stream, error);
    kz_status ended = kz_graph_end(device, s->stream, graph, status ? NULL : error);
    return status ? status : ended;
}

static kz_status time_empty(bench_sampler *s, kz_graph *graph, double *seconds, kz_error *error) {
    kz_device *device = s->setup.data->device;
    kz_status status = switch_context(s, error);
    if (status == KZ_OK) status = give_head_start(s, error);
    if (status == KZ_OK) status = kz_event_record(device, s->start[0], s->stream, error);
    if (status == KZ_OK) status = kz_graph_launch(device, graph, s->stream, error);
    if (status == KZ_OK) status = kz_event_record(device, s->stop[0], s->stream, error);
    if (status == KZ_OK) status = kz_event_synchronize(device, s->stop[0], error);
    if (status == KZ_OK) status = kz_event_elapsed(device, s->start[0], s->stop[0], seconds, error);
    *seconds /= GAP_LAUNCHES;
    return status;
}

kz_status bench_sampler_launch_gap(bench_sampler *s, double *seconds, kz_error *error) {
    *seconds = 0;
    if (condition_of(s).mode != BENCH_THROUGHPUT || !bench_probes_has_empty(s->setup.probes)) return KZ_OK;
    kz_graph *graph = NULL;
    double tries[GAP_TRIES] = {0};
    kz_status status = record_empty(s, &graph, error);
    for (int i = 0; i < GAP_TRIES && status == KZ_OK; i++) status = time_empty(s, graph, &tries[i], error);
    if (graph) kz_graph_close(graph);
    if (status == KZ_OK) *seconds = bench_median(tries, GAP_TRIES);
    return status;
}
