// bench: one case from data to figures. See bench.h.
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { ESTIMATES = 3, FRESH_ELEMENTS = 1 << 22 };
static const double GRAPH_FIGURE = 50e-6; // below this the graph's figure is the figure
static const double NO_GRAPH = 20e-3;     // above this a graph tells nothing new
static const double OVER_PEAK = 1.05;
static const double SHORT_LATENCY = 0.1; // seconds of samples for a latency that is not the figure

typedef struct session {
    const bench_request *request;
    bench_outcome *outcome;
    bench_data data;
    bench_candidate *timed[BENCH_CANDIDATES]; // those that were right, and the peaks
    size_t result_of[BENCH_CANDIDATES];       // their places in outcome->results
    size_t timed_count;
    double seconds[BENCH_CANDIDATES]; // of one run, as far as known
} session;

static void say(const session *s, const char *what) {
    if (s->request->progress) s->request->progress(what, s->request->progress_context);
}

static bool stopped(const session *s) {
    if (s->request->interrupted && s->request->interrupted()) s->outcome->interrupted = true;
    return s->outcome->interrupted;
}

// An error after which the device's state cannot be trusted. The rest concern one candidate alone.
static bool is_fatal(kz_status status) {
    return status == KZ_LOST || status == KZ_FAULT || status == KZ_DEADLOCK || status == KZ_INTERNAL;
}

// ---- candidates -------------------------------------------------------------------------------

static bench_result *next_result(session *s) {
    bench_outcome *o = s->outcome;
    return o->count < BENCH_CANDIDATES ? &o->results[o->count++] : NULL;
}

// A peer that does not do the case is no candidate; a variant that does not is one, with the reason.
static void open_candidates(session *s) {
    const bench_request *q = s->request;
    bench_result *r;
    for (size_t i = 0; i < q->variant_count && (r = next_result(s)); i++)
        r->status = bench_candidate_variant(&s->data, q->variants[i], &r->candidate, &r->error);
    if (q->guest && (r = next_result(s)))
        r->status = bench_candidate_guest(&s->data, q->guest, &r->candidate, &r->error);
    for (size_t i = 0; i < q->peer_count && (r = next_result(s)); i++) {
        r->status = bench_candidate_peer(&s->data, q->peers[i], &r->candidate, &r->error);
        if (r->status == KZ_UNSUPPORTED) memset(r, 0, sizeof *r), s->outcome->count--;
    }
}

static void open_peaks(session *s) {
    double bytes = s->outcome->work.bytes;
    bench_result *r;
    for (int kind = 0; bytes > 0 && kind < BENCH_PEAKS && (r = next_result(s)); kind++) {
        r->status = bench_candidate_peak(&s->data, s->request->probes, (bench_peak)kind, bytes, &r->candidate,
                                         &r->error);
        if (r->status != KZ_OK) memset(r, 0, sizeof *r), s->outcome->count--;
    }
}

// ---- checking -----------------------------------------------------------------------------------

static kz_status judge(session *s, bench_result *r, bench_check *check, kz_stream *stream, const char *when) {
    kz_status status = bench_data_check(&s->data, stream, 0, &check->comparison, &r->error);
    if (status != KZ_OK) return status;
    check->done = true;
    check->seed = s->data.seed;
    if (check->comparison.wrong == 0) return KZ_OK;
    base_fail(&r->error, KZ_WRONG, "%s gave a wrong result %s: %s", r->candidate.name, when,
              check->comparison.pattern);
    return KZ_WRONG;
}

static kz_status check_plain(session *s, bench_result *r, bench_check *check, const char *when) {
    kz_status status = bench_data_poison(&s->data, NULL, 0, &r->error);
    if (status == KZ_OK) status = r->candidate.enqueue(r->candidate.self, NULL, 0, &r->error);
    if (status == KZ_OK) status = kz_stream_synchronize(s->data.device, NULL, &r->error);
    return status ? status : judge(s, r, check, NULL, when);
}

static kz_status give_error(const bench_result *r, kz_error *error) {
    if (error) *error = r->error;
    return r->status;
}

static kz_status check_before(session *s, kz_error *error) {
    bool counts = !s->outcome->timed && kz_counters_enable(s->data.device, true, NULL) == KZ_OK;
    for (size_t i = 0; i < s->outcome->count && !stopped(s); i++) {
        bench_result *r = &s->outcome->results[i];
        if (r->status != KZ_OK) continue;
        kz_counters dropped = {.size = sizeof dropped};
        if (counts) kz_counters_read(s->data.device, &dropped, true, NULL);
        r->status = check_plain(s, r, &r->before, "before timing");
        r->counters.size = sizeof r->counters;
        if (counts) kz_counters_read(s->data.device, &r->counters, true, NULL);
        if (is_fatal(r->status)) return give_error(r, error);
    }
    return KZ_OK;
}

// The same runs that were timed, on poisoned outputs.
static kz_status check_after(session *s, bench_sampler *sampler, kz_error *error) {
    for (size_t i = 0; i < s->timed_count; i++) {
        bench_result *r = &s->outcome->results[s->result_of[i]];
        if (r->candidate.provider == BENCH_PEAK || r->status != KZ_OK) continue;
        r->status = bench_sampler_replay(sampler, i, &r->error);
        if (r->status == KZ_OK)
            r->status = judge(s, r, &r->after, bench_sampler_stream(sampler), "after timing");
        if (is_fatal(r->status)) return give_error(r, error);
    }
    return KZ_OK;
}

static kz_status check_fresh(session *s, kz_error *error) {
    if (family_case_elements(s->data.family, &s->data.c) > FRESH_ELEMENTS) return KZ_OK;
    kz_status status = bench_data_reseed(&s->data, s->data.seed + 1, error);
    for (size_t i = 0; i < s->timed_count && status == KZ_OK; i++) {
        bench_result *r = &s->outcome->results[s->result_of[i]];
        if (r->candidate.provider == BENCH_PEAK || r->status != KZ_OK) continue;
        r->status = check_plain(s, r, &r->fresh, "on fresh inputs");
        if (is_fatal(r->status)) return give_error(r, error);
    }
    return status;
}

// ---- timing --------------------------------------------------------------------------------------

static void choose_timed(session *s, bench_mode mode) {
    size_t kept = 0;
    for (size_t i = 0; i < s->outcome->count; i++) {
        bench_result *r = &s->outcome->results[i];
        if (r->status != KZ_OK) continue;
        const bench_series *latency = &r->timings[BENCH_LATENCY].series;
        if (mode == BENCH_THROUGHPUT && (!latency->count || latency->summary.median > NO_GRAPH)) continue;
        s->timed[kept] = &r->candidate;
        s->result_of[kept] = i;
        s->seconds[kept++] = latency->summary.median;
    }
    s->timed_count = kept;
}

// A few samples of each: latencies of short kernels are not the figure, and need no long look.
static bench_rule rule_for(session *s, bench_sampler *sampler, bench_mode mode) {
    bench_rule rule = s->request->rule;
    if (mode == BENCH_THROUGHPUT || s->request->brief) return rule;
    bench_clock clock = bench_sampler_clock(sampler);
    double fastest = INFINITY;
    for (size_t i = 0; i < s->timed_count; i++)
        for (int k = 0; k < ESTIMATES && s->timed[i]->provider != BENCH_PEAK; k++) {
            double seconds = 0;
            if (clock.sample(clock.self, i, &seconds, NULL) == KZ_OK) fastest = fmin(fastest, seconds);
            if (seconds > NO_GRAPH) break;
        }
    if (fastest < GRAPH_FIGURE) rule.least_seconds = fmin(rule.least_seconds, SHORT_LATENCY);
    return rule;
}

static void keep_series(session *s, bench_sampler *sampler, bench_mode mode, bench_series *series,
                        bench_health before) {
    bench_health after = bench_monitor_read(s->request->monitor);
    for (size_t i = 0; i < s->timed_count; i++) {
        bench_timing *t = &s->outcome->results[s->result_of[i]].timings[mode];
        t->taken = series[i].count > 0;
        t->series = series[i];
        t->runs = bench_sampler_runs(sampler, i);
        t->before = before;
        t->after = after;
    }
}

static void leave_out(session *s, size_t index) {
    s->timed_count--;
    for (size_t i = index; i < s->timed_count; i++) {
        s->timed[i] = s->timed[i + 1];
        s->result_of[i] = s->result_of[i + 1];
        s->seconds[i] = s->seconds[i + 1];
    }
}

// A candidate that cannot be recorded into a graph is left out of that mode, and its error kept.
static kz_status open_sampler(session *s, bench_mode mode, bench_sampler **sampler, kz_error *error) {
    kz_status status = KZ_OK;
    do {
        size_t offender = BENCH_CANDIDATES;
        const bench_sampler_setup setup = {.data = &s->data,
                                           .probes = s->request->probes,
                                           .candidates = s->timed,
                                           .count = s->timed_count,
                                           .mode = mode,
                                           .seconds = s->seconds,
                                           .interrupted = s->request->interrupted,
                                           .offender = &offender};
        kz_error own = {0};
        status = bench_sampler_open(&setup, sampler, &own);
        if (status != KZ_OK && error) *error = own;
        if (status == KZ_OK || is_fatal(status) || offender == BENCH_CANDIDATES) return status;
        s->outcome->results[s->result_of[offender]].error = own;
        leave_out(s, offender);
    } while (s->timed_count > 0);
    return status;
}

static kz_status time_mode(session *s, bench_mode mode, bool last, kz_error *error) {
    choose_timed(s, mode);
    bench_sampler *sampler = NULL;
    kz_status status = open_sampler(s, mode, &sampler, error);
    if (status != KZ_OK) return status;
    bench_series series[BENCH_CANDIDATES] = {{0}};
    bench_clock clock = bench_sampler_clock(sampler);
    bench_rule rule = rule_for(s, sampler, mode);
    bench_health before = bench_monitor_read(s->request->monitor);
    status = bench_measure(&clock, &rule, s->timed_count, series, error);
    keep_series(s, sampler, mode, series, before);
    if (status == KZ_OK && last && !stopped(s)) {
        say(s, "verifying again");
        status = check_after(s, sampler, error);
    }
    bench_sampler_close(sampler);
    return status;
}

// ---- figures --------------------------------------------------------------------------------------

static void find_peaks(bench_outcome *o, bench_mode mode) {
    o->copy[mode] = o->read[mode] = NAN;
    for (size_t i = 0; i < o->count; i++) {
        const bench_result *r = &o->results[i];
        const bench_timing *t = &r->timings[mode];
        if (r->candidate.provider != BENCH_PEAK || !t->taken) continue;
        double *peak = strcmp(r->candidate.name, "read") == 0 ? &o->read[mode] : &o->copy[mode];
        *peak = fmax(*peak, t->bytes_per_s); // fmax takes the number where the other is NAN
    }
}

// The share of a copy that was measured beside the case, or of the one that is known.
static double share_of_copy(const bench_outcome *o, bench_mode mode, double bytes_per_s) {
    return bytes_per_s / (isnan(o->copy[mode]) ? o->known_copy.value : o->copy[mode]);
}

static void derive(bench_outcome *o, bench_mode mode) {
    for (size_t i = 0; i < o->count; i++) {
        bench_timing *t = &o->results[i].timings[mode];
        double seconds = t->series.summary.median;
        t->of_copy = t->of_compute = NAN;
        if (!t->taken || seconds <= 0) continue;
        t->bytes_per_s = o->work.bytes / seconds;
        if (o->results[i].candidate.provider != BENCH_PEAK) t->flops_per_s = o->work.flops / seconds;
    }
    find_peaks(o, mode);
    for (size_t i = 0; i < o->count; i++) {
        bench_timing *t = &o->results[i].timings[mode];
        if (!t->taken) continue;
        t->of_copy = share_of_copy(o, mode, t->bytes_per_s);
        if (o->results[i].candidate.provider != BENCH_PEAK)
            t->of_compute = t->flops_per_s / o->known_compute.value;
        t->over_peak = t->bytes_per_s > OVER_PEAK * fmax(o->copy[mode], o->read[mode]);
    }
}

static void choose_figure(bench_outcome *o) {
    double fastest = INFINITY;
    for (size_t i = 0; i < o->count; i++) {
        const bench_timing *t = &o->results[i].timings[BENCH_THROUGHPUT];
        if (o->results[i].candidate.provider != BENCH_PEAK && t->taken)
            fastest = fmin(fastest, t->series.summary.median);
    }
    o->figure = fastest < GRAPH_FIGURE ? BENCH_THROUGHPUT : BENCH_LATENCY;
}

// What is known of the device, as far as it says something of this case. A copy of what fits into the caches is
// another thing than one of DRAM.
static void take_known_peaks(const bench_request *q, bench_outcome *o) {
    static const int by_type[KZ_TYPE_COUNT] = {[KZ_F32] = BENCH_PEAK_fma_f32 + 1,
                                               [KZ_F64] = BENCH_PEAK_fma_f64 + 1,
                                               [KZ_F16] = BENCH_PEAK_fma_f16 + 1,
                                               [KZ_BF16] = BENCH_PEAK_fma_bf16 + 1};
    o->known_copy = o->known_compute = (bench_known_peak){.value = NAN, .nominal = NAN, .origin = ""};
    if (!q->peaks) return;
    if (q->peaks->of[BENCH_PEAK_dram_copy].measured &&
        o->work.bytes > 4.0 * (double)kz_device_get_info(q->device)->l2_bytes)
        o->known_copy = q->peaks->of[BENCH_PEAK_dram_copy];
    if (bench_work_computes(&o->work) && by_type[q->c->type])
        o->known_compute = q->peaks->of[by_type[q->c->type] - 1];
}

// ---- the whole --------------------------------------------------------------------------------------

static kz_status time_all(session *s, kz_error *error) {
    kz_status status = KZ_OK;
    if (!stopped(s)) {
        say(s, "latency");
        status = time_mode(s, BENCH_LATENCY, false, error);
    }
    if (status == KZ_OK && !s->request->brief && !stopped(s)) {
        say(s, "throughput");
        status = time_mode(s, BENCH_THROUGHPUT, true, error);
    }
    // Candidates that were in no graph are checked once more as they are.
    for (size_t i = 0; i < s->outcome->count && status == KZ_OK && !stopped(s); i++) {
        bench_result *r = &s->outcome->results[i];
        if (r->status != KZ_OK || r->candidate.provider == BENCH_PEAK || r->after.done) continue;
        r->status = check_plain(s, r, &r->after, "after timing");
        if (is_fatal(r->status)) status = give_error(r, error);
    }
    if (status == KZ_OK && !stopped(s)) status = check_fresh(s, error);
    for (int mode = 0; mode < BENCH_MODES; mode++) derive(s->outcome, (bench_mode)mode);
    choose_figure(s->outcome);
    return status;
}

static kz_status run_session(session *s, kz_error *error) {
    const bench_request *q = s->request;
    bench_outcome *o = s->outcome;
    say(s, "inputs and reference");
    o->sets = o->timed ? bench_data_sets(q->device, q->family, q->c) : 1;
    kz_status status = bench_data_open(q->device, q->family, q->c, q->seed, o->sets, &s->data, error);
    if (status != KZ_OK) return status;
    o->footprint_bytes = s->data.footprint;
    o->input_seconds = s->data.input_seconds;
    o->reference_seconds = s->data.reference_seconds;
    open_candidates(s);
    say(s, "verifying");
    status = check_before(s, error);
    if (status == KZ_OK && o->timed) {
        open_peaks(s);
        status = time_all(s, error);
    }
    for (size_t i = 0; i < o->count; i++) bench_candidate_close(&o->results[i].candidate);
    bench_data_close(&s->data);
    return status;
}

kz_status bench_run(const bench_request *request, bench_outcome **outcome, kz_error *error) {
    bench_outcome *o = *outcome = calloc(1, sizeof *o);
    session *s = calloc(1, sizeof *s);
    kz_status status = KZ_OK;
    if (!o || !s) {
        status = base_fail(error, KZ_NO_MEMORY, "no memory to measure a case");
    } else {
        family_case_name(request->family, request->c, o->name);
        o->work = request->family->work(request->c);
        o->seed = request->seed;
        o->timed = kz_device_get_info(request->device)->has_clock && request->probes;
        o->flush_bytes = request->probes ? bench_probe_flush_bytes(request->probes) : 0;
        o->flush_reads = request->probes && bench_probes_has_kernels(request->probes);
        for (int mode = 0; mode < BENCH_MODES; mode++) o->copy[mode] = o->read[mode] = NAN;
        take_known_peaks(request, o);
        s->request = request;
        s->outcome = o;
        status = run_session(s, error);
    }
    free(s);
    return status;
}

void bench_outcome_free(bench_outcome *outcome) {
    if (!outcome) return;
    for (size_t i = 0; i < outcome->count; i++)
        for (int mode = 0; mode < BENCH_MODES; mode++)
            bench_series_free(&outcome->results[i].timings[mode].series);
    free(outcome);
}

bool bench_work_computes(const kz_work *work) { return work->bytes > 0 && work->flops > 20 * work->bytes; }

bench_ratio bench_outcome_ratio(const bench_outcome *outcome, size_t ours, size_t other, bench_mode mode) {
    const bench_series *a = &outcome->results[ours].timings[mode].series;
    const bench_series *b = &outcome->results[other].timings[mode].series;
    bench_ratio ratio = {0};
    size_t pairs = a->count < b->count ? a->count : b->count;
    bench_compare(a->samples, b->samples, pairs, outcome->seed, &ratio);
    return ratio;
}

int bench_outcome_best(const bench_outcome *outcome, bench_provider provider) {
    int best = -1;
    double least = INFINITY;
    for (size_t i = 0; i < outcome->count; i++) {
        const bench_result *r = &outcome->results[i];
        const bench_timing *t = &r->timings[outcome->figure];
        if (r->candidate.provider != provider || r->status != KZ_OK || !t->taken) continue;
        if (t->series.summary.median < least) {
            least = t->series.summary.median;
            best = (int)i;
        }
    }
    return best;
}
