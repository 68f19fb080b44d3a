// bench/outcome: what the times of a case come to. See bench.h.
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHORT_RUN = 50e-6;
static const double OVER_PEAK = 1.05;
static const double DISAGREE = 1.1;

static void find_peaks(bench_outcome *o, size_t condition) {
    o->copy[condition] = o->read[condition] = NAN;
    for (size_t i = 0; i < o->count; i++) {
        const bench_result *r = &o->results[i];
        const bench_timing *t = &r->timings[condition];
        if (r->candidate.provider != BENCH_PEAK || !t->taken) continue;
        if (strcmp(r->candidate.name, "in place") == 0) continue;
        double *peak = strcmp(r->candidate.name, "read") == 0 ? &o->read[condition] : &o->copy[condition];
        *peak = fmax(*peak, t->bytes_per_s); // fmax takes the number where the other is NAN
    }
}

// Whether memory gives what is moved: not where the caches are warm, nor where all sets that a graph visits fit into them.
// What the caches hold may well come faster than the peaks do. A CPU's caches keep some of what a flush should drive out,
// and our loops are not the fastest there are: its peaks are no ceiling.
static bool is_from_memory(const bench_outcome *o, bench_condition how) {
    bool is_cached = how.mode != BENCH_LATENCY && o->sets * o->footprint_bytes < o->flush_bytes;
    return (how.cache == BENCH_COLD || how.cache == BENCH_DIRTY) && !is_cached && !o->on_cpu;
}

// The fastest that any peak was, as far as its interval allows; NAN where there is none.
static double fastest_peak(const bench_outcome *o, size_t condition) {
    double most = NAN;
    for (size_t i = 0; i < o->count; i++) {
        const bench_timing *t = &o->results[i].timings[condition];
        if (o->results[i].candidate.provider == BENCH_PEAK && t->taken)
            most = fmax(most, o->work.bytes / t->series.summary.low);
    }
    return most;
}

// The share of a copy that was measured beside the case, or of the one that is known.
static double share_of_copy(const bench_outcome *o, size_t condition, double bytes_per_s) {
    return bytes_per_s / (isnan(o->copy[condition]) ? o->known_copy.value : o->copy[condition]);
}

static void derive(bench_outcome *o, size_t condition) {
    for (size_t i = 0; i < o->count; i++) {
        bench_timing *t = &o->results[i].timings[condition];
        double seconds = t->series.summary.median;
        t->of_copy = t->of_compute = t->of_peak = t->power_w = t->energy_j = NAN;
        if (!t->taken || seconds <= 0) continue;
        t->power_w = bench_mean_power(&t->before, &t->after);
        // Elsewhere candidates alternate, and the GPU rests between samples: nobody's energy.
        if (o->conditions[condition].mode == BENCH_SUSTAINED) t->energy_j = t->power_w * seconds;
        t->bytes_per_s = o->work.bytes / seconds;
        if (o->results[i].candidate.provider != BENCH_PEAK) t->flops_per_s = o->work.flops / seconds;
    }
    find_peaks(o, condition);
    double bound = is_from_memory(o, o->conditions[condition]) ? fastest_peak(o, condition) : NAN;
    for (size_t i = 0; i < o->count; i++) {
        bench_timing *t = &o->results[i].timings[condition];
        if (!t->taken) continue;
        t->of_copy = share_of_copy(o, condition, t->bytes_per_s);
        if (o->results[i].candidate.provider != BENCH_PEAK)
            t->of_compute = t->flops_per_s / o->known_compute.value;
        if (!o->limit.computes || o->results[i].candidate.provider != BENCH_PEAK)
            t->of_peak = bench_of_peak(&o->limit, &o->work, t->series.summary.median);
        t->over_peak = o->work.bytes / t->series.summary.high > OVER_PEAK * bound;
    }
}

// The first condition's, or that of graphs in its place where runs are short and both were asked for.
static void choose_figure(bench_outcome *o) {
    bench_condition alone = o->conditions[0], graphs = o->conditions[0];
    alone.mode = BENCH_LATENCY;
    graphs.mode = BENCH_THROUGHPUT;
    int latency = bench_condition_find(o->conditions, o->condition_count, alone);
    int throughput = bench_condition_find(o->conditions, o->condition_count, graphs);
    double fastest = INFINITY;
    o->figure = 0;
    if (latency < 0 || throughput < 0 || (latency && throughput)) return;
    for (size_t i = 0; i < o->count; i++) {
        const bench_timing *t = &o->results[i].timings[throughput];
        if (o->results[i].candidate.provider != BENCH_PEAK && o->results[i].status == KZ_OK && t->taken)
            fastest = fmin(fastest, t->series.summary.median);
    }
    o->figure = (size_t)(bench_is_short(fastest) ? throughput : latency);
}

bool bench_is_short(double seconds) { return seconds < SHORT_RUN; }

void bench_outcome_derive(bench_outcome *o) {
    for (size_t i = 0; i < o->condition_count; i++) derive(o, i);
    choose_figure(o);
}

const char *bench_loss_name(bench_loss loss) {
    static const char *const names[] = {"there", "crashed", "hung", "faulted"};
    return names[loss];
}

void bench_outcome_free(bench_outcome *outcome) {
    if (!outcome) return;
    for (size_t i = 0; i < outcome->count; i++)
        for (int k = 0; k < BENCH_CONDITIONS; k++) bench_series_free(&outcome->results[i].timings[k].series);
    free(outcome);
}

const bench_check *bench_worst_check(const bench_result *r) {
    const bench_check *checks[] = {&r->before, &r->after, &r->fresh}, *worst = NULL;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i]->done && (!worst || checks[i]->comparison.worst_error > worst->comparison.worst_error))
            worst = checks[i];
    return worst;
}

uint64_t bench_peak_bytes(const bench_outcome *o, const bench_candidate *c) {
    return o->footprint_bytes + c->workspace_bytes + (c->own_bytes == UINT64_MAX ? 0 : c->own_bytes);
}

bool bench_work_computes(const kz_work *work) { return work->bytes > 0 && work->flops > 20 * work->bytes; }

bench_ratio bench_outcome_ratio(const bench_outcome *outcome, size_t ours, size_t other, size_t condition) {
    const bench_timing *a = &outcome->results[ours].timings[condition];
    const bench_timing *b = &outcome->results[other].timings[condition];
    bench_ratio ratio = {0};
    size_t pairs = a->series.count < b->series.count ? a->series.count : b->series.count;
    if (outcome->results[ours].status || outcome->results[other].status) return ratio;
    if (a->over_peak || b->over_peak) return ratio;
    if (outcome->conditions[condition].mode == BENCH_SUSTAINED) // one candidate after the other
        ratio = bench_compare_apart(&a->series.summary, &b->series.summary);
    else
        bench_compare(a->series.samples, b->series.samples, pairs, outcome->seed, &ratio);
    return ratio;
}

bool bench_outcome_disagrees(const bench_outcome *o, size_t ours, size_t other, size_t condition) {
    bench_ratio ratio = bench_outcome_ratio(o, ours, other, condition);
    double mine = o->results[ours].timings[condition].series.summary.median,
           theirs = o->results[other].timings[condition].series.summary.median, medians = mine / theirs;
    if (!ratio.valid || mine <= 0 || theirs <= 0) return false;
    if (medians >= ratio.low && medians <= ratio.high) return false;
    bench_verdict verdict = bench_judge(&ratio, 0.02);
    bool opposite = (verdict == BENCH_FASTER && medians >= 1) || (verdict == BENCH_SLOWER && medians <= 1);
    return opposite || fabs(log(medians / ratio.ratio)) > log(DISAGREE);
}

bench_verdict bench_outcome_verdict(const bench_outcome *o, size_t ours, size_t other, size_t condition) {
    bench_ratio ratio = bench_outcome_ratio(o, ours, other, condition);
    bool settled = o->results[ours].timings[condition].series.state == BENCH_CONVERGED &&
                   o->results[other].timings[condition].series.state == BENCH_CONVERGED;
    settled = settled && !bench_outcome_disagrees(o, ours, other, condition);
    return ratio.valid && settled ? bench_judge(&ratio, 0.02) : BENCH_UNDECIDED;
}

int bench_outcome_counterpart(const bench_outcome *o) {
    bench_condition other = o->conditions[o->figure];
    if (other.mode != BENCH_LATENCY && other.mode != BENCH_THROUGHPUT) return -1;
    other.mode = other.mode == BENCH_LATENCY ? BENCH_THROUGHPUT : BENCH_LATENCY;
    return bench_condition_find(o->conditions, o->condition_count, other);
}

int bench_outcome_best_under(const bench_outcome *outcome, bench_provider provider, size_t condition) {
    int best = -1;
    double least = INFINITY;
    for (size_t i = 0; i < outcome->count; i++) {
        const bench_result *r = &outcome->results[i];
        const bench_timing *t = &r->timings[condition];
        if (r->candidate.provider != provider || r->status != KZ_OK || !t->taken) continue;
        if (provider == BENCH_PEER && t->over_peak) continue; // an error of measurement is nobody's rival
        if (t->series.summary.median < least) {
            least = t->series.summary.median;
            best = (int)i;
        }
    }
    return best;
}

int bench_outcome_best(const bench_outcome *outcome, bench_provider provider) {
    return bench_outcome_best_under(outcome, provider, outcome->figure);
}
