// bench/record: see record.h. Each function makes one object of the record; json_pack's "o" takes over what
// it is given, and answers NULL where any part ran out of memory.
#include "bench/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/base.h"
#include "bench/commit.h"
#include "bench/resume.h"

// Six digits: more than any clock gives, and a third of the bytes of a double's seventeen.
static double six_digits(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    return strtod(text, NULL);
}

json_t *bench_number(double value) { return isfinite(value) ? json_real(six_digits(value)) : json_null(); }
static json_t *number(double value) { return bench_number(value); }
static json_t *count(uint64_t value) { return json_integer((json_int_t)value); }
static json_t *known(double value) { return value > 0 ? number(value) : json_null(); } // 0 means unknown
static json_t *known_count(int64_t value) { return value < 0 ? json_null() : json_integer(value); }
static json_t *text(const char *value) { return value && value[0] ? json_string(value) : json_null(); }

// ---- the run ------------------------------------------------------------------------------------

static void make_id(char id[40]) {
    char when[BASE_UTC];
    base_utc_stamp(when);
    unsigned microseconds = (unsigned)(base_wall_nanoseconds() % 1000000000u / 1000);
    snprintf(id, 40, "%s-%d-%04x", when, (int)getpid(), microseconds & 0xffff);
}

const char *bench_commit(void) { return BENCH_COMMIT[0] ? BENCH_COMMIT : NULL; }

// Either may be short: 7 digits at the least.
kz_status bench_commit_check(const char *commit, const char *own, kz_error *error) {
    if (!commit || !own) return KZ_OK;
    size_t length = strcspn(commit, "-"), most = strcspn(own, "-");
    bool same = length >= 7 && strncmp(commit, own, length < most ? length : most) == 0;
    if (same && strcmp(commit + length, own + most) == 0) return KZ_OK;
    base_fail(error, KZ_INVALID, "--commit says %.60s, and this kz was built from %s", commit, own);
    base_fail_note(error, "leave --commit out: it is for builds outside git, which know no commit");
    return KZ_INVALID;
}

bench_run_info bench_run_begin(const char *command, const char *commit) {
    bench_run_info run = {
        .command = command, .commit = bench_commit() ? bench_commit() : commit, .other_processes = -1};
    make_id(run.id);
    return run;
}

void bench_run_take_device(bench_run_info *run, const kz_device_info *device, const bench_monitor *monitor) {
    run->device = *device;
    run->driver = bench_monitor_driver(monitor);
    run->uuid = bench_monitor_uuid(monitor);
    run->other_processes = bench_monitor_others(monitor);
}

static json_t *run_object(const bench_run_info *run) {
    char when[32];
    base_utc_time(when);
    return json_pack("{so, ss, so}", "id", text(run->id), "time", when, "command", text(run->command));
}

static json_t *environment_object(const bench_run_info *run) {
    struct utsname name;
    bool known_name = uname(&name) == 0;
    char system[200];
    if (known_name)
        snprintf(system, sizeof system, "%.60s %.60s %.60s", name.sysname, name.release, name.machine);
    return json_pack("{so, so, so}", "system", known_name ? text(system) : json_null(), "driver",
                     text(run->driver), "other_processes",
                     run->other_processes < 0 ? json_null() : json_integer(run->other_processes));
}

// Takes the peaks over, which may be NULL.
static json_t *device_object(const bench_run_info *run, json_t *peaks) {
    static const char *const kinds[] = {"cpu", "sim", "cuda"};
    const kz_device_info *d = &run->device;
    return json_pack("{ss, so, so, so, so, so, si, so, so, so*}", "kind", kinds[d->kind], "id", text(d->id),
                     "name", text(d->name), "gpu", text(d->gpu), "uuid", text(run->uuid), "sm",
                     d->sm ? json_integer(d->sm) : json_null(), "multiprocessors", d->multiprocessors,
                     "memory_bytes", count(d->memory_bytes), "l2_bytes", count(d->l2_bytes), "peaks", peaks);
}

json_t *bench_record_head(const bench_run_info *run, json_t *peaks) {
    json_t *code = json_pack("{ss, so}", "version", kz_version(), "commit", text(run->commit));
    return json_pack("{si, so, so, so, so}", "schema", BENCH_SCHEMA, "run", run_object(run), "code", code,
                     "environment", environment_object(run), "device", device_object(run, peaks));
}

// One that was not measured in this run, and whence it is; NULL where there is none.
static json_t *known_peak(const bench_known_peak *peak) {
    if (!peak->origin[0]) return NULL;
    return json_pack("{so, ss}", "per_s", number(peak->value), "origin", peak->origin);
}

// The one that limits the case; NULL where none is known.
static json_t *limit_object(const bench_limit *r) {
    if (!r->name[0]) return NULL;
    return json_pack("{ss, so, ss, so}", "name", r->name, "per_s", number(r->peak.value), "origin",
                     r->peak.origin, "ridge", number(r->ridge));
}

static json_t *peaks_object(const bench_run_info *run, const bench_outcome *o, size_t condition) {
    const kz_device_info *d = &run->device;
    return json_pack("{so, so, so, so, so*, so*, so*}", "copy_bytes_per_s", number(o->copy[condition]),
                     "read_bytes_per_s", number(o->read[condition]), "nominal_bytes_per_s",
                     known(d->peak_bytes_per_s), "nominal_flops_f32_per_s", known(d->peak_flops_f32),
                     "known_copy", isnan(o->copy[condition]) ? known_peak(&o->known_copy) : NULL,
                     "known_compute", known_peak(&o->known_compute), "limit", limit_object(&o->limit));
}

// ---- the case ------------------------------------------------------------------------------------

static json_t *case_object(const bench_request *q, const bench_outcome *o) {
    json_t *axes = json_object();
    for (size_t i = 0; i < KZ_CASE_AXES && q->family->axes[i]; i++)
        json_object_set_new(axes, q->family->axes[i], json_integer(q->c->axes[i]));
    return json_pack("{ss, ss, ss, ss, so, so, ss, so}", "name", o->name, "family", q->family->name,
                     "operation", q->family->operations[q->c->operation], "type", kz_type_name(q->c->type),
                     "axes", axes, "seed", count(o->seed), "data", family_data_name(q->c->data), "misalign",
                     count(q->c->misalign));
}

static json_t *candidate_object(const bench_candidate *c) {
    json_t *prepare = c->prepare_seconds > 0 ? number(c->prepare_seconds) : NULL;
    return json_pack("{ss, ss, so, so, so*}", "by", c->by, "name", c->name, "version", text(c->version),
                     "code_hash", text(c->code_hash), "prepare_s", prepare);
}

static const char *cache_method(const bench_outcome *o, bench_condition how) {
    if (how.mode == BENCH_SUSTAINED)
        return how.cache == BENCH_HOT ? "the same set all the time" : "rotating sets, none flushed";
    switch (how.cache) {
    case BENCH_DIRTY: return "write before each sample";
    case BENCH_HOT: return "a run on the same set before each sample";
    case BENCH_FRESH: return "flush, then a kernel writes the inputs, before each sample";
    default:
        return o->flush_reads ? "flush by reading before each sample, rotating sets within"
                              : "flush by writing before each sample, rotating sets within";
    }
}

static json_t *cache_object(const bench_outcome *o, bench_condition how) {
    size_t sets = how.cache == BENCH_HOT ? 1 : o->sets;
    bool flushed = how.cache != BENCH_HOT && how.mode != BENCH_SUSTAINED;
    return json_pack("{ss, ss, so, so, so, so}", "state", bench_cache_name(how.cache), "method",
                     cache_method(o, how), "sets", count(sets), "set_bytes", count(o->footprint_bytes),
                     "footprint_bytes", count(sets * o->footprint_bytes), "flush_bytes",
                     count(flushed ? o->flush_bytes : 0));
}

static json_t *work_object(const bench_outcome *o) {
    return json_pack("{so, so, so, ss}", "bytes", number(o->work.bytes), "flops", number(o->work.flops),
                     "intensity", number(o->limit.intensity), "source", "the family's least");
}

static json_t *host_object(const bench_outcome *o) {
    return json_pack("{so, so}", "inputs_s", number(o->input_seconds), "reference_s",
                     number(o->reference_seconds));
}

static json_t *memory_object(const bench_outcome *o, const bench_candidate *c) {
    return json_pack("{so, so, so, so}", "buffers_bytes", count(o->footprint_bytes), "workspace_bytes",
                     count(c->workspace_bytes), "own_bytes",
                     c->own_bytes == UINT64_MAX ? json_null() : count(c->own_bytes), "peak_bytes",
                     count(bench_peak_bytes(o, c)));
}

json_t *bench_code_object(const bench_code *c) {
    if (!c->launches) return json_null();
    return json_pack("{si, so, so, so, so, so, so, so, so, so, so}", "launches", c->launches, "threads",
                     known_count(c->threads), "registers", known_count(c->registers), "shared_bytes",
                     known_count(c->shared_bytes), "local_bytes_per_thread", known_count(c->local_bytes),
                     "blocks_per_multiprocessor", known_count(c->blocks), "warps_per_multiprocessor",
                     known_count(c->warps), "occupancy", number(c->occupancy), "occupancy_limit",
                     text(c->limit), "code_bytes", known_count(c->code_bytes), "ptx_instructions",
                     known_count(c->ptx_instructions));
}

// What is known before it runs; null for rivals and peaks.
json_t *bench_facts_object(const bench_facts *f) {
    if (f->lines < 0) return json_null();
    const bench_judgement *j = &f->judged;
    json_t *judged = j->readability ? json_pack("{si, si, si}", "portability", j->portability, "readability",
                                                j->readability, "debugging", j->debugging)
                                    : json_null();
    return json_pack("{si, si, so, so, so}", "lines", f->lines, "all_lines", f->all_lines, "compile_s",
                     number(f->compile_seconds), "compiler", text(f->compiler), "judged", judged);
}

// ---- the samples -----------------------------------------------------------------------------------

static json_t *health_object(const bench_health *h) {
    if (!h->known) return json_null();
    return json_pack("{so, so, so, so, so, so}", "sm_hz", number(h->sm_hz), "memory_hz", number(h->memory_hz),
                     "temperature_c", number(h->temperature_c), "power_w", number(h->power_w),
                     "power_limit_w", number(h->power_limit_w), "throttle_reasons",
                     h->throttle_reasons < 0 ? json_null() : json_integer(h->throttle_reasons));
}

static json_t *samples_array(const bench_series *series) {
    json_t *array = json_array();
    for (size_t i = 0; i < series->count; i++) json_array_append_new(array, number(series->samples[i]));
    return array;
}

// Of the samples as they are written: whoever has them can tell that they are those of the record.
static void digest_of(const double *samples, size_t count, char text[20]) {
    uint64_t hash = BASE_HASH;
    for (size_t i = 0; i < count; i++) {
        double value = six_digits(samples[i]);
        uint64_t bits;
        unsigned char bytes[8];
        memcpy(&bits, &value, sizeof bits);
        for (unsigned b = 0; b < 8; b++) bytes[b] = (unsigned char)(bits >> 8 * b);
        hash = base_hash(hash, bytes, sizeof bytes);
    }
    snprintf(text, 20, "%016llx", (unsigned long long)hash);
}

bool bench_record_add_statistics(json_t *statistics, const double *samples, const bench_summary *s) {
    char digest[20];
    digest_of(samples, s->count, digest);
    json_t *more = json_pack("{so, so, so, ss}", "p05_s", number(s->fifth_percentile), "p95_s",
                             number(s->ninety_fifth_percentile), "p99_s", number(s->ninety_ninth_percentile),
                             "digest", digest);
    return json_object_update_new(statistics, more) == 0;
}

static json_t *statistics_object(const bench_series *series) {
    const bench_summary *s = &series->summary;
    json_t *statistics = json_pack(
        "{so, so, so, so, so, so, so, so, ss, so, sb, so*}", "count", count(s->count), "median_s",
        number(s->median), "low_s", s->has_interval ? number(s->low) : json_null(), "high_s",
        s->has_interval ? number(s->high) : json_null(), "least_s", number(s->least), "first_quartile_s",
        number(s->first_quartile), "third_quartile_s", number(s->third_quartile), "most_s", number(s->most),
        "state", bench_state_name(series->state), "warm_up_samples", count(series->warm_samples), "warm",
        series->warm, "split", bench_series_is_split(series) ? json_true() : NULL);
    if (bench_record_add_statistics(statistics, series->samples, s)) return statistics;
    json_decref(statistics);
    return NULL;
}

static json_t *derived_object(const bench_outcome *o, const bench_timing *t) {
    return json_pack("{so, so, so, so*, so, so, so, sb}", "bytes_per_s",
                     o->work.bytes > 0 ? number(t->bytes_per_s) : json_null(), "flops_per_s",
                     o->work.flops > 0 ? number(t->flops_per_s) : json_null(), "of_copy", number(t->of_copy),
                     "of_compute", o->known_compute.origin[0] ? number(t->of_compute) : NULL, "of_peak",
                     number(t->of_peak), "power_w", number(t->power_w), "energy_j", number(t->energy_j),
                     "over_peak", t->over_peak);
}

json_t *bench_counters_object(const kz_counters *c) {
    if (!c->valid) return json_null();
    return json_pack(
        "{so, so, so, so, so, so, so, so, so, so, so, so, so, so}", "launches", count(c->launches), "blocks",
        count(c->blocks), "warps", count(c->warps), "warp_instructions", count(c->warp_instructions),
        "thread_instructions", count(c->thread_instructions), "global_requests", count(c->global_requests),
        "global_sectors", count(c->global_sectors), "global_ideal_sectors", count(c->global_ideal_sectors),
        "shared_requests", count(c->shared_requests), "shared_wavefronts", count(c->shared_wavefronts),
        "shared_ideal_wavefronts", count(c->shared_ideal_wavefronts), "atomic_requests",
        count(c->atomic_requests), "atomic_lane_conflicts", count(c->atomic_lane_conflicts), "barriers",
        count(c->barriers));
}

// ---- judgements ------------------------------------------------------------------------------------

static json_t *check_object(const bench_check *c) {
    if (!c->done) return json_null();
    return json_pack("{ss, so, so, so, so, so, so}", "status", c->comparison.wrong ? "wrong" : "right",
                     "seed", count(c->seed), "sets", count(c->sets), "elements", count(c->comparison.count),
                     "wrong", count(c->comparison.wrong), "worst_error", number(c->comparison.worst_error),
                     "worst_error_over_bound", number(c->comparison.worst_ratio));
}

static json_t *checks_object(const bench_result *r) {
    return json_pack("{so, so, so}", "before", check_object(&r->before), "after", check_object(&r->after),
                     "fresh", check_object(&r->fresh));
}

// Against every rival, and for a rival against nobody: the ratios are told once.
static json_t *comparisons_array(const bench_outcome *o, size_t ours, size_t condition) {
    json_t *array = json_array();
    bench_provider provider = o->results[ours].candidate.provider;
    for (size_t i = 0; i < o->count; i++) {
        if (o->results[i].candidate.provider != BENCH_PEER || provider == BENCH_PEER ||
            provider == BENCH_PEAK)
            continue;
        bench_ratio ratio = bench_outcome_ratio(o, ours, i, condition);
        if (!ratio.valid) continue;
        json_t *one = json_pack("{ss, ss, so, so, so, so, ss}", "with", o->results[i].candidate.by, "name",
                                o->results[i].candidate.name, "pairs", count(ratio.pairs), "time_ratio",
                                number(ratio.ratio), "low", number(ratio.low), "high", number(ratio.high),
                                "verdict", bench_verdict_name(bench_outcome_verdict(o, ours, i, condition)));
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *target_object(const bench_target_verdict *v) {
    if (!v || !v->target) return json_null();
    return json_pack("{ss, so, so, so, so}", "metric", v->target->metric, "goal", number(v->target->goal),
                     "rival", text(v->target->rival), "value", number(v->value), "met",
                     isnan(v->value) ? json_null() : json_boolean(v->met));
}

static const char *status_of(const bench_outcome *o, const bench_result *r, const bench_timing *t) {
    if (r->loss) return bench_loss_name(r->loss);
    if (r->status == KZ_TIMEOUT) return bench_loss_name(BENCH_HUNG);
    if (r->status == KZ_WRONG) return "wrong";
    if (r->status == KZ_UNSUPPORTED) return "unsupported";
    if (r->status != KZ_OK) return "failed";
    if (!o->timed) return "ok";
    if (!t->taken) return "not timed";
    if (t->over_peak) return "above the peak";
    if (t->series.state == BENCH_GO_ON) return "interrupted";
    return t->series.state == BENCH_CONVERGED ? "ok" : "not converged";
}

// What was not timed at all is told once, under the figure's condition.
static bool has_record(const bench_outcome *o, size_t result, size_t condition) {
    if (!o->timed) return condition == 0;
    return o->results[result].timings[condition].taken || condition == o->figure;
}

// What --resume asks for: which request it was, and how many records it made. One that was interrupted is not done.
static json_t *request_object(const bench_run_info *run, const bench_request *q, const bench_outcome *o) {
    char digest[BENCH_DIGEST];
    json_int_t records = 0;
    if (o->interrupted) return json_null();
    for (size_t i = 0; i < o->count; i++)
        for (size_t k = 0; k < o->condition_count; k++) records += has_record(o, i, k);
    bench_request_digest(run, q, digest);
    return json_pack("{ss, sI, so}", "digest", digest, "records", records, "rivals", bench_request_rivals(q));
}

static json_t *origin_object(const bench_run_info *run, const bench_request *q, const bench_outcome *o) {
    json_t *suite = run->suite.name
                        ? json_pack("{ss, ss}", "name", run->suite.name, "digest", run->suite.digest)
                        : json_null();
    return json_pack("{so, so*, so*, so}", "suite", suite, "quick", run->quick ? json_true() : NULL, "trial",
                     run->trial ? json_true() : NULL, "request", request_object(run, q, o));
}

json_t *bench_record(const bench_run_info *run, const bench_request *q, const bench_outcome *o, size_t result,
                     size_t condition, const bench_target_verdict *target) {
    const bench_result *r = &o->results[result];
    const bench_timing *t = &r->timings[condition];
    const bench_condition how = o->conditions[condition];
    bool timed = o->timed && t->taken;
    json_t *clocks = json_pack("{so, so}", "before", timed ? health_object(&t->before) : json_null(), "after",
                               timed ? health_object(&t->after) : json_null());
    json_t *record = bench_record_head(run, peaks_object(run, o, condition));
    json_t *what = json_pack(
        "{so, so, ss, sb, so, ss*, so, so, so, so, so}", "case", case_object(q, o), "candidate",
        candidate_object(&r->candidate), "mode", o->timed ? bench_mode_name(how.mode) : "counters", "figure",
        o->timed && condition == o->figure && bench_condition_is_usual(how), "cache",
        o->timed ? cache_object(o, how) : json_null(), "stream",
        o->timed ? bench_stream_name(how.stream) : NULL, "timer",
        timed ? json_string(run->device.kind == KZ_DEVICE_CUDA ? "device events" : "wall clock")
              : json_null(),
        "launch_gap_s", timed && !r->candidate.elsewhere ? known(o->launch_gap[condition]) : json_null(),
        "beside", o->timed ? text(o->beside[condition]) : json_null(), "processes",
        timed ? json_integer(t->processes) : json_null(), "runs_per_sample",
        timed ? count(t->runs) : json_null());
    json_t *rest = json_pack(
        "{so, so, so, so*, so, so, so, so, so, so, so, so, so, ss, so}", "work", work_object(o), "host",
        host_object(o), "clocks", clocks, "samples_s",
        timed && run->samples ? samples_array(&t->series) : NULL, "statistics",
        timed ? statistics_object(&t->series) : json_null(), "derived",
        timed ? derived_object(o, t) : json_null(), "counters", bench_counters_object(&r->counters), "memory",
        memory_object(o, &r->candidate), "kernel", bench_code_object(&r->candidate.code), "source",
        bench_facts_object(&r->candidate.facts), "check", checks_object(r), "compare",
        timed ? comparisons_array(o, result, condition) : json_null(), "target",
        timed && condition == o->figure ? target_object(target) : json_null(), "status", status_of(o, r, t),
        "reason", r->error.message[0] ? json_string(r->error.message) : json_null());
    int failed = json_object_update_new(record, what); // a NULL among them fails, and is no harm
    failed |= json_object_update_new(record, rest);
    failed |= json_object_update_new(record, origin_object(run, q, o));
    if (failed) {
        json_decref(record);
        return NULL;
    }
    return record;
}

kz_status bench_record_write(const char *path, json_t *record, kz_error *error) {
    char *line = record ? json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(record);
    if (!line) return base_fail(error, KZ_NO_MEMORY, "no memory to write a result");
    kz_status status = base_file_append_line(path, line, error);
    free(line);
    return status;
}

kz_status bench_record_append(const char *path, const bench_run_info *run, const bench_request *q,
                              const bench_outcome *o, const bench_targets *targets, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < o->count && status == KZ_OK; i++)
        for (size_t k = 0; k < (o->timed ? o->condition_count : 1) && status == KZ_OK; k++) {
            if (!has_record(o, i, k)) continue;
            bench_target_verdict verdict = {0};
            bool ours = o->results[i].candidate.provider == BENCH_ZOO;
            if (ours) verdict = bench_targets_judge(targets, run->device.gpu, q->family, q->c, o, i);
            status = bench_record_write(path, bench_record(run, q, o, i, k, &verdict), error);
        }
    return status;
}
