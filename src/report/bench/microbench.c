// The tables of microbenchmarks on a terminal: rows, curves with bars, a matrix. See microbench.h.
#include "report/bench/microbench.h"

#include <math.h>
#include <string.h>

enum { BAR = 24 };

typedef struct view {
    FILE *file;
    const report_style *style;
    const bench_micro_list *list;
    bool timed;
} view;

static double most_of(const bench_micro_list *list, size_t first, size_t end) {
    double most = 0;
    for (size_t i = first; i < end; i++) most = fmax(most, list->items[i].value);
    return most;
}

static void add_bar(report_table *table, const view *v, double value, double most) {
    char text[BAR * 3 + 1] = "";
    int length = most > 0 && isfinite(value) ? (int)(value / most * BAR + 0.5) : 0;
    for (int i = 0; i < length; i++) strcat(text, v->style->utf8 ? "█" : "#");
    report_table_add(table, REPORT_DIM, "%s", text);
}

static report_tone tone_of(const bench_micro_figure *f) {
    return f->status == KZ_OK ? REPORT_PLAIN : f->status == KZ_UNSUPPORTED ? REPORT_DIM : REPORT_BAD;
}

static const char *why_none(const bench_micro_figure *f) {
    return f->status == KZ_WRONG         ? "wrong"
           : f->status == KZ_UNSUPPORTED ? "not here"
           : f->status                   ? "failed"
                                         : "-";
}

static void print_rows(const view *v, size_t first, size_t end) {
    static const report_column columns[] = {{"", false, true, 30},        {"measured", true, false, 13},
                                            {"time", true, false, 9},     {"+-", true, false, 6},
                                            {"nominal", true, false, 13}, {"share", true, false, 7}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    char text[REPORT_MICROBENCH_TEXT], number[REPORT_NUMBER];
    for (size_t i = first; table && i < end; i++) {
        const bench_micro_figure *f = &v->list->items[i];
        double seconds = report_microbench_seconds(v->list, f);
        bool has = isfinite(f->value);
        report_table_add(table, tone_of(f), "%s", report_microbench_name(text, f));
        report_table_add(table, tone_of(f), "%s",
                         has ? report_microbench_value(text, f->value, f->unit) : why_none(f));
        report_table_add(table, REPORT_DIM, "%s", isnan(seconds) ? "" : report_seconds(number, seconds));
        if (isnan(f->spread))
            report_table_add(table, REPORT_DIM, "%s", "");
        else
            report_table_add(table, REPORT_DIM, "%.1f%%", 100 * f->spread);
        bool share = has && !isnan(f->nominal);
        report_table_add(table, REPORT_DIM, "%s",
                         isnan(f->nominal) ? "" : report_microbench_value(text, f->nominal, f->unit));
        if (share)
            report_table_add(table, REPORT_PLAIN, "%.1f%%", 100 * f->value / f->nominal);
        else
            report_table_add(table, REPORT_PLAIN, "%s", "");
    }
    if (table) report_table_print(table, v->file, v->style, true), report_table_close(table);
}

static void print_curve(const view *v, size_t first, size_t end) {
    const bench_micro_figure *f = &v->list->items[first];
    char name[REPORT_MICROBENCH_TEXT], text[REPORT_MICROBENCH_TEXT], number[REPORT_NUMBER];
    bench_micro_figure alone = *f;
    alone.x = NAN;
    const report_column columns[] = {{report_microbench_name(name, &alone), true, false, 18},
                                     {"measured", true, false, 13},
                                     {"time", true, false, 9},
                                     {"", false, false, 0}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    double most = most_of(v->list, first, end);
    for (size_t i = first; table && i < end; i++) {
        f = &v->list->items[i];
        double seconds = report_microbench_seconds(v->list, f);
        report_table_add(table, tone_of(f), "%s", report_microbench_x(text, f));
        report_table_add(table, tone_of(f), "%s",
                         isfinite(f->value) ? report_microbench_value(text, f->value, f->unit) : why_none(f));
        report_table_add(table, REPORT_DIM, "%s", isnan(seconds) ? "" : report_seconds(number, seconds));
        add_bar(table, v, f->value, most);
    }
    if (table) report_table_print(table, v->file, v->style, true), report_table_close(table);
}

// Rows by y, columns by x, in the order they come.
static void print_matrix(const view *v, size_t first, size_t end) {
    const bench_micro_list *list = v->list;
    report_column columns[REPORT_COLUMNS] = {
        {.title = bench_micro_group_axis(list->items[first].group, 1), .right = true, .least = 30}};
    char titles[REPORT_COLUMNS][REPORT_MICROBENCH_TEXT], text[REPORT_MICROBENCH_TEXT];
    double xs[REPORT_COLUMNS];
    size_t count = 1;
    for (size_t i = first; i < end && count < REPORT_COLUMNS; i++) {
        double x = list->items[i].x;
        if (count > 1 && xs[count - 1] == x) continue;
        xs[count] = x;
        snprintf(titles[count], REPORT_MICROBENCH_TEXT, "%.0f %s", x,
                 bench_micro_group_axis(list->items[i].group, 0));
        columns[count] = (report_column){.title = titles[count], .right = true, .least = 9};
        count++;
    }
    report_table *table = report_table_open(columns, count);
    for (size_t i = first; table && i < end && list->items[i].x == xs[1]; i++) {
        const bench_micro_figure *row = &list->items[i];
        report_table_add(table, REPORT_PLAIN, "%.0f", row->y);
        for (size_t k = 1; k < count; k++) {
            const bench_micro_figure *f = bench_micro_list_find(list, row->group, row->name, xs[k], row->y);
            report_table_add(table, f ? tone_of(f) : REPORT_DIM, "%s",
                             f && isfinite(f->value) ? report_microbench_value(text, f->value, f->unit)
                             : f                     ? why_none(f)
                                                     : "-");
        }
    }
    if (table) report_table_print(table, v->file, v->style, true), report_table_close(table);
}

// ---- counts -----------------------------------------------------------------------------------------------

static void add_ratio(report_table *table, uint64_t all, uint64_t requests) {
    if (requests)
        report_table_add(table, REPORT_PLAIN, "%.3g", (double)all / (double)requests);
    else
        report_table_add(table, REPORT_DIM, "-");
}

// Without a clock: that it is right, and what one access costs in wavefronts or sectors.
static void print_counts(const view *v, size_t first, size_t end) {
    static const report_column columns[] = {{"", false, true, 30},
                                            {"result", false, false, 8},
                                            {"thread instructions", true, false, 0},
                                            {"sectors/request", true, false, 0},
                                            {"wavefronts/request", true, false, 0},
                                            {"atomics", true, false, 0},
                                            {"barriers", true, false, 0}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    char text[REPORT_MICROBENCH_TEXT];
    for (size_t i = first; table && i < end; i++) {
        const bench_micro_figure *f = &v->list->items[i];
        const kz_counters *c = &f->counters;
        report_microbench_name(text, f);
        if (!isnan(f->y))
            snprintf(text + strlen(text), sizeof text - strlen(text), ", %.0f %s", f->y,
                     bench_micro_group_axis(f->group, 1));
        report_table_add(table, tone_of(f), "%s", text);
        report_table_add(table, f->status ? REPORT_BAD : REPORT_GOOD, "%s",
                         f->status ? why_none(f) : "right");
        report_table_add(table, REPORT_PLAIN, "%llu", (unsigned long long)c->thread_instructions);
        add_ratio(table, c->global_sectors, c->global_requests);
        add_ratio(table, c->shared_wavefronts, c->shared_requests);
        report_table_add(table, REPORT_PLAIN, "%llu", (unsigned long long)c->atomic_requests);
        report_table_add(table, REPORT_PLAIN, "%llu", (unsigned long long)c->barriers);
    }
    if (table) report_table_print(table, v->file, v->style, true), report_table_close(table);
}

void report_microbench_print(FILE *file, const report_style *style, const bench_micro_list *list,
                             bool timed) {
    view v = {file, style, list, timed};
    for (size_t first = 0, end; first < list->count; first = end) {
        bench_micro_group group = list->items[first].group;
        if (first == 0 || list->items[first - 1].group != group) {
            report_print(file, style, REPORT_BOLD, "%s%s", first ? "\n" : "", bench_micro_group_name(group));
            fprintf(file, ": %s\n", bench_micro_group_about(group));
        }
        if (!timed) {
            for (end = first; end < list->count && list->items[end].group == group;) end++;
            print_counts(&v, first, end);
            continue;
        }
        switch (report_microbench_run(list, first, &end)) {
        case REPORT_MICROBENCH_ROWS: print_rows(&v, first, end); break;
        case REPORT_MICROBENCH_CURVE: print_curve(&v, first, end); break;
        case REPORT_MICROBENCH_MATRIX: print_matrix(&v, first, end); break;
        }
    }
}
