// Tables of metrics: see metrics.h. Each column of metrics.def has a function that writes its cell; what it leaves
// empty is unknown.
#include "report/bench/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct view {
    const bench_outcome *o;
    const bench_result *r;
    const bench_timing *t; // of the figure; NULL where it was not timed
    int other;             // condition: single runs beside the figure's graphs, or the reverse; -1
} view;

// ---- numbers ---------------------------------------------------------------------------------------------

static void add_seconds(base_text *out, double seconds) {
    char text[REPORT_NUMBER];
    if (seconds > 0) base_text_add(out, "%s", report_seconds(text, seconds));
}

static void add_si(base_text *out, double value, const char *unit) {
    char text[REPORT_NUMBER];
    if (value > 0) base_text_add(out, "%s", report_si(text, value, unit));
}

static void add_share(base_text *out, double share) {
    if (isfinite(share)) base_text_add(out, "%.1f%%", 100 * share);
}

static void add_bytes(base_text *out, int64_t bytes) {
    char text[REPORT_NUMBER];
    if (bytes >= 0) base_text_add(out, "%s", report_bytes(text, (double)bytes));
}

static void add_count(base_text *out, int64_t count) {
    if (count >= 0) base_text_add(out, "%lld", (long long)count);
}

// ---- time and rate ------------------------------------------------------------------------------------------

static const bench_summary *summary(const view *v) {
    static const bench_summary none = {0};
    return v->t ? &v->t->series.summary : &none;
}

static void cell_median(base_text *out, const view *v) { add_seconds(out, summary(v)->median); }
static void cell_interval(base_text *out, const view *v) {
    if (summary(v)->has_interval) base_text_add(out, "%.2f%%", 100 * bench_relative_error(summary(v)));
}
static void cell_p95(base_text *out, const view *v) { add_seconds(out, summary(v)->ninety_fifth_percentile); }
static void cell_p99(base_text *out, const view *v) { add_seconds(out, summary(v)->ninety_ninth_percentile); }
static void cell_least(base_text *out, const view *v) { add_seconds(out, summary(v)->least); }
static void cell_samples(base_text *out, const view *v) {
    if (v->t) add_count(out, (int64_t)v->t->series.count);
}
static void cell_other(base_text *out, const view *v) {
    const bench_timing *other = v->other < 0 ? NULL : &v->r->timings[v->other];
    if (other && other->taken) add_seconds(out, other->series.summary.median);
}

static void cell_bytes_per_s(base_text *out, const view *v) {
    if (v->t) add_si(out, v->t->bytes_per_s, "B/s");
}
static void cell_flops_per_s(base_text *out, const view *v) {
    if (v->t) add_si(out, v->t->flops_per_s, "FLOP/s");
}
static void cell_of_copy(base_text *out, const view *v) {
    if (v->t) add_share(out, v->t->of_copy);
}
static void cell_of_peak(base_text *out, const view *v) {
    if (v->t) add_share(out, v->t->of_peak);
}
static void cell_peak(base_text *out, const view *v) {
    if (v->t && isfinite(v->t->of_peak)) base_text_add(out, "%s", v->o->limit.name);
}

// ---- error and memory ---------------------------------------------------------------------------------------

const char *report_error(char text[REPORT_NUMBER], double error) {
    snprintf(text, REPORT_NUMBER, error == 0 ? "0" : isnan(error) ? "-" : "%.1e", error);
    return text;
}

const char *report_error_of(char text[REPORT_NUMBER], const bench_result *result) {
    const bench_check *check = bench_worst_check(result);
    return report_error(text, check ? check->comparison.worst_error : (double)NAN);
}

static void cell_greatest(base_text *out, const view *v) {
    char text[REPORT_NUMBER];
    if (bench_worst_check(v->r)) base_text_add(out, "%s", report_error_of(text, v->r));
}
static double share_of_bound(const bench_result *r) { // -1: not checked
    const bench_check *const checks[] = {&r->before, &r->after, &r->fresh};
    double worst = -1;
    for (size_t i = 0; i < BASE_COUNT(checks); i++)
        if (checks[i]->done) worst = fmax(worst, checks[i]->comparison.worst_ratio);
    return worst;
}
static void cell_of_bound(base_text *out, const view *v) {
    double worst = share_of_bound(v->r);
    if (isinf(worst))
        base_text_add(out, "not 0"); // the bound is 0: only the exact answer is right
    else if (worst >= 0)
        base_text_add(out, worst < 0.1 ? "%.2g%%" : "%.0f%%", 100 * worst);
}
static void cell_elements(base_text *out, const view *v) {
    const bench_check *check = bench_worst_check(v->r);
    if (check) add_count(out, (int64_t)check->comparison.count);
}
static void cell_checked(base_text *out, const view *v) {
    if (v->r->before.done) base_text_add(out, "before");
    if (v->r->after.done) base_text_add(out, ", after");
    if (v->r->fresh.done) base_text_add(out, ", other inputs");
}

static bool is_peak(const view *v) { return v->r->candidate.provider == BENCH_PEAK; }

static void cell_buffers(base_text *out, const view *v) {
    if (!is_peak(v)) add_bytes(out, (int64_t)v->o->footprint_bytes);
}
static void cell_workspace(base_text *out, const view *v) {
    if (!is_peak(v)) add_bytes(out, (int64_t)v->r->candidate.workspace_bytes);
}
static void cell_own(base_text *out, const view *v) {
    if (v->r->candidate.own_bytes != UINT64_MAX) add_bytes(out, (int64_t)v->r->candidate.own_bytes);
}
static void cell_whole(base_text *out, const view *v) {
    if (!is_peak(v)) add_bytes(out, (int64_t)bench_peak_bytes(v->o, &v->r->candidate));
}

// ---- power ----------------------------------------------------------------------------------------------------

static void cell_clock(base_text *out, const view *v) {
    if (v->t && v->t->after.known) add_si(out, v->t->after.sm_hz, "Hz");
}
static void cell_watts(base_text *out, const view *v) {
    if (!v->t || !v->t->after.known) return;
    double power = isfinite(v->t->power_w) ? v->t->power_w : v->t->after.power_w;
    if (isfinite(power)) base_text_add(out, "%.0f W", power);
}
static void cell_energy(base_text *out, const view *v) {
    if (v->t) add_si(out, v->t->energy_j, "J");
}
static void cell_celsius(base_text *out, const view *v) {
    if (v->t && v->t->after.known && isfinite(v->t->after.temperature_c))
        base_text_add(out, "%.0f C", v->t->after.temperature_c);
}
static void cell_throttled(base_text *out, const view *v) {
    char text[80] = "";
    if (v->t && v->t->after.known) bench_throttle_text(v->t->after.throttle_reasons, text, sizeof text);
    base_text_add(out, "%s", text);
}

// ---- resources, code, grades --------------------------------------------------------------------------------

static const bench_code *code(const view *v) { return &v->r->candidate.code; }
static const bench_facts *facts(const view *v) { return &v->r->candidate.facts; }

static void cell_threads(base_text *out, const view *v) { add_count(out, code(v)->threads); }
static void cell_registers(base_text *out, const view *v) { add_count(out, code(v)->registers); }
static void cell_shared(base_text *out, const view *v) { add_bytes(out, code(v)->shared_bytes); }
static void cell_local(base_text *out, const view *v) { add_bytes(out, code(v)->local_bytes); }
static void cell_blocks(base_text *out, const view *v) { add_count(out, code(v)->blocks); }
static void cell_warps(base_text *out, const view *v) { add_count(out, code(v)->warps); }
static void cell_occupancy(base_text *out, const view *v) {
    if (isfinite(code(v)->occupancy))
        base_text_add(out, "%s%.0f%%", code(v)->registers < 0 ? "<= " : "", 100 * code(v)->occupancy);
}
static void cell_limit(base_text *out, const view *v) {
    if (code(v)->limit) base_text_add(out, "%s", code(v)->limit);
}

static void cell_launches(base_text *out, const view *v) {
    if (code(v)->launches) add_count(out, code(v)->launches);
}
static void cell_machine_code(base_text *out, const view *v) { add_bytes(out, code(v)->code_bytes); }
static void cell_ptx(base_text *out, const view *v) { add_count(out, code(v)->ptx_instructions); }
static void cell_lines(base_text *out, const view *v) { add_count(out, facts(v)->lines); }
static void cell_all_lines(base_text *out, const view *v) { add_count(out, facts(v)->all_lines); }
static void cell_compile(base_text *out, const view *v) {
    double rival = v->r->candidate.prepare_seconds;
    add_seconds(out, facts(v)->compile_seconds > 0 ? facts(v)->compile_seconds : rival);
}

static void add_grade(base_text *out, int grade) {
    if (grade) add_count(out, grade);
}
static void cell_portability(base_text *out, const view *v) { add_grade(out, facts(v)->judged.portability); }
static void cell_readability(base_text *out, const view *v) { add_grade(out, facts(v)->judged.readability); }
static void cell_debugging(base_text *out, const view *v) { add_grade(out, facts(v)->judged.debugging); }
static void cell_why(base_text *out, const view *v) { base_text_add(out, "%s", facts(v)->judged.why); }

// ---- tables ----------------------------------------------------------------------------------------------------

static const struct {
    const char *name, *meaning;
} groups_table[] = {
#define METRIC_GROUP(name, meaning) {#name, meaning},
#include "report/bench/metrics.def"
};

static const struct {
    report_metric_group group;
    const char *title;
    bool right;
    void (*cell)(base_text *out, const view *v);
} metrics[] = {
#define METRIC(group, column, title, right) {REPORT_METRIC_##group, title, right, cell_##column},
#include "report/bench/metrics.def"
};

enum { METRICS = sizeof metrics / sizeof *metrics, RESULTS = BENCH_CANDIDATES };

// A column's cells, and whether one of them says anything.
typedef struct column {
    size_t metric;
    base_text cells[RESULTS];
} column;

// The columns of a group of which something is known.
static size_t fill_columns(view *v, report_metric_group group, column *columns) {
    size_t count = 0;
    for (size_t m = 0; m < METRICS && count + 1 < REPORT_COLUMNS; m++) {
        if (metrics[m].group != group) continue;
        column *c = &columns[count];
        bool any = false;
        *c = (column){.metric = m};
        for (size_t i = 0; i < v->o->count; i++) {
            v->r = &v->o->results[i];
            v->t = v->o->timed && v->r->timings[v->o->figure].taken ? &v->r->timings[v->o->figure] : NULL;
            metrics[m].cell(&c->cells[i], v);
            any = any || (c->cells[i].data && c->cells[i].data[0]);
        }
        if (any) count++;
    }
    return count;
}

static bool says_nothing(const column *columns, size_t count, size_t result) {
    for (size_t k = 0; k < count; k++)
        if (columns[k].cells[result].data && columns[k].cells[result].data[0]) return false;
    return true;
}

static void print_columns(FILE *file, const report_style *style, const bench_outcome *o,
                          report_metric_group group, const column *columns, size_t count, const char *other) {
    report_column titles[REPORT_COLUMNS] = {{groups_table[group].name, .least = 24}};
    for (size_t k = 0; k < count; k++) {
        bool right = metrics[columns[k].metric].right;
        const char *title = metrics[columns[k].metric].title;
        titles[1 + k] = (report_column){title ? title : other, right, .shrink = !right};
    }
    report_table *table = report_table_open(titles, 1 + count);
    for (size_t i = 0; table && i < o->count; i++) {
        const bench_candidate *c = &o->results[i].candidate;
        bool ours = c->provider == BENCH_ZOO || c->provider == BENCH_GUEST;
        if (says_nothing(columns, count, i)) continue;
        report_tone tone = c->provider == BENCH_PEAK ? REPORT_DIM : REPORT_PLAIN;
        report_table_add(table, tone, "%s%s%s", ours ? "" : c->by, ours ? "" : " ", c->name);
        for (size_t k = 0; k < count; k++) {
            const char *text = columns[k].cells[i].data;
            report_table_add(table, tone, "%s",
                             text && text[0]                    ? text
                             : metrics[columns[k].metric].right ? "-"
                                                                : "");
        }
    }
    if (table) report_table_fold(table), report_table_print(table, file, style, true);
    report_table_close(table);
}

// What all candidates of the case share.
static void print_below(FILE *file, const report_style *style, const bench_outcome *o,
                        report_metric_group group) {
    const bench_limit *l = &o->limit;
    char rate[REPORT_NUMBER];
    bool full = false;
    for (size_t i = 0; i < o->count; i++) full = full || share_of_bound(&o->results[i]) > 0.9;
    if (group == REPORT_METRIC_error && full)
        report_note(file, style, REPORT_DIM, 2,
                    "up to 100% of the bound is right: where it allows one rounding, one rounding takes it");
    if (group == REPORT_METRIC_rate && l->name && l->name[0]) {
        report_print(file, style, REPORT_DIM, "  %.3g flops per byte", l->intensity);
        if (isfinite(l->ridge)) report_print(file, style, REPORT_DIM, ", the ridge is at %.3g", l->ridge);
        report_print(file, style, REPORT_DIM, "; %s: %s, %s\n", l->name,
                     report_si(rate, l->peak.value, l->computes ? "FLOP/s" : "B/s"), l->peak.origin);
    }
}

void report_metrics_print(FILE *file, const report_style *style, const bench_outcome *o, unsigned groups) {
    view v = {.o = o, .other = o->timed ? bench_outcome_counterpart(o) : -1};
    column *columns = calloc(REPORT_COLUMNS, sizeof *columns);
    for (int group = 0; columns && group < REPORT_METRIC_GROUPS; group++) {
        if (!(groups & 1u << group)) continue;
        size_t count = fill_columns(&v, (report_metric_group)group, columns);
        const char *other = v.other < 0 ? "" : bench_mode_name(o->conditions[v.other].mode);
        if (count) print_columns(file, style, o, (report_metric_group)group, columns, count, other);
        if (count) print_below(file, style, o, (report_metric_group)group);
        if (count) fputc('\n', file);
        for (size_t k = 0; k < REPORT_COLUMNS; k++)
            for (size_t i = 0; i < RESULTS; i++) base_text_free(&columns[k].cells[i]);
    }
    free(columns);
}

// ---- names -----------------------------------------------------------------------------------------------------

static kz_status add_group(const char *name, size_t length, unsigned *groups, kz_error *error) {
    if (length == 3 && strncmp(name, "all", 3) == 0) {
        *groups = (1u << REPORT_METRIC_GROUPS) - 1;
        return KZ_OK;
    }
    for (int i = 0; i < REPORT_METRIC_GROUPS; i++)
        if (strlen(groups_table[i].name) == length && strncmp(groups_table[i].name, name, length) == 0) {
            *groups |= 1u << i;
            return KZ_OK;
        }
    base_fail(error, KZ_INVALID, "\"%.*s\" is not a group of columns", (int)length, name);
    for (int i = 0; i < REPORT_METRIC_GROUPS; i++)
        base_fail_note(error, "%s: %s", groups_table[i].name, groups_table[i].meaning);
    base_fail_note(error, "all: every one of them");
    return KZ_INVALID;
}

kz_status report_metrics_parse(const char *const *lists, size_t count, unsigned *groups, kz_error *error) {
    *groups = 0;
    for (size_t i = 0; i < count; i++)
        for (const char *at = lists[i]; *at; at += *at == ',') {
            size_t length = strcspn(at, ",");
            kz_status status = add_group(at, length, groups, error);
            if (status) return status;
            at += length;
        }
    return KZ_OK;
}
