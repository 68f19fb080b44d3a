// The times of a case under several conditions: a table for each mode, a column for each condition. A cell has the time
// and how many times as fast that is as the fastest rival under the very same condition. See table.h.
#include <math.h>
#include <string.h>

#include "report/bench/table.h"

enum { LINE = 100, NAME = 24, COLUMN = 16, GAP = 2, COLUMNS = (LINE - NAME) / (COLUMN + GAP) };
enum { RATIO = 7 }; // "1.023x", "0.0012x"

typedef struct view {
    FILE *file;
    const report_style *style;
    const bench_outcome *o;
    int ours;     // the result that stands for us; -1 where there is none
    bool compare; // there are rivals
} view;

const char *report_bench_name(const bench_candidate *c, char text[REPORT_BENCH_NAME]) {
    bool alone = c->provider == BENCH_ZOO || strcmp(c->by, c->name) == 0;
    snprintf(text, REPORT_BENCH_NAME, "%s%s%s", alone ? "" : c->by, alone ? "" : " ", c->name);
    return text;
}

// ---- one table -------------------------------------------------------------------------------------------

static bench_ratio ratio_to_rival(const bench_outcome *o, size_t result, size_t condition) {
    int rival = bench_outcome_best_under(o, BENCH_PEER, condition);
    if (rival < 0 || o->results[result].candidate.provider == BENCH_PEAK) return (bench_ratio){0};
    return bench_outcome_ratio(o, result, (size_t)rival, condition);
}

static void add_cell(const view *v, report_table *table, size_t result, size_t condition) {
    static const report_tone tones[] = {REPORT_PLAIN, REPORT_PLAIN, REPORT_GOOD, REPORT_WARN};
    const bench_timing *t = &v->o->results[result].timings[condition];
    bench_provider provider = v->o->results[result].candidate.provider;
    char time[REPORT_NUMBER], speed[REPORT_NUMBER] = "";
    if (!t->taken || v->o->results[result].status != KZ_OK) {
        report_table_add(table, REPORT_DIM, "-%*s", v->compare ? RATIO + 1 : 0, "");
        return;
    }
    bench_ratio ratio = ratio_to_rival(v->o, result, condition);
    report_tone tone = provider == BENCH_PEAK ? REPORT_DIM : REPORT_PLAIN;
    if (ratio.valid) {
        snprintf(speed, sizeof speed, 1 / ratio.ratio < 0.01 ? "%.4fx" : "%.3fx", 1 / ratio.ratio);
        size_t rival = (size_t)bench_outcome_best_under(v->o, BENCH_PEER, condition);
        if (provider != BENCH_PEER) tone = tones[bench_outcome_verdict(v->o, result, rival, condition)];
    }
    const char *mark = t->over_peak                         ? "!"
                       : t->series.state != BENCH_CONVERGED ? "~"
                       : bench_series_is_split(&t->series)  ? ":"
                                                            : "";
    report_table_add(table, tone, "%s%s%*s", mark, report_seconds(time, t->series.summary.median),
                     v->compare ? RATIO + 1 : 0, speed);
}

static void print_table(const view *v, const size_t *conditions, size_t count) {
    char titles[COLUMNS][BENCH_CONDITION_TEXT], title[BENCH_CONDITION_TEXT], name[REPORT_BENCH_NAME];
    report_column columns[1 + COLUMNS] = {{title, false, true, NAME}};
    bench_condition_title(v->o->conditions[conditions[0]], title);
    title[strcspn(title, ",")] = 0; // the mode's part of it
    for (size_t k = 0; k < count; k++) {
        bench_condition c = v->o->conditions[conditions[k]];
        bool later = c.stream == BENCH_LATER_STREAM;
        snprintf(titles[k], sizeof titles[k], "%s%s%s", bench_cache_name(c.cache), later ? "" : ", ",
                 later ? "" : bench_stream_name(c.stream));
        columns[1 + k] = (report_column){titles[k], true, false, COLUMN};
    }
    report_table *table = report_table_open(columns, 1 + count);
    if (!table) return;
    for (size_t i = 0; i < v->o->count; i++) {
        const bench_result *r = &v->o->results[i];
        report_tone tone = (int)i == v->ours                                   ? REPORT_BOLD
                           : r->candidate.provider == BENCH_PEAK               ? REPORT_DIM
                           : r->status != KZ_OK && r->status != KZ_UNSUPPORTED ? REPORT_BAD
                                                                               : REPORT_PLAIN;
        report_table_add(table, tone, "%s", report_bench_name(&r->candidate, name));
        for (size_t k = 0; k < count; k++) add_cell(v, table, i, conditions[k]);
    }
    report_table_print(table, v->file, v->style, true);
    report_table_close(table);
}

// As many as fit the line beside the longest name.
static size_t columns_that_fit(const bench_outcome *o, const report_style *style) {
    size_t widest = NAME, line = style->terminal && style->width < LINE ? (size_t)style->width : LINE;
    char name[REPORT_BENCH_NAME];
    for (size_t i = 0; i < o->count; i++) {
        size_t width = report_width(report_bench_name(&o->results[i].candidate, name));
        if (width > widest) widest = width;
    }
    size_t room = widest < line ? (line - widest) / (COLUMN + GAP) : 0;
    return room < 1 ? 1 : room < COLUMNS ? room : COLUMNS;
}

// ---- what stands below them ------------------------------------------------------------------------------

// The rival is the one at 1.000x in that column.
static void print_slower(const view *v) {
    char name[BENCH_CONDITION_TEXT];
    for (size_t k = 0; v->ours >= 0 && k < v->o->condition_count; k++) {
        int rival = bench_outcome_best_under(v->o, BENCH_PEER, k);
        bench_ratio ratio = ratio_to_rival(v->o, (size_t)v->ours, k);
        if (!ratio.valid || bench_outcome_verdict(v->o, (size_t)v->ours, (size_t)rival, k) != BENCH_SLOWER)
            continue;
        base_text text = {0};
        base_text_add(&text, "slower than %s: %s, %s, %.3fx [%.3f, %.3f]", v->o->results[rival].candidate.by,
                      v->o->results[v->ours].candidate.name, bench_condition_name(v->o->conditions[k], name),
                      1 / ratio.ratio, 1 / ratio.high, 1 / ratio.low);
        if (text.data) report_note(v->file, v->style, REPORT_WARN, 2, text.data);
        base_text_free(&text);
    }
}

static bool any(const view *v, bool (*holds)(const bench_timing *t)) {
    for (size_t i = 0; i < v->o->count; i++)
        for (size_t k = 0; k < v->o->condition_count; k++)
            if (v->o->results[i].status == KZ_OK && v->o->results[i].timings[k].taken &&
                holds(&v->o->results[i].timings[k]))
                return true;
    return false;
}
static bool is_over(const bench_timing *t) { return t->over_peak; }
static bool is_unsettled(const bench_timing *t) {
    return !t->over_peak && t->series.state != BENCH_CONVERGED;
}

static bool is_split(const bench_timing *t) { return !t->over_peak && bench_series_is_split(&t->series); }

static bool has_stream(const bench_outcome *o, bench_stream stream) {
    for (size_t k = 0; k < o->condition_count; k++)
        if (o->conditions[k].stream == stream) return true;
    return false;
}

static void print_marks(const view *v) {
    if (v->compare)
        report_print(v->file, v->style, REPORT_DIM,
                     "  x: so many times as fast as the fastest rival of the same column\n");
    for (bench_stream k = BENCH_LATER_STREAM + 1; k < BENCH_STREAMS; k++) {
        base_text text = {0};
        if (!has_stream(v->o, k)) continue;
        base_text_add(&text, "%s: %s", bench_stream_name(k), bench_stream_meaning(k));
        if (text.data) report_note(v->file, v->style, REPORT_DIM, 2, text.data);
        base_text_free(&text);
    }
    if (any(v, is_unsettled)) report_print(v->file, v->style, REPORT_WARN, "  ~ not converged\n");
    if (any(v, is_split))
        report_print(v->file, v->style, REPORT_WARN,
                     "  : two speeds, the middle half of the samples spans more than 10%%\n");
    if (any(v, is_over))
        report_print(v->file, v->style, REPORT_BAD, "  ! above the measured peak, an error in measurement\n");
}

// What clocks and power settled at while runs went back to back.
static void print_clocks(const view *v, size_t condition, int result) {
    char name[REPORT_BENCH_NAME], rate[2][REPORT_NUMBER];
    if (result < 0) return;
    const bench_result *r = &v->o->results[result];
    const bench_timing *t = &r->timings[condition];
    if (!t->taken || !t->after.known || isnan(t->after.sm_hz)) return;
    report_print(v->file, v->style, REPORT_DIM, "  %s: %s at half time, %s at the end",
                 report_bench_name(&r->candidate, name), report_si(rate[0], t->before.sm_hz, "Hz"),
                 report_si(rate[1], t->after.sm_hz, "Hz"));
    if (!isnan(t->after.power_w)) report_print(v->file, v->style, REPORT_DIM, ", %.0f W", t->after.power_w);
    if (t->energy_j > 0)
        report_print(v->file, v->style, REPORT_DIM, ", %s a run", report_si(rate[0], t->energy_j, "J"));
    fprintf(v->file, "\n");
}

void report_bench_print_clocks(FILE *file, const report_style *style, const bench_outcome *o,
                               size_t condition) {
    const view v = {.file = file, .style = style, .o = o};
    if (o->conditions[condition].mode != BENCH_SUSTAINED) return;
    static const bench_provider providers[] = {BENCH_ZOO, BENCH_GUEST, BENCH_PEER};
    for (size_t i = 0; i < BASE_COUNT(providers); i++)
        print_clocks(&v, condition, bench_outcome_best_under(o, providers[i], condition));
}

// ---- all of them ------------------------------------------------------------------------------------------

// An interruption may come before a condition's turn.
static bool was_timed(const bench_outcome *o, size_t condition) {
    for (size_t i = 0; i < o->count; i++)
        if (o->results[i].timings[condition].taken) return true;
    return false;
}

void report_bench_print_conditions(FILE *file, const report_style *style, const bench_outcome *o, int ours) {
    view v = {.file = file, .style = style, .o = o, .ours = ours};
    const size_t most = columns_that_fit(o, style);
    for (size_t k = 0; k < o->condition_count; k++)
        v.compare = v.compare || bench_outcome_best_under(o, BENCH_PEER, k) >= 0;
    for (int mode = 0; mode < BENCH_MODES; mode++) {
        size_t here[COLUMNS], count = 0;
        for (size_t k = 0; k < o->condition_count; k++) {
            if (o->conditions[k].mode != (bench_mode)mode || !was_timed(o, k)) continue;
            here[count++] = k;
            if (count == most) print_table(&v, here, count), count = 0;
        }
        if (count) print_table(&v, here, count);
    }
    print_marks(&v);
    print_slower(&v);
    for (size_t k = 0; k < o->condition_count; k++) report_bench_print_clocks(file, style, o, k);
}
