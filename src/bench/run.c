// bench: one case from data to figures. See bench.h.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench/verify.h"
#include "device/context.h"

enum { ESTIMATES = 3, BURSTS = 10, FRESH_ELEMENTS = 1 << 22 };
static const double NO_GRAPH = 20e-3;    // above this a graph tells nothing new
static const double SHORT_LATENCY = 0.1; // seconds of samples for a latency that is not the figure
static const double SUSTAINED = 2.0;     // seconds

typedef struct session {
    const bench_request *request;
    bench_outcome *outcome;
    bench_data data;
    bench_candidate *timed[BENCH_CANDIDATES]; // those that were right, and the peaks
    size_t result_of[BENCH_CANDIDATES];       // their places in outcome->results
    size_t timed_count;
    double seconds[BENCH_CANDIDATES];                // of one run, by place among the timed
    double estimate[BENCH_CACHES][BENCH_CANDIDATES]; // of one run, by result; 0: not known
} session;

static void say(const session *s, const char *what) {
    if (s->request->progress) s->request->progress(what, s->request->progress_context);
}

static void watch(const session *s, const char *by, const char *name) {
    if (s->request->watch) s->request->watch(by, name, s->request->progress_context);
}

static bool stopped(const session *s) {
    if (s->request->interrupted && s->request->interrupted()) s->outcome->interrupted = true;
    return s->outcome->interrupted;
}

// ---- candidates -------------------------------------------------------------------------------

static bench_result *next_result(session *s) {
    bench_outcome *o = s->outcome;
    return o->count < BENCH_CANDIDATES ? &o->results[o->count++] : NULL;
}

// The device's memory that nobody has; 0 where it does not say, for only on a GPU others do not come and go.
static size_t free_bytes(const session *s) {
    size_t bytes = 0;
    if (kz_device_get_info(s->data.device)->kind != KZ_DEVICE_CUDA) return 0;
    return kz_memory_available(s->data.device, &bytes, NULL) == KZ_OK ? bytes : 0;
}

// A library allocates when it prepares or at its first run: what is gone since then, less what we gave it.
static void note_memory(const session *s, bench_candidate *c, size_t before, uint64_t given) {
    size_t after = free_bytes(s);
    if (!before || !after) return;
    if (c->own_bytes == UINT64_MAX) c->own_bytes = 0;
    if (before > after + given) c->own_bytes += before - after - given;
}

static void take_loss(const bench_lost *lost, bench_provider provider, bench_result *r) {
    r->candidate = bench_candidate_blank(provider, lost->by, lost->name[0] ? lost->name : lost->by);
    r->loss = lost->loss;
    r->error = lost->error;
    r->status = lost->error.status;
}

// Whether it was lost before: then the result says how. A rival may have been lost before its candidate had a name.
static bool is_lost(const session *s, bench_provider provider, const char *by, const char *name,
                    bench_result *r) {
    const bench_request *q = s->request;
    for (size_t i = 0; i < q->lost_count; i++) {
        const bench_lost *lost = &q->lost[i];
        bool same = !name[0] || !lost->name[0] || strcmp(lost->name, name) == 0;
        if (strcmp(lost->by, by) != 0 || !same) continue;
        take_loss(lost, provider, r);
        return true;
    }
    watch(s, by, name);
    return false;
}

// A rival in Python that was lost before it had said what it offers, not one of its candidates.
static const bench_lost *find_lost_remote(const bench_request *q, const char *by) {
    for (size_t i = 0; i < q->lost_count; i++)
        if (strcmp(q->lost[i].by, by) == 0 && !q->lost[i].name[0]) return &q->lost[i];
    return NULL;
}

// Who wrote an input is told of it at once: the next one would have the wrong result.
static void check_inputs(session *s, bench_result *r, size_t sets, const char *when) {
    kz_error error = {0};
    kz_status status = bench_verify_inputs(&s->data, sets, r, when, &error);
    if (status && !r->status) r->status = status, r->error = error;
}

// A rival in Python. One that is not there is no candidate, and told of apart; one that fails is a row.
static void open_remote(session *s, bench_remote *remote) {
    bench_remote_offer offer;
    kz_error error = {0};
    bench_result *r;
    const bench_request *q = s->request;
    const bench_remote_watcher watcher = {q->interrupted, q->waiting, q->progress_context, q->timeout};
    const bench_lost *lost = find_lost_remote(q, bench_remote_name(remote));
    if (lost) {
        if ((r = next_result(s))) take_loss(lost, BENCH_PEER, r);
        return;
    }
    watch(s, bench_remote_name(remote), "");
    kz_status status = bench_remote_offers(remote, &s->data, &watcher, &offer, &error);
    if (status && status != KZ_NOT_FOUND && (r = next_result(s))) {
        r->candidate =
            bench_candidate_blank(BENCH_PEER, bench_remote_name(remote), bench_remote_name(remote));
        r->status = status;
        r->error = error;
        r->loss = bench_remote_loss(remote, "");
    }
    for (size_t i = 0; !status && i < offer.count && !stopped(s) && (r = next_result(s)); i++) {
        if (is_lost(s, BENCH_PEER, bench_remote_name(remote), offer.names[i], r)) continue;
        size_t before = free_bytes(s);
        r->status = bench_candidate_remote(&s->data, remote, offer.names[i], &r->candidate, &r->error);
        note_memory(s, &r->candidate, before, 0);
        check_inputs(s, r, s->data.sets, "while it was prepared");
    }
}

// A peer that does not do the case is no candidate; a variant that does not is one, with the reason.
static void open_candidates(session *s) {
    const bench_request *q = s->request;
    bench_result *r;
    for (size_t i = 0; i < q->variant_count && (r = next_result(s)); i++)
        if (!is_lost(s, BENCH_ZOO, "kz", q->variants[i]->name, r))
            r->status = bench_candidate_variant(&s->data, q->variants[i], &r->candidate, &r->error);
    if (q->guest && (r = next_result(s)) &&
        !is_lost(s, BENCH_GUEST, "guest", family_guest_name(q->guest), r)) {
        r->status = bench_candidate_guest(&s->data, q->guest, &r->candidate, &r->error);
        r->candidate.facts = q->guest_facts;
    }
    for (size_t i = 0; i < q->peer_count && (r = next_result(s)); i++) {
        if (is_lost(s, BENCH_PEER, q->peers[i]->name, "", r)) continue;
        size_t free_before = free_bytes(s);
        r->status = bench_candidate_peer(&s->data, q->peers[i], &r->candidate, &r->error);
        note_memory(s, &r->candidate, free_before, r->candidate.workspace_bytes);
        check_inputs(s, r, s->data.sets, "while it was prepared");
        if (r->status == KZ_UNSUPPORTED) memset(r, 0, sizeof *r), s->outcome->count--;
    }
    for (size_t i = 0; i < q->broken_count && (r = next_result(s)); i++) {
        r->candidate = bench_candidate_blank(BENCH_PEER, q->broken[i].by, q->broken[i].by);
        r->error = q->broken[i].error;
        r->status = r->error.status;
    }
    for (size_t i = 0; i < q->remote_count && !stopped(s); i++) open_remote(s, q->remotes[i]);
    watch(s, "", "");
}

// A CPU's own copy is that of one core: the kernel's is of all.
static void open_peaks(session *s) {
    double bytes = s->outcome->work.bytes;
    bool cpu = kz_device_get_info(s->data.device)->kind == KZ_DEVICE_CPU;
    bench_result *r;
    for (int kind = cpu ? BENCH_PEAK_COPY_KERNEL : BENCH_PEAK_COPY_DRIVER;
         bytes > 0 && kind < BENCH_PEAKS && (r = next_result(s)); kind++) {
        r->status = bench_candidate_peak(&s->data, s->request->probes, (bench_peak)kind, bytes, &r->candidate,
                                         &r->error);
        if (r->status != KZ_OK) memset(r, 0, sizeof *r), s->outcome->count--;
    }
}

// ---- checking -----------------------------------------------------------------------------------

static kz_status check_plain(session *s, bench_result *r, bench_check *check, const char *when) {
    watch(s, r->candidate.by, r->candidate.name);
    return bench_verify_run(&s->data, r, check, when);
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
        size_t free_before = free_bytes(s);
        r->status = check_plain(s, r, &r->before, "before timing");
        // Ours get no address but those of the set; it is looked at as a whole after timing.
        check_inputs(s, r, r->candidate.provider == BENCH_ZOO ? 1 : s->data.sets, "before timing");
        if (r->candidate.provider == BENCH_PEER) note_memory(s, &r->candidate, free_before, 0);
        r->counters.size = sizeof r->counters;
        if (counts) kz_counters_read(s->data.device, &r->counters, true, NULL);
        if (bench_is_fatal(r->status)) return give_error(r, error);
    }
    return KZ_OK;
}

// Nobody who was timed wrote it again when replayed. Ours are compiled from here, and are suspected last.
static void blame_somebody(session *s, const char *what) {
    bool others = false;
    for (int ours = 0; ours < 2 && !others; ours++)
        for (size_t i = 0; i < s->timed_count; i++) {
            bench_result *r = &s->outcome->results[s->result_of[i]];
            if (r->candidate.provider == BENCH_PEAK || (r->candidate.provider == BENCH_ZOO) != ours) continue;
            bench_blame_for_input(r, what, "while it was timed, or one that was timed beside it did");
            others = true;
        }
}

static kz_status check_after(session *s, bench_sampler *sampler, kz_error *error) {
    char written[BENCH_WRITTEN];
    bool found = false;
    kz_status status = bench_data_find_written(&s->data, s->data.sets, written, error);
    if (!status && written[0]) status = bench_data_renew(&s->data, error);
    if (status) return status;
    for (size_t i = 0; i < s->timed_count; i++) {
        bench_result *r = &s->outcome->results[s->result_of[i]];
        if (r->candidate.provider == BENCH_PEAK || r->status != KZ_OK) continue;
        r->status = bench_verify_samples(&s->data, sampler, i, r);
        if (bench_is_fatal(r->status)) return give_error(r, error);
        check_inputs(s, r, s->data.sets, "when it was run again as it was timed");
        found = found || r->wrote_input;
    }
    if (written[0] && !found) blame_somebody(s, written);
    return KZ_OK;
}

static kz_status check_fresh(session *s, kz_error *error) {
    if (s->request->care != BENCH_CHECKED ||
        family_case_elements(s->data.family, &s->data.c) > FRESH_ELEMENTS)
        return KZ_OK;
    watch(s, "", "");
    kz_status status = bench_data_reseed(&s->data, s->data.seed + 1, error);
    for (size_t i = 0; i < s->timed_count && status == KZ_OK; i++) {
        bench_result *r = &s->outcome->results[s->result_of[i]];
        if (r->candidate.provider == BENCH_PEAK || r->status != KZ_OK) continue;
        r->status = check_plain(s, r, &r->fresh, "on fresh inputs");
        check_inputs(s, r, 1, "on fresh inputs");
        if (bench_is_fatal(r->status)) return give_error(r, error);
    }
    return status;
}

// ---- timing --------------------------------------------------------------------------------------

// What one run takes where it was timed alone under otherwise the same condition, else by the estimate.
static double seconds_of(const session *s, size_t result, bench_condition how) {
    const bench_outcome *o = s->outcome;
    how.mode = BENCH_LATENCY;
    int alone = bench_condition_find(o->conditions, o->condition_count, how);
    const bench_series *latency = alone < 0 ? NULL : &o->results[result].timings[alone].series;
    return latency && latency->count ? latency->summary.median : s->estimate[how.cache][result];
}

static void choose_timed(session *s, bench_condition how) {
    s->timed_count = 0;
    for (size_t i = 0; i < s->outcome->count; i++) {
        bench_result *r = &s->outcome->results[i];
        double seconds = seconds_of(s, i, how);
        if (r->status != KZ_OK || (how.mode != BENCH_LATENCY && seconds <= 0)) continue;
        if (how.mode == BENCH_THROUGHPUT && seconds > NO_GRAPH) continue;
        s->timed[s->timed_count] = &r->candidate;
        s->result_of[s->timed_count] = i;
        s->seconds[s->timed_count++] = seconds;
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

static void watch_timed(size_t index, void *context) {
    const session *s = context;
    watch(s, s->timed[index]->by, s->timed[index]->name);
}

// A candidate that cannot be recorded into a graph is left out of that condition, and its error kept. One whose process
// died on the way is out of all.
static kz_status open_sampler(session *s, bench_condition how, bench_sampler **sampler, kz_error *error) {
    kz_status status = KZ_OK;
    do {
        size_t offender = BENCH_CANDIDATES;
        bool first = how.stream == BENCH_FIRST_STREAM;
        const bench_sampler_setup setup = {.data = &s->data,
                                           .probes = s->request->probes,
                                           .candidates = s->timed,
                                           .count = s->timed_count,
                                           .condition = how,
                                           .stream = first ? s->request->first_stream : NULL,
                                           .seconds = s->seconds,
                                           .interrupted = s->request->interrupted,
                                           .watch = watch_timed,
                                           .watch_context = s,
                                           .offender = &offender};
        kz_error own = {0};
        status = bench_sampler_open(&setup, sampler, &own);
        if (status != KZ_OK && error) *error = own;
        if (status == KZ_OK || bench_is_fatal(status) || offender == BENCH_CANDIDATES) return status;
        bench_result *r = &s->outcome->results[s->result_of[offender]];
        r->error = own;
        if (r->candidate.elsewhere && status != KZ_UNSUPPORTED) r->status = status;
        leave_out(s, offender);
    } while (s->timed_count > 0);
    return status;
}

// A few runs of each: how many of them go into a graph, and which mode's figure will count.
static kz_status estimate(session *s, bench_cache cache, kz_error *error) {
    const bench_condition alone = {.mode = BENCH_LATENCY, .cache = cache};
    bench_sampler *sampler = NULL;
    choose_timed(s, alone);
    kz_status status = open_sampler(s, alone, &sampler, error);
    if (status != KZ_OK) return status;
    bench_clock clock = bench_sampler_clock(sampler);
    for (size_t i = 0; i < s->timed_count && status == KZ_OK && !stopped(s); i++) {
        double least = INFINITY;
        bench_result *r = &s->outcome->results[s->result_of[i]];
        for (int k = 0; k < ESTIMATES && r->status == KZ_OK; k++) {
            double seconds = 0;
            clock.ready(clock.self, i);
            r->status = clock.sample(clock.self, i, &seconds, &r->error);
            if (r->status == KZ_OK) least = fmin(least, seconds);
            if (seconds > NO_GRAPH) break;
        }
        if (bench_is_fatal(r->status)) status = give_error(r, error);
        s->estimate[cache][s->result_of[i]] = isfinite(least) ? least : 0;
    }
    bench_sampler_close(sampler);
    return status;
}

// Where graphs are made, and under the caches that they are made for.
static kz_status estimate_all(session *s, kz_error *error) {
    const bench_outcome *o = s->outcome;
    kz_status status = KZ_OK;
    bool wanted[BENCH_CACHES] = {false};
    for (size_t i = 0; i < o->condition_count; i++)
        if (o->conditions[i].mode != BENCH_LATENCY) wanted[o->conditions[i].cache] = true;
    for (int cache = 0; cache < BENCH_CACHES && status == KZ_OK && !stopped(s); cache++)
        if (wanted[cache]) status = estimate(s, (bench_cache)cache, error);
    return status;
}

static double fastest_estimate(const session *s, bench_cache cache) {
    double fastest = INFINITY;
    for (size_t i = 0; i < s->outcome->count; i++)
        if (s->estimate[cache][i] > 0 && s->outcome->results[i].candidate.provider != BENCH_PEAK)
            fastest = fmin(fastest, s->estimate[cache][i]);
    return fastest;
}

// Latencies of short kernels are not the figure where there are graphs too, and need no long look. A burst costs its
// rest.
static bench_rule rule_for(const session *s, bench_condition how) {
    const bench_outcome *o = s->outcome;
    bench_rule rule = s->request->rule;
    bench_condition graphs = how;
    graphs.mode = BENCH_THROUGHPUT;
    bool in_graphs = bench_condition_find(o->conditions, o->condition_count, graphs) >= 0;
    if (how.mode == BENCH_LATENCY && in_graphs && bench_is_short(fastest_estimate(s, how.cache)))
        rule.least_seconds = fmin(rule.least_seconds, SHORT_LATENCY);
    if (how.mode == BENCH_BURST) {
        rule.least_samples = BURSTS;
        rule.warm_seconds = 0;
    }
    return rule;
}

typedef struct half_time {
    const bench_monitor *monitor;
    bench_health health;
} half_time;

static void at_half_time(void *context) {
    half_time *half = context;
    half->health = bench_monitor_read(half->monitor);
}

// Who had the device open between two readings: kz and the rivals in Python that are alive, or as many as NVML saw.
static int count_processes(const session *s, const bench_health *before, const bench_health *after) {
    const bench_request *q = s->request;
    int count = 1;
    for (size_t i = 0; i < q->all_remote_count; i++) count += bench_remote_is_alive(q->all_remotes[i]);
    if (before->processes > count) count = before->processes;
    return after->processes > count ? after->processes : count;
}

// Whether it gave the samples of this condition, from another process.
static bool is_beside(const session *s, const bench_series *series, size_t index) {
    return s->timed[index]->elsewhere && series[index].count > 0 && series[index].status == KZ_OK;
}

// Those of other processes that were timed by turns with the rest, each once. Who was lost on the way is none of them:
// the others were sampled anew.
static void note_beside(session *s, const bench_series *series, size_t condition) {
    char *text = s->outcome->beside[condition];
    size_t used = 0;
    for (size_t i = 0; i < s->timed_count && used < BENCH_BESIDE; i++) {
        bool noted = !is_beside(s, series, i);
        for (size_t k = 0; k < i; k++)
            noted = noted || (is_beside(s, series, k) && strcmp(s->timed[k]->by, s->timed[i]->by) == 0);
        if (!noted)
            used +=
                (size_t)snprintf(text + used, BENCH_BESIDE - used, "%s%s", used ? ", " : "", s->timed[i]->by);
    }
}

// One after the other: what is sustained leaves no gap for another.
static kz_status sustain_all(session *s, bench_sampler *sampler, size_t condition, kz_error *error) {
    bench_clock clock = bench_sampler_clock(sampler);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < s->timed_count && status == KZ_OK && !stopped(s); i++) {
        bench_result *r = &s->outcome->results[s->result_of[i]];
        bench_timing *t = &r->timings[condition];
        half_time half = {s->request->monitor, bench_monitor_read(NULL)};
        r->status = bench_sustain(&clock, &s->request->rule, SUSTAINED, i, &t->series, at_half_time, &half,
                                  &r->error);
        if (bench_is_fatal(r->status)) status = give_error(r, error);
        t->before = half.health;
        t->after = bench_monitor_read(s->request->monitor); // the next sample is under way
        t->processes = count_processes(s, &t->before, &t->after);
        t->taken = t->series.count > 0;
        t->runs = bench_sampler_runs(sampler, i);
    }
    return status;
}

static kz_status measure_all(session *s, bench_sampler *sampler, size_t condition, kz_error *error) {
    bench_series series[BENCH_CANDIDATES] = {{0}};
    kz_error errors[BENCH_CANDIDATES] = {{0}};
    bench_clock clock = bench_sampler_clock(sampler);
    bench_rule rule = rule_for(s, s->outcome->conditions[condition]);
    bench_health before = bench_monitor_read(s->request->monitor);
    kz_status status = bench_measure(&clock, &rule, s->timed_count, series, errors, error);
    // Right behind the samples: rivals in other processes, by turns with which ours were taken, change it. Where it fails,
    // it is not known, and the figures are none the worse.
    if (status == KZ_OK && !stopped(s))
        bench_sampler_launch_gap(sampler, &s->outcome->launch_gap[condition], NULL);
    bench_health after = bench_monitor_read(s->request->monitor);
    int processes = count_processes(s, &before, &after);
    note_beside(s, series, condition);
    for (size_t i = 0; i < s->timed_count; i++) {
        bench_result *r = &s->outcome->results[s->result_of[i]];
        bench_timing *t = &r->timings[condition];
        r->status = series[i].status;
        if (r->status != KZ_OK) r->error = errors[i];
        t->taken = series[i].count > 0;
        t->series = series[i];
        t->runs = bench_sampler_runs(sampler, i);
        t->before = before;
        t->after = after;
        t->processes = processes;
    }
    return status;
}

static kz_status time_condition(session *s, size_t condition, bool check, kz_error *error) {
    bench_condition how = s->outcome->conditions[condition];
    char text[BENCH_CONDITION_TEXT];
    say(s, bench_condition_name(how, text));
    choose_timed(s, how);
    bench_sampler *sampler = NULL;
    kz_status status = open_sampler(s, how, &sampler, error);
    if (status != KZ_OK) return status;
    status = how.mode == BENCH_SUSTAINED ? sustain_all(s, sampler, condition, error)
                                         : measure_all(s, sampler, condition, error);
    if (status == KZ_OK && check && !stopped(s)) {
        say(s, "verifying again");
        status = check_after(s, sampler, error);
    }
    bench_sampler_close(sampler);
    return status;
}

// ---- the whole --------------------------------------------------------------------------------------

// What is known of the device, as far as it says something of this case. A copy of what fits into the caches is
// another thing than one of DRAM.
static void take_known_peaks(const bench_request *q, bench_outcome *o) {
    o->limit = bench_limit_of(q->peaks, &o->work, q->c->type);
    o->known_copy = o->known_compute = (bench_known_peak){.value = NAN, .nominal = NAN, .origin = ""};
    if (!q->peaks) return;
    if (q->peaks->of[BENCH_PEAK_dram_copy].measured &&
        o->work.bytes > 4.0 * (double)kz_device_get_info(q->device)->l2_bytes)
        o->known_copy = q->peaks->of[BENCH_PEAK_dram_copy];
    const bench_known_peak *compute = bench_compute_peak(q->peaks, &o->work, q->c->type);
    if (bench_work_computes(&o->work) && compute) o->known_compute = *compute;
}

// Each mode is verified once: a graph may go wrong where a launch does not, and the reverse.
static bool is_verified(const session *s, size_t condition) {
    const bench_outcome *o = s->outcome;
    if (s->request->care != BENCH_CHECKED) return false;
    for (size_t i = condition + 1; i < o->condition_count; i++)
        if (o->conditions[i].mode == o->conditions[condition].mode) return false;
    return true;
}

static kz_status time_all(session *s, kz_error *error) {
    bench_outcome *o = s->outcome;
    kz_status status = estimate_all(s, error);
    for (size_t i = 0; i < o->condition_count && status == KZ_OK && !stopped(s); i++)
        status = time_condition(s, i, is_verified(s, i), error);
    // Candidates that were not timed there are checked once more as they are.
    bool again = s->request->care == BENCH_CHECKED;
    for (size_t i = 0; again && i < o->count && status == KZ_OK && !stopped(s); i++) {
        bench_result *r = &o->results[i];
        if (r->status != KZ_OK || r->candidate.provider == BENCH_PEAK || r->after.done) continue;
        r->status = check_plain(s, r, &r->after, "after timing");
        if (bench_is_fatal(r->status)) status = give_error(r, error);
    }
    if (status == KZ_OK && !stopped(s)) status = check_fresh(s, error);
    bench_outcome_derive(o);
    return status;
}

// Of rivals in Python: whose process ended while they were at work.
static void note_losses(session *s) {
    const bench_request *q = s->request;
    for (size_t i = 0; i < s->outcome->count; i++) {
        bench_result *r = &s->outcome->results[i];
        for (size_t k = 0; k < q->remote_count && r->status && !r->loss; k++)
            if (strcmp(bench_remote_name(q->remotes[k]), r->candidate.by) == 0)
                r->loss = bench_remote_loss(q->remotes[k], r->candidate.name);
    }
}

static kz_status run_session(session *s, kz_error *error) {
    const bench_request *q = s->request;
    bench_outcome *o = s->outcome;
    s->data.unchecked = q->care == BENCH_UNCHECKED;
    say(s, s->data.unchecked ? "inputs" : "inputs and reference");
    o->sets = o->timed ? bench_data_sets(q->device, q->family, q->c) : 1;
    kz_status status =
        bench_data_open(q->device, q->probes, q->family, q->c, q->seed, o->sets, &s->data, error);
    if (status != KZ_OK) return status;
    s->data.assembler = q->assembler;
    o->footprint_bytes = s->data.footprint;
    o->input_seconds = s->data.input_seconds;
    o->reference_seconds = s->data.reference_seconds;
    say(s, "opening");
    open_candidates(s);
    say(s, "verifying");
    status = check_before(s, error);
    if (status == KZ_OK && o->timed) {
        if (q->care != BENCH_CHECKED_ONCE) open_peaks(s);
        status = time_all(s, error);
    }
    note_losses(s);
    for (size_t i = 0; i < o->count; i++) bench_candidate_close(&o->results[i].candidate);
    bench_data_close(&s->data);
    return status;
}

static kz_status take_conditions(const bench_request *q, bench_outcome *o, kz_error *error) {
    static const bench_condition usual[] = {{.mode = BENCH_LATENCY}, {.mode = BENCH_THROUGHPUT}};
    const bench_condition *from = q->condition_count ? q->conditions : usual;
    o->condition_count = q->condition_count ? q->condition_count : BASE_COUNT(usual);
    if (o->condition_count > BENCH_CONDITIONS)
        return base_fail(error, KZ_LIMIT, "at most %d conditions are measured at once", BENCH_CONDITIONS);
    memcpy(o->conditions, from, o->condition_count * sizeof *from);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < o->condition_count && status == KZ_OK; i++) {
        status = bench_condition_check(from[i], error);
        if (status == KZ_OK && from[i].stream == BENCH_FIRST_STREAM && !q->first_stream)
            status = base_fail(error, KZ_INVALID, "there is no first stream to measure in");
        if (status == KZ_OK && from[i].stream == BENCH_SWITCHED_STREAM && !device_has_contexts(q->device))
            status = base_fail(error, KZ_INVALID, "there is no other context to switch to");
    }
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
        o->on_cpu = kz_device_get_info(request->device)->kind == KZ_DEVICE_CPU;
        o->flush_bytes = request->probes ? bench_probe_flush_bytes(request->probes) : 0;
        o->flush_reads = request->probes && bench_probe_flush_reads(request->probes);
        for (int i = 0; i < BENCH_CONDITIONS; i++) o->copy[i] = o->read[i] = NAN;
        take_known_peaks(request, o);
        s->request = request;
        s->outcome = o;
        status = take_conditions(request, o, error);
        if (status == KZ_OK) status = run_session(s, error);
    }
    free(s);
    return status;
}
