// bench/micro_record: see micro_record.h.
#include "bench/micro_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench/compact.h"

static const char *status_of(const bench_micro_point *p) {
    if (p->status == KZ_WRONG) return "wrong";
    if (p->status == KZ_UNSUPPORTED) return "unsupported";
    if (p->status) return "failed";
    return isfinite(p->value) ? "ok" : p->counters.valid ? "counted" : "not measured";
}

// Half the middle half over the median.
static double spread_of(const bench_summary *s) {
    if (s->count < 4 || s->median == 0) return NAN;
    return (s->third_quartile - s->first_quartile) / 2 / fabs(s->median);
}

static json_t *statistics_object(const bench_micro_point *p) {
    bench_summary s;
    if (!p->count) return json_null();
    if (!bench_summarise(p->samples, p->count, &s)) return NULL;
    return json_pack("{sI, so, so, so}", "count", (json_int_t)p->count, "least", bench_number(s.least),
                     "most", bench_number(s.most), "spread", bench_number(spread_of(&s)));
}

json_t *bench_micro_record(const bench_run_info *run, const bench_micro_point *p) {
    json_t *record = bench_record_head(run, NULL);
    json_t *point = json_pack("{ss, ss, so, so}", "group", bench_micro_group_name(p->group), "name", p->name,
                              "x", bench_number(p->x), "y", bench_number(p->y));
    json_t *rest = json_pack("{so, ss, so, so, so, so, ss, so}", "microbench", point, "unit", p->unit,
                             "value", bench_number(p->value), "nominal", bench_number(p->nominal),
                             "statistics", statistics_object(p), "counters",
                             bench_counters_object(&p->counters), "status", status_of(p), "reason",
                             p->status && p->error.message[0] ? json_string(p->error.message) : json_null());
    if (json_object_update_new(record, rest)) {
        json_decref(record);
        return NULL;
    }
    return record;
}

// ---- lists ---------------------------------------------------------------------------------------------

void bench_micro_list_free(bench_micro_list *list) {
    free(list->items);
    *list = (bench_micro_list){0};
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same(const bench_micro_figure *a, const bench_micro_figure *b) {
    return a->group == b->group && strcmp(a->name, b->name) == 0 && same_number(a->x, b->x) &&
           same_number(a->y, b->y);
}

bool bench_micro_list_add(bench_micro_list *list, const bench_micro_figure *figure) {
    for (size_t i = 0; i < list->count; i++)
        if (same(&list->items[i], figure)) {
            // What could not be measured does not take the place of what could.
            bool worse = isfinite(list->items[i].value) && !isfinite(figure->value);
            if (!worse && strcmp(figure->time, list->items[i].time) >= 0) list->items[i] = *figure;
            return true;
        }
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 128;
        bench_micro_figure *grown = realloc(list->items, capacity * sizeof *grown);
        if (!grown) return false;
        list->items = grown;
        list->capacity = capacity;
    }
    size_t at = list->count++;
    for (; at > 0 && list->items[at - 1].group > figure->group; at--) list->items[at] = list->items[at - 1];
    list->items[at] = *figure;
    return true;
}

static double spread_of_samples(const double *samples, size_t count) {
    bench_summary s;
    return bench_summarise(samples, count, &s) ? spread_of(&s) : (double)NAN;
}

bench_micro_figure bench_micro_figure_of(const bench_micro_point *p) {
    bench_micro_figure f = {.group = p->group,
                            .x = p->x,
                            .y = p->y,
                            .value = p->value,
                            .nominal = p->nominal,
                            .spread = spread_of_samples(p->samples, p->count),
                            .status = p->status,
                            .counters = p->counters};
    memcpy(f.name, p->name, sizeof f.name);
    memcpy(f.unit, p->unit, sizeof f.unit);
    return f;
}

// ---- reading ---------------------------------------------------------------------------------------------

static double number_in(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}
static const char *text_in(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

// Records of before had samples in the place of statistics.
static double read_spread(const json_t *record) {
    const json_t *samples = json_object_get(record, "samples");
    double taken[BENCH_MICRO_SAMPLES];
    size_t count = 0;
    if (!samples) return number_in(json_object_get(record, "statistics"), "spread");
    for (size_t i = 0; i < json_array_size(samples) && count < BENCH_MICRO_SAMPLES; i++)
        taken[count++] = json_number_value(json_array_get(samples, i));
    return spread_of_samples(taken, count);
}

static bool read_figure(const json_t *record, bench_micro_figure *f) {
    const json_t *point = json_object_get(record, "microbench");
    *f = (bench_micro_figure){0};
    if (!bench_micro_group_find(text_in(point, "group"), &f->group)) return false;
    if (strcmp(text_in(record, "status"), "ok") != 0) return false;
    snprintf(f->name, sizeof f->name, "%s", text_in(point, "name"));
    snprintf(f->unit, sizeof f->unit, "%s", text_in(record, "unit"));
    snprintf(f->time, sizeof f->time, "%s", text_in(json_object_get(record, "run"), "time"));
    f->x = number_in(point, "x");
    f->y = number_in(point, "y");
    f->value = number_in(record, "value");
    f->nominal = number_in(record, "nominal");
    f->spread = read_spread(record);
    return isfinite(f->value);
}

static void take_names(bench_micro_list *list, const json_t *record, const char *time) {
    const json_t *device = json_object_get(record, "device");
    if (strcmp(time, list->time) < 0) return;
    snprintf(list->time, sizeof list->time, "%s", time);
    snprintf(list->gpu, sizeof list->gpu, "%s", text_in(device, "gpu"));
    snprintf(list->device, sizeof list->device, "%s", text_in(device, "name"));
    snprintf(list->commit, sizeof list->commit, "%s", text_in(json_object_get(record, "code"), "commit"));
    snprintf(list->driver, sizeof list->driver, "%s",
             text_in(json_object_get(record, "environment"), "driver"));
}

// A line of the text; of one that has a head (bench/compact.h), what it is whole. NULL for what is neither.
static json_t *load_line(const char *text, size_t length, json_t **head) {
    json_t *line = json_loadb(text, length, 0, NULL), *whole = line;
    if (line && bench_is_head(line)) {
        json_decref(*head);
        *head = line;
        return NULL;
    }
    if (line && *head && !json_object_get(line, "schema")) {
        whole = bench_expand(*head, line);
        json_decref(line);
    }
    return whole;
}

bool bench_micro_list_read(bench_micro_list *list, const char *text, size_t size) {
    bool fits = true;
    json_t *head = NULL;
    for (size_t at = 0; at < size && fits;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        json_t *record = load_line(text + at, length, &head);
        bench_micro_figure figure;
        if (record && read_figure(record, &figure)) {
            fits = bench_micro_list_add(list, &figure);
            take_names(list, record, figure.time);
        }
        json_decref(record);
        at += length + 1;
    }
    json_decref(head);
    return fits;
}

const bench_micro_figure *bench_micro_list_find(const bench_micro_list *list, bench_micro_group group,
                                                const char *name, double x, double y) {
    for (size_t i = 0; i < list->count; i++) {
        const bench_micro_figure *f = &list->items[i];
        if (f->group == group && strcmp(f->name, name) == 0 && (isnan(x) || f->x == x) &&
            (isnan(y) || f->y == y))
            return f;
    }
    return NULL;
}
