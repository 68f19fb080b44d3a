// bench/stats: see stats.h.
#include "bench/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { RESAMPLES = 1000, EXACT_RANK_LIMIT = 1000, BOOTSTRAP_STREAM = 0x626f6f74 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of_sorted(const double *sorted, size_t count) {
    return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

// Linear between the two nearest ranks.
static double quantile_of_sorted(const double *sorted, size_t count, double q) {
    double rank = q * (double)(count - 1);
    size_t below = (size_t)rank;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (rank - (double)below) * (sorted[below + 1] - sorted[below]);
}

size_t bench_median_rank(size_t count) {
    if (count > EXACT_RANK_LIMIT) // the normal approximation, rounded to the safe side
        return (size_t)floor((double)count / 2 - 0.98 * sqrt((double)count));
    // The largest k with P(fewer than k of `count` fall below the median) <= 2.5%.
    double below = 0, log_half = log(0.5) * (double)count;
    size_t rank = 0;
    for (size_t k = 0; k < count; k++) {
        below += exp(lgamma((double)count + 1) - lgamma((double)k + 1) - lgamma((double)(count - k) + 1) +
                     log_half);
        if (below > 0.025) break;
        rank = k + 1;
    }
    return rank;
}

double bench_median(double *samples, size_t count) {
    if (count == 0) return 0;
    qsort(samples, count, sizeof *samples, by_value);
    return median_of_sorted(samples, count);
}

bool bench_summarise(const double *samples, size_t count, bench_summary *summary) {
    *summary = (bench_summary){.count = count};
    if (count == 0) return true;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted) return false;
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    size_t rank = bench_median_rank(count);
    summary->has_interval = rank > 0;
    summary->median = median_of_sorted(sorted, count);
    summary->low = sorted[rank > 0 ? rank - 1 : 0];
    summary->high = sorted[rank > 0 ? count - rank : count - 1];
    summary->least = sorted[0];
    summary->fifth_percentile = quantile_of_sorted(sorted, count, 0.05);
    summary->first_quartile = quantile_of_sorted(sorted, count, 0.25);
    summary->third_quartile = quantile_of_sorted(sorted, count, 0.75);
    summary->ninety_fifth_percentile = quantile_of_sorted(sorted, count, 0.95);
    summary->ninety_ninth_percentile = quantile_of_sorted(sorted, count, 0.99);
    summary->most = sorted[count - 1];
    free(sorted);
    return true;
}

double bench_relative_error(const bench_summary *summary) {
    if (!summary->has_interval || summary->median <= 0) return 1;
    return 0.5 * (summary->high - summary->low) / summary->median;
}

// The median of `count` draws with replacement from sorted logs. Counting how often each rank is drawn spares
// the sort: one pass finds the middle.
static double resampled_median(const double *sorted_logs, uint32_t *drawn, size_t count, uint64_t seed,
                               uint64_t resample) {
    memset(drawn, 0, count * sizeof *drawn);
    base_philox_block block = {{0}};
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0) block = base_philox(seed, BOOTSTRAP_STREAM, resample << 32 | i / 4);
        drawn[(uint64_t)block.word[i % 4] * count >> 32]++;
    }
    size_t seen = 0, rank = 0, low = 0;
    for (; seen + drawn[rank] <= (count - 1) / 2; rank++) seen += drawn[rank];
    low = rank;
    for (; seen + drawn[rank] <= count / 2; rank++) seen += drawn[rank];
    return 0.5 * (sorted_logs[low] + sorted_logs[rank]);
}

static void bootstrap(const double *sorted_logs, size_t count, uint64_t seed, double *medians,
                      uint32_t *drawn, bench_ratio *ratio) {
    for (size_t i = 0; i < RESAMPLES; i++) medians[i] = resampled_median(sorted_logs, drawn, count, seed, i);
    qsort(medians, RESAMPLES, sizeof *medians, by_value);
    ratio->low = exp(quantile_of_sorted(medians, RESAMPLES, 0.025));
    ratio->high = exp(quantile_of_sorted(medians, RESAMPLES, 0.975));
}

bool bench_compare(const double *a, const double *b, size_t pairs, uint64_t seed, bench_ratio *ratio) {
    *ratio = (bench_ratio){0};
    if (pairs == 0) return true;
    double *logs = malloc((pairs + RESAMPLES) * sizeof *logs);
    uint32_t *drawn = malloc(pairs * sizeof *drawn);
    bool enough = logs && drawn;
    if (enough) {
        for (size_t i = 0; i < pairs; i++)
            if (a[i] > 0 && b[i] > 0) logs[ratio->pairs++] = log(a[i] / b[i]);
        ratio->valid = ratio->pairs >= 2;
        if (ratio->valid) {
            ratio->ratio = exp(bench_median(logs, ratio->pairs)); // sorts the logs too
            bootstrap(logs, ratio->pairs, seed, logs + pairs, drawn, ratio);
        }
    }
    free(drawn);
    free(logs);
    return enough;
}

bench_ratio bench_compare_apart(const bench_summary *a, const bench_summary *b) {
    if (!a->has_interval || !b->has_interval || a->least <= 0 || b->least <= 0) return (bench_ratio){0};
    return (bench_ratio){
        .ratio = a->median / b->median, .low = a->low / b->high, .high = a->high / b->low, .valid = true};
}

bench_verdict bench_judge(const bench_ratio *ratio, double threshold) {
    if (!ratio->valid) return BENCH_UNDECIDED;
    if (ratio->low > 1 + threshold) return BENCH_SLOWER;
    if (ratio->high < 1 - threshold) return BENCH_FASTER;
    if (ratio->low >= 1 - threshold && ratio->high <= 1 + threshold) return BENCH_SAME;
    return BENCH_UNDECIDED;
}

const char *bench_verdict_name(bench_verdict verdict) {
    static const char *const names[] = {"undecided", "same", "faster", "slower"};
    return names[verdict];
}
