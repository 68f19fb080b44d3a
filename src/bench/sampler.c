// bench/sampler: see sampler.h.
#include "bench/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"

enum { MOST_RUNS = 2048 };
static const double GRAPH_SECONDS = 1.1e-3; // 1 ms, and a little for what the estimate misses

struct bench_sampler {
    bench_sampler_setup setup;
    kz_stream *stream;
    kz_event *start, *stop;
    kz_graph **graphs; // throughput: one per candidate
    size_t *runs;
    size_t set; // latency: the next one
};

const char *bench_mode_name(bench_mode mode) { return mode == BENCH_LATENCY ? "latency" : "throughput"; }

// Whole rounds over the sets where there is more than one round, so that each set is used equally often.
size_t bench_graph_runs(double seconds, size_t sets) {
    double wanted = seconds > 0 ? ceil(GRAPH_SECONDS / seconds) : MOST_RUNS;
    size_t runs = wanted > MOST_RUNS ? MOST_RUNS : wanted < 1 ? 1 : (size_t)wanted;
    if (runs > sets) runs = (runs + sets - 1) / sets * sets;
    return runs;
}

static kz_status enqueue_runs(bench_sampler *s, size_t index, kz_error *error) {
    bench_candidate *c = s->setup.candidates[index];
    kz_status status = KZ_OK;
    for (size_t i = 0; i < s->runs[index] && status == KZ_OK; i++)
        status = c->enqueue(c->self, s->stream, i % s->setup.data->sets, error);
    return status;
}

// A run outside the graph comes first: what loads or compiles lazily must not do so while recording.
static kz_status record(bench_sampler *s, size_t index, kz_error *error) {
    kz_device *device = s->setup.data->device;
    bench_candidate *c = s->setup.candidates[index];
    kz_status status = c->enqueue(c->self, s->stream, 0, error);
    if (status == KZ_OK) status = kz_stream_synchronize(device, s->stream, error);
    if (status == KZ_OK) status = kz_graph_begin(device, s->stream, error);
    if (status != KZ_OK) return status;
    status = enqueue_runs(s, index, error);
    // Recording must end even where a run could not be recorded, or the stream stays unusable.
    kz_status ended = kz_graph_end(device, s->stream, &s->graphs[index], status ? NULL : error);
    return status ? status : ended;
}

kz_status bench_sampler_open(const bench_sampler_setup *setup, bench_sampler **sampler, kz_error *error) {
    *sampler = NULL;
    bench_sampler *s = calloc(1, sizeof *s);
    if (!s) return base_fail(error, KZ_NO_MEMORY, "no memory to take samples");
    kz_device *device = setup->data->device;
    size_t count = setup->count;
    s->setup = *setup;
    s->graphs = calloc(count + 1, sizeof(kz_graph *));
    s->runs = calloc(count + 1, sizeof *s->runs);
    kz_status status = KZ_OK;
    if (!s->graphs || !s->runs) status = base_fail(error, KZ_NO_MEMORY, "no memory to take samples");
    if (status == KZ_OK) status = kz_stream_open(device, &s->stream, error);
    if (status == KZ_OK) status = kz_event_open(device, &s->start, error);
    if (status == KZ_OK) status = kz_event_open(device, &s->stop, error);
    for (size_t i = 0; i < count && status == KZ_OK; i++) {
        s->runs[i] =
            setup->mode == BENCH_LATENCY ? 1 : bench_graph_runs(setup->seconds[i], setup->data->sets);
        if (setup->mode == BENCH_THROUGHPUT) status = record(s, i, error);
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
    for (size_t i = 0; s->graphs && i < s->setup.count; i++)
        if (s->graphs[i]) kz_graph_close(s->graphs[i]);
    if (s->stop) kz_event_close(s->stop);
    if (s->start) kz_event_close(s->start);
    if (s->stream) kz_stream_close(s->stream);
    free(s->graphs);
    free(s->runs);
    free(s);
}

size_t bench_sampler_runs(const bench_sampler *s, size_t candidate) { return s->runs[candidate]; }
kz_stream *bench_sampler_stream(bench_sampler *s) { return s->stream; }

static kz_status prepare_cold(bench_sampler *s, size_t index, kz_error *error) {
    const bench_data *data = s->setup.data;
    bool alters = s->setup.candidates[index]->provider != BENCH_PEAK && bench_data_has_inout(data);
    size_t sets = s->runs[index] < data->sets ? s->runs[index] : data->sets;
    kz_status status = KZ_OK;
    if (alters && s->setup.mode == BENCH_LATENCY)
        status = bench_data_restore(data, s->stream, s->set, 1, error);
    if (alters && s->setup.mode == BENCH_THROUGHPUT)
        status = bench_data_restore(data, s->stream, 0, sets, error);
    return status ? status : bench_probe_flush(s->setup.probes, s->stream, error);
}

static kz_status sample(void *self, size_t index, double *seconds, kz_error *error) {
    bench_sampler *s = self;
    kz_device *device = s->setup.data->device;
    bench_candidate *c = s->setup.candidates[index];
    kz_status status = prepare_cold(s, index, error);
    if (status == KZ_OK) status = kz_event_record(device, s->start, s->stream, error);
    if (status == KZ_OK)
        status = s->graphs[index] ? kz_graph_launch(device, s->graphs[index], s->stream, error)
                                  : c->enqueue(c->self, s->stream, s->set, error);
    if (status == KZ_OK) status = kz_event_record(device, s->stop, s->stream, error);
    if (status == KZ_OK) status = kz_event_synchronize(device, s->stop, error);
    if (status == KZ_OK) status = kz_event_elapsed(device, s->start, s->stop, seconds, error);
    *seconds /= (double)s->runs[index];
    s->set = (s->set + 1) % s->setup.data->sets;
    return status;
}

static double now(void *self) { return base_seconds(); }

static bool interrupted(void *self) {
    bench_sampler *s = self;
    return s->setup.interrupted && s->setup.interrupted();
}

bench_clock bench_sampler_clock(bench_sampler *sampler) {
    return (bench_clock){.self = sampler, .sample = sample, .now = now, .interrupted = interrupted};
}

// Inouts are restored in every set the graph touches; a set that the graph visits several times would have
// been altered several times, so there the check is of one plain run.
kz_status bench_sampler_replay(bench_sampler *s, size_t index, kz_error *error) {
    const bench_data *data = s->setup.data;
    bench_candidate *c = s->setup.candidates[index];
    bool twice = bench_data_has_inout(data) && s->runs[index] > data->sets;
    kz_status status = bench_data_poison(data, s->stream, 0, error);
    if (status == KZ_OK && s->graphs[index] && !twice)
        status = kz_graph_launch(data->device, s->graphs[index], s->stream, error);
    else if (status == KZ_OK)
        status = c->enqueue(c->self, s->stream, 0, error);
    return status ? status : kz_stream_synchronize(data->device, s->stream, error);
}
