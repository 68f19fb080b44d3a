// bench/stats: what a row of samples says. Times are seconds; nothing here knows a device.
//
// The median is the figure, since a timing's errors are one-sided and its tail is long. Its interval comes
// from order statistics (binomial), so it supposes no distribution; ratios are medians of paired logarithms,
// their interval from a seeded bootstrap, so the same samples always give the same verdict.
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bench_summary {
    size_t count;
    double median;
    double low, high; // 95% interval of the median; the extremes where there are too few samples for one
    bool has_interval;
    double least, fifth_percentile, first_quartile, third_quartile, most;
    double ninety_fifth_percentile, ninety_ninth_percentile; // the slow runs
} bench_summary;

// Zeros for no samples. `samples` stays as it is. False when out of memory.
bool bench_summarise(const double *samples, size_t count, bench_summary *summary);

// Half the interval's width over the median: 0.005 is "within 0.5%". 1 where there is no interval.
double bench_relative_error(const bench_summary *summary);

// 1-based rank k such that [x(k), x(n + 1 - k)] holds the median with at least 95%; 0 where n is too small.
size_t bench_median_rank(size_t count);

double bench_median(double *samples, size_t count); // reorders the samples

typedef struct bench_ratio {
    size_t pairs;            // 0: samples were not paired
    double ratio, low, high; // of times, ours over the other's: under 1 is faster
    bool valid;
} bench_ratio;

// Samples a[i] and b[i] were taken next to each other. False when out of memory.
bool bench_compare(const double *a, const double *b, size_t pairs, uint64_t seed, bench_ratio *ratio);

// Samples that were not taken next to each other: the ratio of the medians, and the widest interval that theirs allow.
bench_ratio bench_compare_apart(const bench_summary *a, const bench_summary *b);

typedef enum bench_verdict { BENCH_UNDECIDED, BENCH_SAME, BENCH_FASTER, BENCH_SLOWER } bench_verdict;

// By a threshold such as 0.02: FASTER and SLOWER only where the whole interval lies beyond it, SAME where the
// whole interval lies within, UNDECIDED otherwise.
bench_verdict bench_judge(const bench_ratio *ratio, double threshold);
const char *bench_verdict_name(bench_verdict verdict); // "faster"

#endif
