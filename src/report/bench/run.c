// A run of kz bench. See run.h.
#include "report/bench/run.h"

#include <errno.h>
#include <string.h>

#include "bench/baseline.h"

// A folder gets one file per family: <date>-<commit>-<family>.jsonl, as under results/.
static void choose_file(const report_bench *r, const kz_family *family, base_text *path) {
    size_t length = strlen(r->path);
    char date[BASE_UTC];
    base_utc_time(date);
    base_text_add(path, "%s", r->path);
    if (length && r->path[length - 1] == '/')
        base_text_add(path, "%.10s-%s-%s.jsonl", date, r->run.commit ? r->run.commit : "unknown",
                      family->name);
}

// A full disk shows when they are flushed: lines that were lost are an error, as in a file.
static void print_records(report_bench *r, const bench_request *request, const bench_outcome *outcome) {
    errno = 0;
    for (size_t i = 0; i < outcome->count; i++)
        for (size_t k = 0; k < (outcome->timed ? outcome->condition_count : 1); k++) {
            json_t *record = bench_record(&r->run, request, outcome, i, k, NULL);
            if (record) json_dumpf(record, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9)), putchar('\n');
            json_decref(record);
        }
    if (fflush(stdout) == 0 && !ferror(stdout)) return;
    base_fail(&r->write_error, KZ_IO, "the records could not be written to stdout: %s",
              errno ? strerror(errno) : "the disk is full, or stdout is closed");
}

static void keep(report_bench *r, const bench_request *request, const bench_outcome *outcome,
                 const bench_targets *targets) {
    if (r->to_stdout && !r->write_error.status) print_records(r, request, outcome);
    if (!r->path || r->write_error.status) return;
    base_text path = {0};
    choose_file(r, request->family, &path);
    if (path.failed)
        base_fail(&r->write_error, KZ_NO_MEMORY, "no memory for the name of the records' file");
    else
        bench_record_append(path.data, &r->run, request, outcome, targets, &r->write_error);
    base_text_free(&path);
}

// ---- rivals that are not there ----------------------------------------------------------------------------

static bool is_named(const report_bench *r, const char *rival) {
    for (size_t i = 0; i < r->rival_count; i++)
        if (strcmp(r->rivals[i], rival) == 0) return true;
    return false;
}

static void print_absences(const report_bench *r, const report_style *style, bench_absences *all) {
    for (size_t i = 0; i < all->count; i++) {
        base_text text = {0};
        base_text_add(&text, "no rival: %s: %s", all->items[i].names.data, all->items[i].reason.data);
        if (text.data) report_note(r->file, style, REPORT_WARN, 0, text.data);
        base_text_free(&text);
    }
    if (all->count) fputc('\n', r->file);
    bench_absences_free(all);
}

static bool is_met(const report_rivals *met, const char *name) {
    for (size_t i = 0; i < met->count; i++)
        if (strcmp(met->names[i], name) == 0) return true;
    return false;
}

// `judged`: nothing more is to be counted of it.
static void meet(report_rivals *met, const char *name, bool judged) {
    if (met->count < BASE_COUNT(met->names) && !is_met(met, name))
        snprintf(met->names[met->count++], sizeof met->names[0], "%s", name);
    for (size_t i = 0; i < met->count; i++)
        if (strcmp(met->names[i], name) == 0) met->judged[i] = met->judged[i] || judged;
}

static bool has_figure(const bench_outcome *o, const bench_result *r) {
    bool taken = false;
    for (size_t k = 0; k < o->condition_count; k++) taken = taken || r->timings[k].taken;
    return taken && r->status == KZ_OK;
}

static void meet_missing(report_bench *r, const char *name, const char *why, bench_absences *absent) {
    bench_absences_add(absent, name, why);
    meet(&r->met, name, true);
    r->absent += r->rival_count > 0;
}

// A race without its rival is told of, once.
static void note_missing_rivals(report_bench *r, const report_style *style, const kz_family *family,
                                const bench_outcome *outcome, const bench_peers *peers) {
    const kz_device_info *device = &r->run.device;
    bool cpu = device->kind == KZ_DEVICE_CPU;
    bench_absences absent = {0};
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->results[i].candidate.provider == BENCH_PEER)
            meet(&r->met, outcome->results[i].candidate.by, has_figure(outcome, &outcome->results[i]));
    for (size_t i = 0; i < BENCH_RIVALS && device->has_clock; i++) {
        const bench_rival *rival = &bench_rivals[i];
        bool wanted = r->rival_count ? is_named(r, rival->name) && (rival->python || rival->on_cpu == cpu)
                                     : bench_rival_does(rival, family, cpu);
        base_text why = {0};
        if (wanted && !is_met(&r->met, rival->name) && bench_rival_missing(rival, peers, &why))
            meet_missing(r, rival->name, why.data ? why.data : "no memory", &absent);
        base_text_free(&why);
    }
    for (size_t i = 0; i < peers->remote_count; i++) { // those of one's own
        const char *name = bench_remote_name(peers->remotes[i]),
                   *why = bench_remote_missing(peers->remotes[i]);
        if (*why && !is_met(&r->met, name)) meet_missing(r, name, why, &absent);
    }
    print_absences(r, style, &absent);
}

static void add_idle(report_bench *r, const char *name, const bench_peers *peers, const json_t *earlier,
                     bench_absences *absent) {
    const bench_rival *rival = bench_rival_find(name);
    bool cpu = r->run.device.kind == KZ_DEVICE_CPU;
    base_text why = {0};
    if (is_met(&r->met, name) || json_object_get(earlier, name)) return;
    if (!r->run.device.has_clock)
        base_text_add(&why, "rivals are timed, and the simulator has no clock");
    else if (rival && cpu && !rival->on_cpu)
        base_text_add(&why, "runs on a GPU, and this is a CPU");
    else if (rival && !cpu && rival->on_cpu && !rival->python)
        base_text_add(&why, "runs on a CPU, and this is a GPU");
    else if (!rival || !bench_rival_missing(rival, peers, &why))
        base_text_add(&why, "does none of these cases");
    meet_missing(r, name, why.data ? why.data : "no memory", absent);
    base_text_free(&why);
}

// Those of one's own go by the names that they gave themselves, once they were started.
void report_bench_idle_rivals(report_bench *r, const bench_peers *peers, const json_t *earlier) {
    const report_style style = report_detect_style(r->file);
    bench_absences absent = {0};
    for (size_t i = 0; i < r->rival_count; i++)
        if (!base_ends_with(r->rivals[i], ".py"))
            add_idle(r, r->rivals[i], peers, earlier, &absent);
        else if (!r->run.device.has_clock)
            add_idle(r, base_file_name(r->rivals[i]), peers, earlier, &absent);
    for (size_t i = 0; i < peers->remote_count; i++) {
        const char *name = bench_remote_name(peers->remotes[i]),
                   *why = bench_remote_missing(peers->remotes[i]);
        if (*why && !is_met(&r->met, name) && !json_object_get(earlier, name))
            meet_missing(r, name, why, &absent);
        else
            add_idle(r, name, peers, earlier, &absent);
    }
    for (size_t i = 0; i < r->met.count; i++) // their rows say why
        r->absent += !r->met.judged[i] && !json_object_get(earlier, r->met.names[i]);
    print_absences(r, &style, &absent);
}

// ---- since an earlier run --------------------------------------------------------------------------------

static const char *beside(const char *names) { return *names ? names : "no other process"; }

static void print_change(const report_bench *r, const bench_candidate *candidate, const char *condition,
                         const bench_change *c) {
    char before[REPORT_NUMBER], now[REPORT_NUMBER];
    bool timed = strcmp(c->what, "time") == 0;
    if (timed) {
        report_seconds(before, c->before);
        report_seconds(now, c->now);
    } else {
        snprintf(before, sizeof before, "%.0f", c->before);
        snprintf(now, sizeof now, "%.0f", c->now);
    }
    static const char *const kinds[] = {[BENCH_CHANGE_WORSE] = "worse than before",
                                        [BENCH_CHANGE_BETTER] = "better than before",
                                        [BENCH_CHANGE_UNFAIR] = "not judged"};
    fprintf(r->file, "%s: %s%s%s, %s%s%s", kinds[c->kind], candidate->name, *condition ? ", " : "", condition,
            timed ? "" : c->what, timed ? "" : " ", now);
    if (c->kind == BENCH_CHANGE_UNFAIR)
        fprintf(r->file, " beside %s, was %s beside %s", beside(c->beside.now), before,
                beside(c->beside.before));
    else
        fprintf(r->file, ", was %s", before);
    if (c->before > 0) fprintf(r->file, " (%+.1f%%)", 100 * (c->now / c->before - 1));
    fprintf(r->file, "; %.10s, commit %s\n", c->date, *c->commit ? c->commit : "unknown");
}

static bool compare_one(report_bench *r, const bench_request *request, const bench_outcome *outcome,
                        size_t result, size_t condition) {
    char name[BENCH_CONDITION_TEXT] = "";
    json_t *record = bench_record(&r->run, request, outcome, result, condition, NULL);
    bench_change c = bench_baseline_compare(r->baseline, record, request->family);
    r->since.same += c.kind == BENCH_CHANGE_NONE;
    r->since.worse += c.kind == BENCH_CHANGE_WORSE;
    r->since.better += c.kind == BENCH_CHANGE_BETTER;
    r->since.unknown += c.kind == BENCH_CHANGE_UNKNOWN;
    r->since.unfair += c.kind == BENCH_CHANGE_UNFAIR;
    bool changed = c.kind != BENCH_CHANGE_UNKNOWN && c.kind != BENCH_CHANGE_NONE;
    if (condition != outcome->figure) bench_condition_name(outcome->conditions[condition], name);
    if (changed) print_change(r, &outcome->results[result].candidate, name, &c);
    json_decref(record);
    return changed;
}

// Of our own candidates, under the condition that counts and those that are unusual.
static void compare(report_bench *r, const bench_request *request, const bench_outcome *o) {
    bool said = false;
    for (size_t i = 0; r->baseline && i < o->count; i++) {
        bench_provider provider = o->results[i].candidate.provider;
        if (provider == BENCH_PEER || provider == BENCH_PEAK) continue;
        for (size_t k = 0; k < (o->timed ? o->condition_count : 1); k++)
            if (k == o->figure || !bench_condition_is_usual(o->conditions[k]))
                said = compare_one(r, request, o, i, k) || said;
    }
    if (said) fputc('\n', r->file);
}

void report_bench_case(report_bench *r, const bench_request *request, const bench_outcome *outcome,
                       const bench_targets *targets, const bench_peers *peers) {
    FILE *file = r->file;
    const report_style style = report_detect_style(file);
    keep(r, request, outcome, targets);
    report_bench_print(file, &style, request->family, request->c, &r->run.device, outcome, targets,
                       &r->tally);
    // Where conditions take the columns, and nobody chose any, the errors have a table of their own.
    unsigned errors = report_bench_has_several(outcome) && !r->metrics ? 1u << REPORT_METRIC_error : 0;
    report_metrics_print(file, &style, outcome, r->metrics | errors);
    compare(r, request, outcome);
    note_missing_rivals(r, &style, request->family, outcome, peers);
    if (request->guest) r->guest_of = request->family->name;
    fflush(stdout);
}

bool report_bench_compared_nothing(const report_bench *r) {
    return r->baseline && r->tally.cases && !(r->since.same + r->since.worse + r->since.better);
}

void report_bench_end(const report_bench *r, double seconds) {
    const report_bench_tally *t = &r->tally;
    FILE *file = r->file;
    const report_style style = report_detect_style(file);
    char took[REPORT_NUMBER];
    fprintf(file, "%zu case%s in %s", t->cases, t->cases == 1 ? "" : "s", report_seconds(took, seconds));
    if (t->met + t->missed + t->open)
        fprintf(file, "; targets: %zu met, %zu missed, %zu open", t->met, t->missed, t->open);
    if (t->wrong) fprintf(file, "; %zu wrong", t->wrong);
    if (t->rivals_amiss)
        fprintf(file, "; %zu figure%s of rivals missing", t->rivals_amiss, t->rivals_amiss == 1 ? "" : "s");
    if (t->unsettled) fprintf(file, "; %zu not converged", t->unsettled);
    if (t->over) fprintf(file, "; %zu above the peak", t->over);
    fprintf(file, "\n");
    if (r->baseline)
        fprintf(file, "since the earlier records: %zu worse, %zu better, %zu the same, %zu not there\n",
                r->since.worse, r->since.better, r->since.same, r->since.unknown);
    if (report_bench_compared_nothing(r))
        report_note(
            file, &style, REPORT_WARN, 0,
            "nothing was compared: no earlier record is of this device, with these cases, variants and "
            "conditions");
    if (r->since.unfair)
        fprintf(
            file,
            "not judged: %zu, timed by turns with other processes than then; --rivals names those of then\n",
            r->since.unfair);
    if (t->shortfalls.data) fprintf(file, "%s", t->shortfalls.data);
    if (t->cases && !r->run.device.has_clock)
        report_note(file, &style, REPORT_PLAIN, 0,
                    "no times: the simulator has no clock; kz prof estimates what a launch takes");
    if (r->run.trial && t->cases)
        fprintf(file, "trial: no result was compared with a reference, and these are no figures\n");
    else if (r->run.quick && t->cases)
        fprintf(file, "quick: few samples of few sizes show that it runs, and are no figures\n");
    if (r->guest_of) fprintf(file, "the family's own variants: kz bench %s\n", r->guest_of);
    if (r->path && t->cases && !r->write_error.status) fprintf(file, "records: %s\n", r->path);
}

void report_bench_save(const report_bench *r, report_bench_counts *counts) {
    counts->tally = r->tally;
    counts->tally.shortfalls = (base_text){0};
    snprintf(counts->shortfalls, sizeof counts->shortfalls, "%s",
             r->tally.shortfalls.data ? r->tally.shortfalls.data : "");
    memcpy(&counts->since, &r->since, sizeof counts->since);
    counts->met = r->met;
    counts->absent = r->absent;
    counts->write_error = r->write_error;
}

void report_bench_restore(report_bench *r, const report_bench_counts *counts) {
    base_text text = {0};
    if (counts->shortfalls[0]) base_text_add(&text, "%s", counts->shortfalls);
    r->tally = counts->tally;
    r->tally.shortfalls = text;
    memcpy(&r->since, &counts->since, sizeof r->since);
    r->met = counts->met;
    r->absent = counts->absent;
    r->write_error = counts->write_error;
}

void report_bench_free(report_bench *r) {
    base_text_free(&r->tally.shortfalls);
    json_decref(r->baseline);
}

void report_bench_warn_of_others(const bench_run_info *run) {
    if (run->other_processes > 0)
        fprintf(stderr, "kz: warning: %d other process%s on this GPU: the figures will suffer\n",
                run->other_processes, run->other_processes > 1 ? "es compute" : " computes");
}
