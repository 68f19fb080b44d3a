// bench/stop: when a kernel is warm, and when it has been measured enough. Pure functions of the samples.
#ifndef BENCH_STOP_H
#define BENCH_STOP_H

#include "bench/stats.h"

typedef struct bench_rule {
    size_t least_samples;  // 30
    double least_seconds;  // 0.3, of everything a sample costs, flushing and restoring included
    double precision;      // 0.005: the median's 95% interval lies within this share of it, either way
    double most_seconds;   // 10: then it has not converged
    double warm_precision; // 0.01: two medians of ten in a row agree within this
    double warm_seconds;   // 1: the most that warming up may take
} bench_rule;

bench_rule bench_default_rule(void);
bench_rule bench_suite_rule(void); // for many cases, some with very slow first rungs: 2.5 s, warm after 0.4
bench_rule bench_quick_rule(void); // five samples or 0.5 s: shows that it runs, and is no figure
void bench_rule_limit(bench_rule *rule, double most_seconds); // 0: as it is

typedef enum bench_state { BENCH_GO_ON, BENCH_CONVERGED, BENCH_NOT_CONVERGED } bench_state;
const char *bench_state_name(bench_state state);

// One candidate's samples so far; `spent` is the wall time they cost. A candidate so slow that the time runs
// out first stops after three samples at the least, and has not converged.
bench_state bench_decide(const bench_rule *rule, const double *samples, size_t count, double spent);

// Whether the medians of the last ten and of the ten before agree.
bool bench_is_warm(const bench_rule *rule, const double *samples, size_t count);

// How many samples to take before asking bench_decide again: sorting after each one would cost more than
// sampling.
size_t bench_next_look(size_t count);

#endif
