// Figures of the microbenchmarks in words. See microbench.h.
#include "report/bench/microbench.h"

#include <math.h>
#include <string.h>

const char *report_microbench_value(char text[REPORT_MICROBENCH_TEXT], double value, const char *unit) {
    char number[REPORT_NUMBER];
    if (isnan(value))
        snprintf(text, REPORT_MICROBENCH_TEXT, "-");
    else if (strcmp(unit, "s") == 0)
        snprintf(text, REPORT_MICROBENCH_TEXT, "%s", report_seconds(number, value));
    else if (strcmp(unit, "cycles") == 0)
        snprintf(text, REPORT_MICROBENCH_TEXT,
                 value < 10    ? "%.2f cycles"
                 : value < 100 ? "%.1f cycles"
                               : "%.0f cycles",
                 value);
    else if (strcmp(unit, "/cycle") == 0)
        snprintf(text, REPORT_MICROBENCH_TEXT, "%.1f", value);
    else
        snprintf(text, REPORT_MICROBENCH_TEXT, "%s", report_si(number, value, unit));
    return text;
}

// Powers of two keep their round numbers.
static const char *size_text(char text[REPORT_MICROBENCH_TEXT], double bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    int unit = 0;
    while (bytes >= 1024 && unit < 3) bytes /= 1024, unit++;
    snprintf(text, REPORT_MICROBENCH_TEXT, bytes >= 100 || bytes == floor(bytes) ? "%.0f %s" : "%.1f %s",
             bytes, units[unit]);
    return text;
}

const char *report_microbench_x(char text[REPORT_MICROBENCH_TEXT], const bench_micro_figure *f) {
    const char *axis = bench_micro_group_axis(f->group, 0);
    if (isnan(f->x))
        text[0] = 0;
    else if (axis && strcmp(axis, "bytes") == 0)
        size_text(text, f->x);
    else
        snprintf(text, REPORT_MICROBENCH_TEXT, "%.0f", f->x);
    return text;
}

const char *report_microbench_name(char text[REPORT_MICROBENCH_TEXT], const bench_micro_figure *f) {
    char x[REPORT_MICROBENCH_TEXT], name[BENCH_MICRO_NAME];
    const char *axis = bench_micro_group_axis(f->group, 0);
    memcpy(name, f->name, sizeof name);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = ' ';
    if (isnan(f->x))
        snprintf(text, REPORT_MICROBENCH_TEXT, "%s", name);
    else
        snprintf(text, REPORT_MICROBENCH_TEXT, "%s, %.20s %.12s%s", name, report_microbench_x(x, f),
                 strcmp(axis, "bytes") == 0                    ? ""
                 : f->x == 1 && strcmp(axis, "addresses") == 0 ? "address"
                 : f->x == 1 && strcmp(axis, "warps") == 0     ? "warp"
                                                               : axis,
                 "");
    return text;
}

double report_microbench_seconds(const bench_micro_list *list, const bench_micro_figure *f) {
    const bench_micro_figure *clock =
        bench_micro_list_find(list, BENCH_MICRO_clock, "multiprocessor", NAN, NAN);
    return clock && clock->value > 0 && strcmp(f->unit, "cycles") == 0 ? f->value / clock->value
                                                                       : (double)NAN;
}

static size_t same_name(const bench_micro_list *list, size_t first) {
    size_t end = first;
    const bench_micro_figure *f = &list->items[first];
    while (end < list->count && list->items[end].group == f->group &&
           strcmp(list->items[end].name, f->name) == 0)
        end++;
    return end;
}

static report_microbench_shape shape_at(const bench_micro_list *list, size_t first, size_t *end) {
    *end = same_name(list, first);
    if (!isnan(list->items[first].y)) return REPORT_MICROBENCH_MATRIX;
    return !isnan(list->items[first].x) && *end - first >= 4 ? REPORT_MICROBENCH_CURVE
                                                             : REPORT_MICROBENCH_ROWS;
}

report_microbench_shape report_microbench_run(const bench_micro_list *list, size_t first, size_t *end) {
    report_microbench_shape shape = shape_at(list, first, end);
    while (shape == REPORT_MICROBENCH_ROWS && *end < list->count &&
           list->items[*end].group == list->items[first].group) {
        size_t next;
        if (shape_at(list, *end, &next) != REPORT_MICROBENCH_ROWS) break;
        *end = next;
    }
    return shape;
}
