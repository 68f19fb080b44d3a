// bench/measure: the loop that warms up, samples the candidates in turn and stops. Knows no device: a
// bench_clock takes the samples, so a test runs the whole protocol on a made-up clock.
//
// Candidates are sampled in rounds, forwards and backwards by turns (A B C, C B A, ...), so that sample i of
// one was taken beside sample i of another, and neither always goes first. Who has converged leaves the rounds. Where
// candidates are in several processes, nobody does before all have converged, unless its time is over and others of its
// process are left: all samples are then by turns with the same processes.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/stop.h"
#include "kz/kz.h"

typedef struct bench_clock {
    void *self;
    // One sample of candidate `index`, in seconds per run of its operation.
    kz_status (*sample)(void *self, size_t index, double *seconds, kz_error *error);
    void (*ready)(void *self, size_t index); // before a sample, in nobody's time; may be NULL
    double (*now)(void *self);               // wall clock in seconds, from anywhere
    bool (*interrupted)(void *self);         // asked between samples; NULL: never
    // In which process the candidate is sampled, as a number; NULL: all in one.
    size_t (*process)(void *self, size_t index);
} bench_clock;

typedef struct bench_series {
    double *samples; // in the order taken, warm-up left out
    size_t count, capacity;
    size_t warm_samples; // what warming up took
    bool warm;           // false: the time for warming up ran out first
    double spent;        // wall time of the samples, with all that surrounds them
    bench_state state;
    bench_summary summary;
    kz_status status; // KZ_OK, or that of the sample after which no more were taken
} bench_series;

// An error after which the device's state cannot be trusted. The rest concern one candidate alone.
bool bench_is_fatal(kz_status status);

// Fills series[0..count). A candidate whose sample fails drops out, with the reason in errors[], and the others go on:
// from the beginning where its process is lost with it. Without `errors` any failure ends it. On a fatal error, or when interrupted, what was sampled so far stays in the series (an interrupted measurement is KZ_OK with
// `state` still BENCH_GO_ON). bench_series_free each one.
kz_status bench_measure(const bench_clock *clock, const bench_rule *rule, size_t count, bench_series *series,
                        kz_error *errors, kz_error *error);
// One candidate alone, sample after sample, for `seconds` or more: the series is what was sampled in the second half.
// It has converged if its interval is within the rule's precision. `halfway` is called when that half begins.
kz_status bench_sustain(const bench_clock *clock, const bench_rule *rule, double seconds, size_t index,
                        bench_series *series, void (*halfway)(void *context), void *context, kz_error *error);
void bench_series_free(bench_series *series);
// Whether it has converged to a median, and its samples have not: the middle half of them spans more than 10%. So do two
// speeds, of which the median is one or the other.
bool bench_series_is_split(const bench_series *series);

#endif
