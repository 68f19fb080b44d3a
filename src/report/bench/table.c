// The tables of kz bench. See table.h.
#include "report/bench/table.h"

#include <math.h>
#include <string.h>

#include "report/bench/metrics.h"

typedef struct view {
    FILE *file;
    const report_style *style;
    const kz_device_info *device;
    const bench_outcome *o;
    bench_target_verdict target; // of the best
    int best, rival;             // results; -1 where there is none
    bool several;                // more conditions than the usual two
} view;

bool report_bench_has_several(const bench_outcome *o) {
    return o->timed && o->condition_count > 1u + (bench_outcome_counterpart(o) >= 0);
}

// In two lines where the terminal is too narrow for one.
static void print_title(const view *v, const kz_family *family) {
    char bytes[REPORT_NUMBER], condition[BENCH_CONDITION_TEXT];
    base_text about = {0};
    base_text_add(&about, "on %s, %s", v->device->name, report_bytes(bytes, v->o->work.bytes));
    if (v->o->timed && v->several)
        base_text_add(&about, ", %zu conditions", v->o->condition_count);
    else if (v->o->timed)
        base_text_add(&about, ", %s", bench_condition_title(v->o->conditions[v->o->figure], condition));
    size_t width = strlen(family->name) + 1 + strlen(v->o->name) + 2 + about.length;
    report_print(v->file, v->style, REPORT_BOLD, "%s %s", family->name, v->o->name);
    if (v->style->terminal && width > (size_t)v->style->width) fputc('\n', v->file);
    report_print(v->file, v->style, REPORT_DIM, "  %s\n", about.data ? about.data : "");
    base_text_free(&about);
}

static void print_note(const view *v, report_tone tone, const char *text) {
    report_note(v->file, v->style, tone, 2, text);
}

// ---- times --------------------------------------------------------------------------------------

// What is wrong, or failed later, has no figure.
static bool is_timed(const bench_result *r, size_t condition) {
    return r->status == KZ_OK && r->timings[condition].taken;
}
static bool is_over(const bench_result *r, size_t condition) {
    return is_timed(r, condition) && r->timings[condition].over_peak;
}

static void add_rival(const view *v, report_table *table, size_t index) {
    const bench_candidate *c = &v->o->results[index].candidate;
    bench_ratio ratio = {0};
    if (v->rival >= 0 && (c->provider == BENCH_ZOO || c->provider == BENCH_GUEST))
        ratio = bench_outcome_ratio(v->o, index, (size_t)v->rival, v->o->figure);
    if (!ratio.valid) {
        for (int i = 0; i < 2; i++) report_table_add(table, REPORT_PLAIN, "%s", "");
        return;
    }
    static const report_tone tones[] = {REPORT_PLAIN, REPORT_PLAIN, REPORT_GOOD, REPORT_WARN};
    bench_verdict verdict = bench_outcome_verdict(v->o, index, (size_t)v->rival, v->o->figure);
    report_table_add(table, tones[verdict], "%.3fx %s", 1 / ratio.ratio, bench_verdict_name(verdict));
    report_table_add(table, REPORT_DIM, "[%.3f, %.3f]", 1 / ratio.high, 1 / ratio.low);
}

// Bytes, or flops where those are so many that no memory could be the limit. A peak moves bytes either way.
static void add_rate(const view *v, report_table *table, report_tone tone, const bench_timing *t) {
    char text[REPORT_NUMBER] = "";
    if (bench_work_computes(&v->o->work) && t->flops_per_s > 0)
        report_si(text, t->flops_per_s, "FLOP/s");
    else if (v->o->work.bytes > 0)
        report_si(text, t->bytes_per_s, "B/s");
    report_table_add(table, tone, "%s", text);
}

// Where flops are the measure, the share is that of what the cores can compute, as far as that is known.
static bool of_cores(const view *v) {
    return bench_work_computes(&v->o->work) && v->o->known_compute.origin[0];
}

static void add_timed_row(const view *v, report_table *table, size_t index) {
    const bench_result *r = &v->o->results[index];
    const bench_timing *t = &r->timings[v->o->figure];
    report_tone tone = (int)index == v->best                 ? REPORT_BOLD
                       : r->candidate.provider == BENCH_PEAK ? REPORT_DIM
                                                             : REPORT_PLAIN;
    char text[REPORT_NUMBER], name[REPORT_BENCH_NAME];
    report_table_add(table, tone, "%s", report_bench_name(&r->candidate, name));
    report_table_add(table, tone, "%s", report_seconds(text, t->series.summary.median));
    report_table_add(table, REPORT_DIM, "%.2f%%", 100 * bench_relative_error(&t->series.summary));
    report_table_add(table, r->candidate.provider == BENCH_PEAK ? REPORT_DIM : REPORT_PLAIN, "%s",
                     r->candidate.provider == BENCH_PEAK ? "" : report_error_of(text, r));
    add_rate(v, table, tone, t);
    // Where arithmetic is the work and the cores' rate is not known, a share of a copy would say nothing.
    bool copies = !bench_work_computes(&v->o->work) || r->candidate.provider == BENCH_PEAK;
    double share = of_cores(v) ? t->of_compute : copies ? t->of_copy : (double)NAN;
    if (isnan(share))
        report_table_add(table, REPORT_PLAIN, "%s", "");
    else
        report_table_add(table, tone, "%.1f%%", 100 * share);
    add_rival(v, table, index);
}

// Its row is empty: the reason stands below, where there is room for it.
static void add_untimed_row(report_table *table, const bench_result *r, size_t columns) {
    char name[REPORT_BENCH_NAME];
    report_tone tone = r->status == KZ_UNSUPPORTED ? REPORT_DIM : REPORT_BAD;
    report_table_add(table, tone, "%s", report_bench_name(&r->candidate, name));
    report_table_add(table, tone, "-");
    for (size_t i = 2; i < columns; i++) report_table_add(table, REPORT_PLAIN, "%s", "");
}

// Intervals are left out where the terminal has no room for them.
static void print_times(const view *v) {
    char rival[48] = "";
    if (v->rival >= 0) snprintf(rival, sizeof rival, "vs %s", v->o->results[v->rival].candidate.by);
    const char *rate = bench_work_computes(&v->o->work) ? "computes" : "moves";
    const report_column columns[] = {{"candidate", false, REPORT_SHRINKS, 24},
                                     {"time", true, REPORT_STAYS, 8},
                                     {"+-", true, REPORT_SPARE, 5},
                                     {"error", true, REPORT_STAYS, 7},
                                     {rate, true, REPORT_STAYS, 9},
                                     {of_cores(v) ? "of cores" : "of copy", true, REPORT_STAYS, 7},
                                     {rival, false, REPORT_STAYS, 0},
                                     {v->rival >= 0 ? "interval" : "", false, REPORT_SPARE, 0}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return;
    for (size_t i = 0; i < v->o->count; i++) {
        if (is_timed(&v->o->results[i], v->o->figure))
            add_timed_row(v, table, i);
        else
            add_untimed_row(table, &v->o->results[i], BASE_COUNT(columns));
    }
    report_table_fold(table);
    report_table_print(table, v->file, v->style, true);
    report_table_close(table);
}

// ---- counters ------------------------------------------------------------------------------------

static void add_share(report_table *table, uint64_t used, uint64_t ideal) {
    if (used == 0)
        report_table_add(table, REPORT_DIM, "-");
    else
        report_table_add(table, used > ideal ? REPORT_WARN : REPORT_GOOD, "%.2fx",
                         (double)used / (double)ideal);
}

// A count that no candidate has is no column.
typedef uint64_t (*counter)(const kz_counters *c);
static uint64_t atomics(const kz_counters *c) { return c->atomic_requests; }
static uint64_t barriers(const kz_counters *c) { return c->barriers; }

static bool is_counted(const bench_result *r) { return r->status == KZ_OK && r->counters.valid; }

static counter if_any(const view *v, counter get) {
    for (size_t i = 0; i < v->o->count; i++)
        if (is_counted(&v->o->results[i]) && get(&v->o->results[i].counters)) return get;
    return NULL;
}

static void add_counter(report_table *table, const kz_counters *c, counter get) {
    if (get) report_table_add(table, REPORT_PLAIN, "%llu", (unsigned long long)get(c));
}

// Counts, not times: the simulator has no clock.
static void print_counters(const view *v) {
    const counter extra[] = {if_any(v, atomics), if_any(v, barriers)};
    report_column columns[7] = {{"candidate", .least = 19},
                                {"thread inst", .right = true},
                                {"warp inst", .right = true},
                                {"global", .right = true},
                                {"shared", .right = true}};
    size_t count = 5;
    bool counted = false;
    if (extra[0]) columns[count++] = (report_column){"atomics", .right = true};
    if (extra[1]) columns[count++] = (report_column){"barriers", .right = true};
    report_table *table = report_table_open(columns, count);
    if (!table) return;
    for (size_t i = 0; i < v->o->count; i++) {
        const bench_result *r = &v->o->results[i];
        const kz_counters *c = &r->counters;
        counted = counted || is_counted(r);
        if (!is_counted(r)) {
            add_untimed_row(table, r, count);
            continue;
        }
        report_table_add(table, REPORT_PLAIN, "%s", r->candidate.name);
        report_table_add(table, REPORT_PLAIN, "%llu", (unsigned long long)c->thread_instructions);
        report_table_add(table, REPORT_PLAIN, "%llu", (unsigned long long)c->warp_instructions);
        add_share(table, c->global_sectors, c->global_ideal_sectors);
        add_share(table, c->shared_wavefronts, c->shared_ideal_wavefronts);
        for (size_t k = 0; k < BASE_COUNT(extra); k++) add_counter(table, c, extra[k]);
    }
    report_table_fold(table);
    report_table_print(table, v->file, v->style, true);
    report_table_close(table);
    if (counted) print_note(v, REPORT_DIM, "global, shared: sectors and wavefronts by the least possible");
}

// ---- what stands below the table ---------------------------------------------------------------------

// "4.40 TB/s", "92.1% of copy", "1.069x cub": a value of the target's metric.
static void name_value(const bench_target *target, double value, char *text, size_t size) {
    char number[REPORT_NUMBER];
    if (strcmp(target->metric, "of_copy") == 0)
        snprintf(text, size, "%.1f%% of copy", 100 * value);
    else if (strcmp(target->metric, "speedup") == 0)
        snprintf(text, size, "%.3fx %s", value, target->rival);
    else
        snprintf(text, size, "%s", report_si(number, value, target->metric[0] == 'b' ? "B/s" : "FLOP/s"));
}

// "target met: 07_vector, 92.1% of copy; the goal is 85.0% of copy"
static void describe_target(const view *v, base_text *out) {
    const bench_target *target = v->target.target;
    char value[64], goal[64];
    bool named = strcmp(target->metric, "speedup") != 0 && target->rival[0]; // a figure of somebody else's
    name_value(target, target->goal, goal, sizeof goal);
    if (isnan(v->target.value)) {
        const char *rival = target->rival[0] ? target->rival : "what it is compared with";
        if (!bench_target_counts_beside(target, v->o->beside[v->o->figure]))
            base_text_add(
                out, "target open: the goal is %s, judged without rivals in other processes: --rivals %s",
                goal, rival);
        else
            base_text_add(out, "target open: the goal is %s, and %s did not run", goal, rival);
        return;
    }
    name_value(target, v->target.value, value, sizeof value);
    base_text_add(out, "target %s: %s, %s; the goal is %s%s%s", v->target.met ? "met" : "missed",
                  v->o->results[v->best].candidate.name, value, goal, named ? ", by " : "",
                  named ? target->rival : "");
}

static void print_target(const view *v) {
    base_text text = {0};
    describe_target(v, &text);
    report_tone tone = v->target.met ? REPORT_GOOD : isnan(v->target.value) ? REPORT_WARN : REPORT_BAD;
    if (text.data) print_note(v, tone, text.data);
    base_text_free(&text);
}

// The candidates of which `holds` is true, in one line.
static void print_list(const view *v, report_tone tone, const char *what,
                       bool (*holds)(const view *v, const bench_result *r)) {
    base_text text = {0};
    char name[REPORT_BENCH_NAME];
    for (size_t i = 0; i < v->o->count; i++)
        if (holds(v, &v->o->results[i]))
            base_text_add(&text, "%s %s", text.data ? "," : what,
                          report_bench_name(&v->o->results[i].candidate, name));
    if (text.data) print_note(v, tone, text.data);
    base_text_free(&text);
}

static bool above_peak(const view *v, const bench_result *r) { return is_over(r, v->o->figure); }
static bool unsettled(const view *v, const bench_result *r) {
    const bench_timing *t = &r->timings[v->o->figure];
    return is_timed(r, v->o->figure) && !t->over_peak && t->series.state == BENCH_NOT_CONVERGED;
}
static bool cut_short(const view *v, const bench_result *r) {
    const bench_timing *t = &r->timings[v->o->figure];
    return is_timed(r, v->o->figure) && !t->over_peak && t->series.state == BENCH_GO_ON;
}
static bool split(const view *v, const bench_result *r) {
    return is_timed(r, v->o->figure) && bench_series_is_split(&r->timings[v->o->figure].series);
}

// What a candidate that was left out of the figure's mode took in the other one: "; one run, cold: 12 us".
static const char *other_time(const view *v, const bench_result *r, char text[200]) {
    int other = bench_outcome_counterpart(v->o);
    char title[BENCH_CONDITION_TEXT], time[REPORT_NUMBER];
    text[0] = 0;
    if (other >= 0 && r->timings[other].taken && r->status == KZ_OK)
        snprintf(text, 200, "; %s: %s", bench_condition_title(v->o->conditions[other], title),
                 report_seconds(time, r->timings[other].series.summary.median));
    return text;
}

// An error names its candidate or its provider; the line below the table has begun with both.
static const char *after_name(const char *line, const char *name) {
    size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length] == ' ' ? line + length + 1 : line;
}

static void print_reasons(const view *v) {
    char other[200], name[REPORT_BENCH_NAME];
    for (size_t i = 0; i < v->o->count; i++) {
        const bench_result *r = &v->o->results[i];
        bool shown = v->o->timed ? r->timings[v->o->figure].taken : r->status == KZ_OK && r->counters.valid;
        if (shown && r->status == KZ_OK) continue;
        const char *line = r->error.message[0] ? r->error.message
                           : v->o->interrupted ? "interrupted"
                                               : "not timed";
        line = after_name(after_name(line, r->candidate.by), r->candidate.name);
        base_text text = {0};
        base_text_add(&text, "%s: %.*s%s", report_bench_name(&r->candidate, name), (int)strcspn(line, "\n"),
                      line, other_time(v, r, other));
        if (text.data) print_note(v, r->status == KZ_UNSUPPORTED ? REPORT_DIM : REPORT_BAD, text.data);
        base_text_free(&text);
    }
}

// Peaks that were not measured beside this case are named, with their origin.
static void print_known_peaks(const view *v) {
    char rate[REPORT_NUMBER];
    const bench_known_peak *cores = &v->o->known_compute, *copy = &v->o->known_copy;
    if (of_cores(v))
        report_print(v->file, v->style, REPORT_DIM, "  of cores: %s, %s, %s\n", cores->name,
                     report_si(rate, cores->value, "FLOP/s"), cores->origin);
    if (copy->origin[0] && isnan(v->o->copy[v->o->figure]))
        report_print(v->file, v->style, REPORT_DIM,
                     "  of copy: %s, %s; none could be timed beside this case\n",
                     report_si(rate, copy->value, "B/s"), copy->origin);
}

// A process that works in between changes what short runs take.
static void print_beside(const view *v) {
    char text[BENCH_BESIDE + 100];
    for (size_t k = 0; k < v->o->condition_count; k++) {
        if (!v->o->beside[k][0] || (!v->several && k != v->o->figure)) continue;
        snprintf(text, sizeof text,
                 "by turns with other processes (%s): short runs differ from those of kz alone",
                 v->o->beside[k]);
        print_note(v, REPORT_DIM, text);
        return;
    }
}

// Graphs of short runs follow it.
static void print_gaps(const view *v) {
    char gap[REPORT_NUMBER], name[BENCH_CONDITION_TEXT];
    base_text text = {0};
    for (size_t k = 0; k < v->o->condition_count; k++) {
        if (!(v->o->launch_gap[k] > 0) || (!v->several && k != v->o->figure)) continue;
        base_text_add(&text, "%s %s", text.data ? "," : "an empty launch in a graph takes",
                      report_seconds(gap, v->o->launch_gap[k]));
        if (v->several) base_text_add(&text, " (%s)", bench_condition_name(v->o->conditions[k], name));
    }
    if (text.data) print_note(v, REPORT_DIM, text.data);
    base_text_free(&text);
}

// Times that vary: the ratio of samples taken in turns is not that of the medians above it.
static bool ratios_differ(const view *v) {
    for (size_t i = 0; v->rival >= 0 && i < v->o->count; i++) {
        const bench_result *r = &v->o->results[i], *rival = &v->o->results[v->rival];
        if (r->candidate.provider != BENCH_ZOO && r->candidate.provider != BENCH_GUEST) continue;
        bench_ratio ratio = bench_outcome_ratio(v->o, i, (size_t)v->rival, v->o->figure);
        double medians = r->timings[v->o->figure].series.summary.median /
                         rival->timings[v->o->figure].series.summary.median;
        if (ratio.valid && fabs(log(ratio.ratio / medians)) > 0.05) return true;
    }
    return false;
}

static bool contradicts(const view *v, const bench_result *r) {
    bool ours = r->candidate.provider == BENCH_ZOO || r->candidate.provider == BENCH_GUEST;
    return v->rival >= 0 && ours && is_timed(r, v->o->figure) &&
           bench_outcome_disagrees(v->o, (size_t)(r - v->o->results), (size_t)v->rival, v->o->figure);
}

static void print_notes(const view *v) {
    if (v->o->timed && !v->several) print_known_peaks(v);
    if (v->o->timed) print_beside(v);
    if (v->o->timed) print_gaps(v);
    if (v->target.target) print_target(v);
    if (v->o->timed && !v->several) {
        report_bench_print_clocks(v->file, v->style, v->o, v->o->figure);
        if (ratios_differ(v))
            print_note(v, REPORT_DIM, "times vary: a ratio is of samples taken in turns, not of the medians");
        print_list(
            v, REPORT_WARN,
            "undecided, the ratio of samples taken in turns contradicts that of the medians:", contradicts);
        print_list(v, REPORT_WARN, "not converged:", unsettled);
        print_list(v, REPORT_WARN, "interrupted:", cut_short);
        print_list(v, REPORT_WARN, "two speeds, the middle half of the samples spans more than 10%:", split);
        print_list(v, REPORT_BAD, "above the measured peak, an error in measurement:", above_peak);
    }
    print_reasons(v);
}

// ---- the case ------------------------------------------------------------------------------------

static void note_shortfall(const view *v, const kz_family *family, report_bench_tally *tally) {
    const bench_timing *t = &v->o->results[v->best].timings[v->o->figure];
    bool missed = v->target.target && !v->target.met && !isnan(v->target.value);
    bool settled = t->series.state == BENCH_CONVERGED && !t->over_peak;
    if (!missed && settled) return;
    base_text_add(&tally->shortfalls, "  %s %s: ", family->name, v->o->name);
    if (missed) describe_target(v, &tally->shortfalls);
    if (!settled)
        base_text_add(&tally->shortfalls, "%s%s %s", missed ? "; " : "",
                      v->o->results[v->best].candidate.name,
                      t->over_peak                             ? "stands above the measured peak"
                      : t->series.state == BENCH_NOT_CONVERGED ? "did not converge"
                                                               : "was interrupted");
    base_text_add(&tally->shortfalls, "\n");
}

static bool is_rival(const bench_result *r) { return r->candidate.provider == BENCH_PEER; }

static void count(const view *v, report_bench_tally *tally) {
    bool doubtful =
        v->best >= 0 && v->o->results[v->best].timings[v->o->figure].series.state != BENCH_CONVERGED;
    bool over = false;
    tally->cases++;
    for (size_t i = 0; i < v->o->count; i++) {
        const bench_result *r = &v->o->results[i];
        tally->timed += r->timings[v->o->figure].taken;
        bool amiss = r->status != KZ_OK && r->status != KZ_UNSUPPORTED, rival = is_rival(r);
        tally->rivals_amiss += rival && amiss;
        tally->wrong += !rival && r->status == KZ_WRONG;
        if (!rival && amiss && r->status != KZ_WRONG && tally->failed++ == 0) tally->failure = r->status;
        over = over || is_over(r, v->o->figure);
    }
    tally->over += v->o->timed && over;
    tally->unsettled += v->o->timed && doubtful && !over;
    if (v->best < 0 || !v->target.target) return;
    tally->open += isnan(v->target.value);
    tally->met += v->target.met;
    tally->missed += !v->target.met && !isnan(v->target.value);
}

void report_bench_print(FILE *file, const report_style *style, const kz_family *family, const kz_case *c,
                        const kz_device_info *device, const bench_outcome *outcome,
                        const bench_targets *targets, report_bench_tally *tally) {
    view v = {.file = file, .style = style, .device = device, .o = outcome};
    v.several = report_bench_has_several(outcome);
    v.best = bench_outcome_best(outcome, BENCH_ZOO);
    if (v.best < 0) v.best = bench_outcome_best(outcome, BENCH_GUEST);
    v.rival = bench_outcome_best(outcome, BENCH_PEER);
    if (v.best >= 0) v.target = bench_targets_judge(targets, device->gpu, family, c, outcome, (size_t)v.best);
    print_title(&v, family);
    if (v.several)
        report_bench_print_conditions(file, style, outcome, v.best);
    else if (outcome->timed)
        print_times(&v);
    else
        print_counters(&v);
    print_notes(&v);
    fprintf(file, "\n");
    count(&v, tally);
    if (outcome->timed && v.best >= 0) note_shortfall(&v, family, tally);
}
