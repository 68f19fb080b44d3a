// The results of checks for people and programs. See check.h.
#include "report/check/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family/limits.h"

enum { FAILURES_SHOWN = 4 }; // per family, unless --verbose

// ---- JSON -----------------------------------------------------------------------------------------

static json_t *counters_json(const kz_counters *k) {
    if (!k->valid) return json_null();
    json_t *object = json_object();
#define FIELD(name) json_object_set_new(object, #name, json_integer((json_int_t)k->name))
    FIELD(launches);
    FIELD(blocks);
    FIELD(warps);
    FIELD(warp_instructions);
    FIELD(thread_instructions);
    FIELD(global_requests);
    FIELD(global_sectors);
    FIELD(global_ideal_sectors);
    FIELD(shared_requests);
    FIELD(shared_wavefronts);
    FIELD(shared_ideal_wavefronts);
    FIELD(atomic_requests);
    FIELD(atomic_lane_conflicts);
    FIELD(barriers);
#undef FIELD
    return object;
}

static json_t *case_json(const kz_family *family, const kz_case *c) {
    char name[FAMILY_CASE_NAME];
    family_case_name(family, c, name);
    json_t *axes = json_object();
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i]; i++)
        json_object_set_new(axes, family->axes[i], json_integer(c->axes[i]));
    return json_pack("{s:s, s:s, s:s, s:o, s:s, s:i}", "name", name, "operation",
                     family->operations[c->operation], "type", kz_type_name(c->type), "axes", axes, "data",
                     family_data_name(c->data), "misalign", (int)c->misalign);
}

static json_t *comparison_json(const family_check_result *r) {
    if (!r->buffer) return json_null();
    const family_comparison *m = &r->comparison;
    return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:s}", "buffer", r->buffer, "count",
                     (json_int_t)m->count, "wrong", (json_int_t)m->wrong, "first_wrong",
                     m->wrong ? json_integer((json_int_t)m->first_wrong) : json_null(), "worst_error",
                     report_number(m->worst_error), "worst_error_over_bound", report_number(m->worst_ratio),
                     "pattern", m->pattern);
}

static json_t *record(const family_check_job *job, const char *variant, const family_check_result *r,
                      double seconds) {
    char time[BASE_UTC];
    base_utc_time(time);
    const kz_device_info *d = kz_device_get_info(job->device);
    json_t *device = json_pack("{s:s, s:s, s:i}", "id", d->id, "name", d->name, "sm", d->sm);
    json_t *work =
        json_pack("{s:o, s:o}", "bytes", report_number(r->work.bytes), "flops", report_number(r->work.flops));
    // Data from a guest's file may be any bytes; jansson takes only UTF-8, and makes the record NULL else.
    json_t *message = r->outcome == FAMILY_PASSED ? json_null() : json_string(r->error.message);
    if (!message) message = json_string("(the message is not UTF-8)");
    return json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:o, s:f}",
        "schema", 1, "kind", "check", "kz", KZ_VERSION, "time", time, "family", job->family->name, "variant",
        variant, "guest", job->guest != NULL, "device", device, "case", case_json(job->family, job->c),
        "seed", (json_int_t)job->seed, "data_seed", (json_int_t)r->seed, "outcome",
        family_outcome_name(r->outcome), "status",
        kz_status_name(r->outcome == FAMILY_PASSED ? KZ_OK : r->error.status), "message", message,
        "comparison", comparison_json(r), "counters", counters_json(&r->counters), "work", work,
        "host_seconds", seconds);
}

// The first file that could not be written decides the exit code.
static void note_write(report_check *report, kz_status status, const kz_error *error) {
    if (!status || report->write_error.status) return;
    report->write_error = *error;
}

static void write_record(report_check *report, json_t *object) {
    if (!object) return;
    kz_error error;
    if (report->journal) note_write(report, report_journal_add(report->journal, object, &error), &error);
    if (report->records) json_array_append(report->records, object);
    json_decref(object);
}

void report_check_timing(report_check *report, json_t *object) {
    if (!object) return;
    json_object_set_new(object, "kind", json_string("check-timing"));
    write_record(report, object);
}

// ---- one case -------------------------------------------------------------------------------------

// The text with every line after the first indented.
static void add_indented(base_text *out, const char *text, const char *indent) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        base_text_add(out, "%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
        if (*text) base_text_add(out, "%s", indent);
    }
}

static void add_failure(report_check *report, const char *outcome, const char *target, const char *variant,
                        const char *case_name, const char *device, const kz_error *why, uint64_t seed) {
    if (report->shown_failures++ >= FAILURES_SHOWN && !report->verbose) return;
    base_text *out = &report->failures;
    base_text_add(out, "\n  %s  %s %s on %s\n    ", outcome, variant, case_name, device);
    add_indented(out, why->message[0] ? why->message : kz_status_text(why->status), "    ");
    base_text_add(out, "    again: %s --case %s --device %s", target, case_name, device);
    if (seed != FAMILY_SEED) base_text_add(out, " --seed %llu", (unsigned long long)seed);
    base_text_add(out, "\n");
}

// The command that does this one again, but for its options.
static void command_for(const report_check *report, const kz_family *family, const char *variant, bool guest,
                        char *text, size_t size) {
    if (guest)
        snprintf(text, size, "%s", report->command);
    else
        snprintf(text, size, "kz check %s/%s", family->name, variant);
}

static void note_failure(report_check *report, const family_check_job *job, const char *variant,
                         const family_check_result *r, const char *name) {
    char again[600];
    command_for(report, job->family, variant, job->guest != NULL, again, sizeof again);
    add_failure(report, family_outcome_name(r->outcome), again, variant, name,
                kz_device_get_info(job->device)->id, &r->error, job->seed);
}

void report_check_broken(report_check *report, const kz_family *family, const char *variant, bool guest,
                         const char *case_name, const char *device, uint64_t seed, const kz_error *why) {
    char again[600];
    bool wrong = why->status == KZ_WRONG;
    family_outcome outcome = wrong ? FAMILY_WRONG : FAMILY_FAULTED;
    command_for(report, family, variant, guest, again, sizeof again);
    add_failure(report, family_outcome_name(outcome), again, variant, case_name, device, why, seed);
    report->outcomes[outcome]++;
    report->wrong = report->wrong || wrong;
    report->fault = report->fault || !wrong;
}

static void note_junit(report_check *report, const family_check_job *job, const char *variant,
                       const char *name, const family_check_result *r, double seconds) {
    static const report_verdict verdicts[FAMILY_OUTCOMES] = {
        [FAMILY_PASSED] = REPORT_PASSED, [FAMILY_WRONG] = REPORT_FAILED,    [FAMILY_FAULTED] = REPORT_FAILED,
        [FAMILY_FAILED] = REPORT_ERROR,  [FAMILY_SKIPPED] = REPORT_SKIPPED,
    };
    char classname[256];
    snprintf(classname, sizeof classname, "%s.%s.%s", job->family->name, variant,
             kz_device_get_info(job->device)->id);
    report_junit_add(report->junit, classname, name, seconds, verdicts[r->outcome], r->error.message);
}

static void note_figures(report_check_row *row, const kz_case *c, const family_check_result *r) {
    if (r->outcome != FAMILY_PASSED) return;
    bool plain = c->operation == 0 && c->type == KZ_F32 && c->data == KZ_DATA_UNIFORM && c->misalign == 0;
    bool better = !row->has_figures || (plain && !row->figures_are_plain) ||
                  (plain == row->figures_are_plain && r->work.bytes > row->work.bytes);
    if (!better) return;
    row->figure_case = *c;
    row->work = r->work;
    row->counters = r->counters;
    row->elements = r->elements;
    row->figures_are_plain = plain;
    row->has_figures = true;
}

static void print_verbose(const report_check *report, const char *variant, const char *name, const char *id,
                          const family_check_result *r, double seconds) {
    char time[REPORT_NUMBER];
    report_tone tone = r->outcome == FAMILY_PASSED    ? REPORT_GOOD
                       : r->outcome == FAMILY_SKIPPED ? REPORT_DIM
                                                      : REPORT_BAD;
    report_print(stdout, &report->style, tone, "  %-8s", family_outcome_name(r->outcome));
    printf("%s %s on %s, %s", variant, name, id, report_seconds(time, seconds));
    if (r->outcome == FAMILY_PASSED) printf(", worst error %.3g of the bound", r->comparison.worst_ratio);
    if (r->outcome == FAMILY_SKIPPED)
        printf(": %.*s", (int)strcspn(r->error.message, "\n"), r->error.message);
    printf("\n");
}

void report_check_case(report_check *report, const family_check_job *job, const char *variant,
                       const family_check_result *r, double seconds, report_check_row *row) {
    char name[FAMILY_CASE_NAME];
    family_case_name(job->family, job->c, name);
    row->outcomes[r->outcome]++;
    report->outcomes[r->outcome]++;
    report->fault = report->fault || r->outcome == FAMILY_FAULTED;
    report->wrong = report->wrong || r->outcome == FAMILY_WRONG;
    if (r->outcome == FAMILY_FAILED && !report->other) report->other = r->error.status;
    if (r->outcome == FAMILY_SKIPPED && !report->first_skip[0]) {
        snprintf(report->first_skip, sizeof report->first_skip, "%.399s", r->error.message);
        report->first_skip_status = r->error.status;
    }
    note_figures(row, job->c, r);
    if (r->outcome != FAMILY_PASSED && r->outcome != FAMILY_SKIPPED)
        note_failure(report, job, variant, r, name);
    if (report->junit) note_junit(report, job, variant, name, r, seconds);
    write_record(report, record(job, variant, r, seconds));
    if (report->verbose && !report->quiet)
        print_verbose(report, variant, name, kz_device_get_info(job->device)->id, r, seconds);
}

// ---- one family -----------------------------------------------------------------------------------

static void add_verdict(report_table *table, const report_check *report, const report_check_row *row) {
    size_t passed = row->outcomes[FAMILY_PASSED], skipped = row->outcomes[FAMILY_SKIPPED];
    size_t run =
        passed + row->outcomes[FAMILY_WRONG] + row->outcomes[FAMILY_FAULTED] + row->outcomes[FAMILY_FAILED];
    const char *yes = report->style.utf8 ? "✓" : "ok", *no = report->style.utf8 ? "✗" : "NO";
    if (run == 0)
        report_table_add(table, REPORT_DIM, "- %zu skipped", skipped);
    else if (passed == run)
        report_table_add(table, REPORT_GOOD, "%s %zu/%zu", yes, passed, run);
    else
        report_table_add(table, REPORT_BAD, "%s %zu/%zu", no, passed, run);
}

// Counts on the simulator, times where there is a clock; each in columns of its own width.
static void add_figures(report_table *table, const report_check_row *row) {
    const kz_counters *k = &row->counters;
    char seconds[REPORT_NUMBER], time[REPORT_NUMBER + 1], rate[REPORT_NUMBER];
    if (row->timed) {
        snprintf(time, sizeof time, "%s%s", row->settled ? "" : "~", report_seconds(seconds, row->seconds));
        base_text share = {0};
        if (isfinite(row->of_copy)) base_text_add(&share, " %3.0f%% of copy", 100 * row->of_copy);
        report_table_add(table, REPORT_PLAIN, "%8s %9s%s", time, report_si(rate, row->bytes_per_s, "B/s"),
                         share.data ? share.data : "");
        base_text_free(&share);
    } else if (row->has_figures && k->valid && row->elements && k->thread_instructions) {
        report_table_add(table, REPORT_PLAIN, "%6.1f instr/elem %5.1f sect/req",
                         (double)k->thread_instructions / (double)row->elements,
                         k->global_requests ? (double)k->global_sectors / (double)k->global_requests : 0.0);
    } else {
        report_table_add(table, REPORT_PLAIN, "%s", "");
    }
}

// By how much it is faster than the rival: 0.50x takes twice its time.
static void add_rival(report_table *table, const report_check_row *row) {
    static const report_tone tones[] = {REPORT_PLAIN, REPORT_PLAIN, REPORT_GOOD, REPORT_WARN};
    if (row->timed && row->ratio.valid)
        report_table_add(table, tones[bench_judge(&row->ratio, 0.02)], "%.3fx %s", 1 / row->ratio.ratio,
                         row->rival);
    else
        report_table_add(table, REPORT_PLAIN, "%s", "");
}

static void add_row(report_table *table, const report_check *report, const report_check_row *row) {
    char limit[FAMILY_LIMIT] = "";
    report_table_add(table, REPORT_PLAIN, "%s", "");
    report_table_add(table, REPORT_PLAIN, "%s", row->variant);
    report_table_add(table, REPORT_DIM, "%s", row->device.id);
    add_verdict(table, report, row);
    const kz_counters *counters = &row->counters;
    bool all_passed =
        !row->outcomes[FAMILY_WRONG] && !row->outcomes[FAMILY_FAULTED] && !row->outcomes[FAMILY_FAILED];
    bool ran =
        !counters->valid || counters->thread_instructions; // nothing limits what an empty case does not do
    if (row->has_figures && all_passed && ran)
        family_describe_limit(&row->device, &row->work, counters, limit);
    report_table_add(table, REPORT_PLAIN, "%s", row->limit[0] ? row->limit : limit);
    add_figures(table, row);
    add_rival(table, row);
}

static void print_table(report_check *report, const report_check_row *rows, size_t count, size_t widest) {
    const report_column columns[] = {
        {.title = ""},
        {.title = "variant", .least = (int)widest},
        {.title = "device", .least = report->widest_device},
        {.title = "correct", .least = 9},
        {.title = "waste, else its peak", .least = report->counts ? 32 : 20, .shrink = true},
        {.title = "figures", .least = 31},
        {.title = report->rivals ? "rival" : ""},
    };
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return;
    for (size_t i = 0; i < count; i++) add_row(table, report, &rows[i]);
    report_table_print(table, stdout, &report->style, report->families++ == 0);
    report_table_close(table);
}

void report_check_family(report_check *report, const kz_family *family, const report_check_row *rows,
                         size_t count, size_t widest_variant) {
    FILE *details = report->quiet ? stderr : stdout;
    if (!report->quiet && count) {
        report_print(stdout, &report->style, REPORT_BOLD, "%s", family->name);
        report_print(stdout, &report->style, REPORT_DIM, "  %s\n", family->summary);
        print_table(report, rows, count, widest_variant);
        if (report->captions.data)
            report_print(stdout, &report->style, REPORT_DIM, "%s", report->captions.data);
    }
    if (report->failures.data) fprintf(details, "%s", report->failures.data);
    if (report->shown_failures > FAILURES_SHOWN && !report->verbose)
        fprintf(details, "\n  and %zu more; --verbose shows them all\n",
                report->shown_failures - FAILURES_SHOWN);
    if (!report->quiet && count) printf("\n");
    fflush(details);
    base_text_free(&report->failures);
    base_text_free(&report->captions);
    report->failures = report->captions = (base_text){0};
    report->shown_failures = 0;
}

// ---- the end --------------------------------------------------------------------------------------

static json_t *summary(const report_check *report, double seconds, bool interrupted) {
    char time[BASE_UTC];
    base_utc_time(time);
    json_t *counts = json_object();
    for (int i = 0; i < FAMILY_OUTCOMES; i++)
        json_object_set_new(counts, family_outcome_name((family_outcome)i),
                            json_integer((json_int_t)report->outcomes[i]));
    return json_pack("{s:i, s:s, s:s, s:s, s:o, s:b, s:f}", "schema", 1, "kind", "check-summary", "kz",
                     KZ_VERSION, "time", time, "outcomes", counts, "interrupted", interrupted, "host_seconds",
                     seconds);
}

static void print_totals(const report_check *report, double seconds, bool interrupted) {
    char time[REPORT_NUMBER];
    const size_t *n = report->outcomes;
    size_t bad = n[FAMILY_WRONG] + n[FAMILY_FAULTED] + n[FAMILY_FAILED];
    if (interrupted) report_print(stdout, &report->style, REPORT_WARN, "stopped by Ctrl-C; done so far: ");
    report_print(stdout, &report->style, bad ? REPORT_BAD : REPORT_GOOD, "%zu of %zu checks passed",
                 n[FAMILY_PASSED], n[FAMILY_PASSED] + bad);
    if (n[FAMILY_WRONG]) printf(", %zu wrong", n[FAMILY_WRONG]);
    if (n[FAMILY_FAULTED]) printf(", %zu stopped by a fault", n[FAMILY_FAULTED]);
    if (n[FAMILY_FAILED]) printf(", %zu failed to run", n[FAMILY_FAILED]);
    if (n[FAMILY_SKIPPED]) printf("; %zu do not apply here", n[FAMILY_SKIPPED]);
    printf(" (%s)\n", report_seconds(time, seconds));
}

kz_status report_check_verdict(const report_check *report, kz_error *error) {
    if (report->fault) return KZ_FAULT;
    if (report->wrong) return KZ_WRONG;
    if (report->other) return report->other;
    if (report->write_error.status) {
        *error = report->write_error;
        return error->status;
    }
    if (report->outcomes[FAMILY_PASSED]) return KZ_OK;
    bool no_room = report->first_skip_status == KZ_NO_MEMORY;
    base_fail(error, no_room ? KZ_NO_MEMORY : KZ_UNSUPPORTED, "nothing could be checked: %s",
              report->first_skip);
    if (no_room)
        base_fail_note(error, "take a smaller case, or a device with more memory: kz devices lists them");
    return error->status;
}

void report_check_end(report_check *report, double seconds, bool interrupted, const char *json_path,
                      const char *junit_path, const char *journal_path) {
    kz_error error;
    write_record(report, summary(report, seconds, interrupted));
    if (!report->quiet) print_totals(report, seconds, interrupted);
    note_write(report, report_journal_close(report->journal, &error), &error);
    if (report->records) note_write(report, report_write_lines(report->records, json_path, &error), &error);
    if (junit_path) note_write(report, report_junit_write(report->junit, junit_path, &error), &error);
    FILE *out = report->quiet ? stderr : stdout;
    bool saved = !report->write_error.status;
    if (saved && journal_path) fprintf(out, "JSON: %s\n", journal_path);
    if (saved && json_path) fprintf(out, "JSON: %s\n", json_path);
    if (saved && junit_path) fprintf(out, "JUnit: %s\n", junit_path);
    json_decref(report->records);
    report_junit_close(report->junit);
    base_text_free(&report->failures);
}
