// bench/baseline: see baseline.h.
#include "bench/baseline.h"

#include <math.h>
#include <string.h>

#include "bench/records.h"

static const double NOISE = 0.05; // between two runs

kz_status bench_baseline_read(const char *path, json_t **records, kz_error *error) {
    size_t torn = 0; // what a killed run left unfinished compares with nothing
    kz_status status = bench_records_read_all(path, records, &torn, error);
    if (status || json_array_size(*records)) return status;
    base_fail(error, KZ_NOT_FOUND, "there are no records in %s", path);
    base_fail_note(error, "kz bench --json %s makes some to compare with", path);
    json_decref(*records);
    *records = NULL;
    return KZ_NOT_FOUND;
}

static const char *text_at(const json_t *record, const char *outer, const char *inner) {
    const json_t *object = inner ? json_object_get(record, outer) : record;
    const char *text = json_string_value(json_object_get(object, inner ? inner : outer));
    return text ? text : "";
}

static bool is_same_variant(const kz_family *family, const char *earlier, const char *now) {
    const kz_variant *variant = family ? kz_variant_find(family, earlier) : NULL;
    return strcmp(earlier, now) == 0 || (variant && strcmp(variant->name, now) == 0);
}

// Records say of the usual condition what they said before there were others: nothing, or its name.
static bool is_same_condition(const json_t *a, const json_t *b) {
    static const char *const axes[][3] = {
        {"mode", NULL, ""}, {"cache", "state", "cold"}, {"stream", NULL, "later"}};
    for (size_t i = 0; i < BASE_COUNT(axes); i++) {
        const char *one = text_at(a, axes[i][0], axes[i][1]), *other = text_at(b, axes[i][0], axes[i][1]);
        if (strcmp(*one ? one : axes[i][2], *other ? other : axes[i][2]) != 0) return false;
    }
    return true;
}

static bool is_same(const json_t *earlier, const json_t *now, const kz_family *family) {
    static const char *const keys[][2] = {
        {"device", "name"}, {"device", "gpu"}, {"case", "family"}, {"case", "name"}, {"candidate", "by"}};
    for (size_t i = 0; i < BASE_COUNT(keys); i++)
        if (strcmp(text_at(earlier, keys[i][0], keys[i][1]), text_at(now, keys[i][0], keys[i][1])) != 0)
            return false;
    if (!is_same_condition(earlier, now)) return false;
    return is_same_variant(family, text_at(earlier, "candidate", "name"), text_at(now, "candidate", "name"));
}

// Few samples of few sizes are no figure.
static bool is_quick(const json_t *record) { return json_is_true(json_object_get(record, "quick")); }

// Of those that were timed by turns with the same processes as this one, or of those that were not.
static const json_t *find_newest(const json_t *records, const json_t *record, const kz_family *family,
                                 bool unfair) {
    const json_t *newest = NULL;
    size_t i;
    json_t *one;
    json_array_foreach(records, i, one) {
        bool counts =
            strcmp(text_at(one, "status", NULL), "ok") == 0 && !is_quick(one) && is_same(one, record, family);
        bool alike = strcmp(text_at(one, "beside", NULL), text_at(record, "beside", NULL)) == 0;
        if (!counts || alike == unfair) continue;
        if (!newest || strcmp(text_at(one, "run", "time"), text_at(newest, "run", "time")) > 0) newest = one;
    }
    return newest;
}

// A number of the statistics, or of the median where the run had too few samples for an interval.
static double seconds(const json_t *record, const char *name) {
    const json_t *statistics = json_object_get(record, "statistics"),
                 *value = json_object_get(statistics, name);
    return json_number_value(json_is_number(value) ? value : json_object_get(statistics, "median_s"));
}

static void compare_times(const json_t *before, const json_t *now, bench_change *c) {
    if (seconds(before, "median_s") <= 0 || seconds(now, "median_s") <= 0) return;
    c->what = "time";
    c->before = seconds(before, "median_s");
    c->now = seconds(now, "median_s");
    c->kind = BENCH_CHANGE_NONE;
    if (seconds(now, "low_s") > seconds(before, "high_s") * (1 + NOISE)) c->kind = BENCH_CHANGE_WORSE;
    if (seconds(now, "high_s") * (1 + NOISE) < seconds(before, "low_s")) c->kind = BENCH_CHANGE_BETTER;
}

// The count that grew most, else the one that shrank most.
static void compare_counts(const json_t *before, const json_t *now, bench_change *c) {
    static const char *const names[] = {"warp_instructions", "global_sectors", "shared_wavefronts",
                                        "atomic_requests",   "barriers",       "launches"};
    const json_t *old = json_object_get(before, "counters"), *new = json_object_get(now, "counters");
    double most = 0, least = 0;
    if (!json_is_object(old) || !json_is_object(new)) return;
    c->kind = BENCH_CHANGE_NONE;
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        double was = json_number_value(json_object_get(old, names[i]));
        double is = json_number_value(json_object_get(new, names[i]));
        double grown = was > 0 ? is / was - 1 : is > 0 ? INFINITY : 0;
        if (grown > most || (most == 0 && grown < least)) {
            c->kind = grown > 0 ? BENCH_CHANGE_WORSE : BENCH_CHANGE_BETTER;
            c->what = names[i];
            c->before = was;
            c->now = is;
        }
        most = fmax(most, grown);
        least = fmin(least, grown);
    }
}

bench_change bench_baseline_compare(const json_t *records, const json_t *record, const kz_family *family) {
    bench_change change = {.what = "", .beside = {"", ""}};
    const json_t *before = find_newest(records, record, family, false);
    bool unfair = !before;
    if (unfair) before = find_newest(records, record, family, true);
    if (!before || strcmp(text_at(record, "status", NULL), "ok") != 0 || is_quick(record)) return change;
    change.beside.before = text_at(before, "beside", NULL);
    change.beside.now = text_at(record, "beside", NULL);
    change.date = text_at(before, "run", "time");
    change.commit = text_at(before, "code", "commit");
    if (strcmp(text_at(record, "mode", NULL), "counters") == 0)
        compare_counts(before, record, &change);
    else
        compare_times(before, record, &change);
    if (unfair && change.kind) change.kind = BENCH_CHANGE_UNFAIR;
    return change;
}
