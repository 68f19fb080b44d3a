// bench/sampler: takes the samples on a device, under one condition: what the loop in measure.c asks for.
//
// Latency: the caches are prepared, then one run between two events, on the next set of buffers.
// Throughput: the caches are prepared, then a graph of runs (1 ms or more in all) between two events, each run on the
// next set, so that a set is used again only after several times L2 have gone by.
// Sustained: as many such graphs as take 20 ms, and those of the next sample are enqueued before this one is waited
// for: samples of one candidate in a row leave the device no rest.
// Burst: a rest, the caches are prepared, then as many graphs as take 3 ms.
//
// Outputs are overwritten before the caches are prepared, but for hot and sustained samples. In a switched stream, another
// context works before all that; before sustained samples once.
//
// It knows no family and keeps no global state: one candidate with buffers of its own, in any process, will do.
#ifndef BENCH_SAMPLER_H
#define BENCH_SAMPLER_H

#include "bench/candidate.h"
#include "bench/condition.h"
#include "bench/measure.h"

typedef struct bench_sampler bench_sampler;

typedef struct bench_sampler_setup {
    const bench_data *data; // of which only the sets are used: see data.h
    bench_probes *probes;
    bench_candidate *const *candidates; // those that are timed
    size_t count;
    bench_condition condition;
    kz_stream *stream;         // the one to use; NULL: the sampler makes one
    const double *seconds;     // what one run takes, so that a graph holds 1 ms of them; NULL for latency
    bool (*interrupted)(void); // may be NULL
    void (*watch)(size_t candidate, void *context); // may be NULL: whose code runs next
    void *watch_context;
    size_t *offender; // may be NULL: the candidate that could not be recorded, where opening fails for it
} bench_sampler_setup;

// What `setup` points at must outlive the sampler. KZ_INVALID where the condition means nothing, asks for the first
// stream and none is given, or for another context and the device has none.
kz_status bench_sampler_open(const bench_sampler_setup *setup, bench_sampler **sampler, kz_error *error);
void bench_sampler_close(bench_sampler *sampler); // NULL is allowed
bench_clock bench_sampler_clock(bench_sampler *sampler);
size_t bench_sampler_runs(const bench_sampler *sampler, size_t candidate); // runs in a sample
size_t bench_sampler_sets(const bench_sampler *sampler);                   // sets that runs rotate through
// The sets that a replay visits, from 0 on; 0: it is one run, on the set that it is given.
size_t bench_sampler_graph_sets(const bench_sampler *sampler, size_t candidate);
// What is timed once more, on sets that the caller has prepared, and waited for: the candidate's graph, or a run on
// `set`, behind other work in the stream. What it wrote can be checked then. Of a graph that alters inouts several times,
// one run per set, recorded as the graph was.
kz_status bench_sampler_replay(bench_sampler *sampler, size_t candidate, size_t set, kz_error *error);
kz_stream *bench_sampler_stream(bench_sampler *sampler);
// What an empty launch takes in a graph under the sampler's condition: it has two values in the life of a process, and
// graphs of short runs follow it (docs/measuring.md). The median of five tries; 0 where it is not known: in other modes, on a CPU.
kz_status bench_sampler_launch_gap(bench_sampler *sampler, double *seconds, kz_error *error);

// How many runs of `seconds` a graph takes.
size_t bench_graph_runs(double seconds, size_t sets);

#endif
