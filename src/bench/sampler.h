// bench/sampler: takes the samples on a device, cold: what the loop in measure.c asks for.
//
// Latency: caches flushed, then one run between two events, on the next set of buffers.
// Throughput: caches flushed, then a graph of runs (1 ms or more in all) between two events, each run on the
// next set, so that a set is used again only after several times L2 have gone by.
#ifndef BENCH_SAMPLER_H
#define BENCH_SAMPLER_H

#include "bench/candidate.h"
#include "bench/measure.h"

typedef enum bench_mode { BENCH_LATENCY, BENCH_THROUGHPUT, BENCH_MODES } bench_mode;
const char *bench_mode_name(bench_mode mode); // "latency"

typedef struct bench_sampler bench_sampler;

typedef struct bench_sampler_setup {
    const bench_data *data;
    bench_probes *probes;
    bench_candidate *const *candidates; // those that are timed
    size_t count;
    bench_mode mode;
    const double *seconds;     // throughput: what one run takes, so that a graph holds 1 ms of them
    bool (*interrupted)(void); // may be NULL
    size_t *offender; // may be NULL: the candidate that could not be recorded, where opening fails for it
} bench_sampler_setup;

// What `setup` points at must outlive the sampler.
kz_status bench_sampler_open(const bench_sampler_setup *setup, bench_sampler **sampler, kz_error *error);
void bench_sampler_close(bench_sampler *sampler);
bench_clock bench_sampler_clock(bench_sampler *sampler);
size_t bench_sampler_runs(const bench_sampler *sampler, size_t candidate); // runs in a sample
// One sample's worth of runs on a poisoned set 0, exactly as they are timed: what is checked afterwards.
kz_status bench_sampler_replay(bench_sampler *sampler, size_t candidate, kz_error *error);
kz_stream *bench_sampler_stream(bench_sampler *sampler);

// How many runs of `seconds` a graph takes.
size_t bench_graph_runs(double seconds, size_t sets);

#endif
