// bench/condition: see condition.h.
#include "bench/condition.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

typedef struct axis_value {
    const char *name, *title, *cold; // what else there is in condition.def
    const char *meaning;
} axis_value;

static const axis_value modes[] = {
#define BENCH_MODE_ROW(enumerator, name, title, cold, meaning) {name, title, cold, meaning},
#include "bench/condition.def"
};
static const axis_value caches[] = {
#define BENCH_CACHE_ROW(enumerator, name, meaning) {name, NULL, NULL, meaning},
#include "bench/condition.def"
};
static const axis_value streams[] = {
#define BENCH_STREAM_ROW(enumerator, name, title, meaning) {name, title, NULL, meaning},
#include "bench/condition.def"
};

static const struct {
    bench_mode mode;
    bench_cache cache;
    const char *reason, *instead;
} refused[] = {
#define BENCH_REFUSED_ROW(mode, cache, reason, instead) {BENCH_##mode, BENCH_##cache, reason, instead},
#include "bench/condition.def"
};

const char *bench_mode_name(bench_mode mode) { return modes[mode].name; }
const char *bench_cache_name(bench_cache cache) { return caches[cache].name; }
const char *bench_stream_name(bench_stream stream) { return streams[stream].name; }
const char *bench_stream_meaning(bench_stream stream) { return streams[stream].meaning; }

bool bench_condition_equals(bench_condition a, bench_condition b) {
    return a.mode == b.mode && a.cache == b.cache && a.stream == b.stream;
}

bool bench_condition_is_usual(bench_condition c) {
    return c.mode <= BENCH_THROUGHPUT && c.cache == BENCH_COLD && c.stream == BENCH_LATER_STREAM;
}

int bench_condition_find(const bench_condition *list, size_t count, bench_condition wanted) {
    for (size_t i = 0; i < count; i++)
        if (bench_condition_equals(list[i], wanted)) return (int)i;
    return -1;
}

static bool find_name(const axis_value *values, size_t count, const char *name, int *found) {
    *found = 0;
    for (size_t i = 0; name && *name && i < count; i++)
        if (strcmp(values[i].name, name) == 0) *found = (int)i;
    return !name || !*name || strcmp(values[*found].name, name) == 0;
}

bool bench_condition_from(const char *mode, const char *cache, const char *stream,
                          bench_condition *condition) {
    int m, c, s;
    bool known = find_name(modes, BENCH_MODES, mode, &m) && find_name(caches, BENCH_CACHES, cache, &c) &&
                 find_name(streams, BENCH_STREAMS, stream, &s);
    if (known) *condition = (bench_condition){(bench_mode)m, (bench_cache)c, (bench_stream)s};
    return known;
}

const char *bench_condition_title(bench_condition c, char text[BENCH_CONDITION_TEXT]) {
    snprintf(text, BENCH_CONDITION_TEXT, "%s, %s%s", modes[c.mode].title,
             c.cache == BENCH_COLD ? modes[c.mode].cold : caches[c.cache].name, streams[c.stream].title);
    return text;
}

const char *bench_condition_name(bench_condition c, char text[BENCH_CONDITION_TEXT]) {
    bool later = c.stream == BENCH_LATER_STREAM, cold = c.cache == BENCH_COLD;
    snprintf(text, BENCH_CONDITION_TEXT, "%s%s%s%s%s", modes[c.mode].name, cold && later ? "" : " ",
             cold && later ? "" : caches[c.cache].name, later ? "" : " ",
             later ? "" : streams[c.stream].name);
    return text;
}

kz_status bench_condition_check(bench_condition c, kz_error *error) {
    for (size_t i = 0; i < BASE_COUNT(refused); i++) {
        if (refused[i].mode != c.mode || refused[i].cache != c.cache) continue;
        kz_status status = base_fail(error, KZ_INVALID, "%s and %s do not go together: %s",
                                     modes[c.mode].name, caches[c.cache].name, refused[i].reason);
        base_fail_note(error, "use %s with --cache %s", refused[i].instead, caches[c.cache].name);
        return status;
    }
    return KZ_OK;
}

// ---- lists of names ---------------------------------------------------------------------------------------

typedef struct axis {
    const char *what;
    const axis_value *values;
    size_t value_count;
    int chosen[8];
    size_t count;
} axis;

static kz_status take_name(axis *a, const char *name, size_t length, kz_error *error) {
    base_text known = {0};
    for (size_t i = 0; i < a->value_count; i++) {
        if (strlen(a->values[i].name) == length && memcmp(a->values[i].name, name, length) == 0) {
            bool again = false;
            for (size_t k = 0; k < a->count; k++) again = again || a->chosen[k] == (int)i;
            if (!again) a->chosen[a->count++] = (int)i;
            base_text_free(&known);
            return KZ_OK;
        }
        base_text_add(&known, "%s%s", i ? ", " : "", a->values[i].name);
    }
    kz_status status = base_fail(error, KZ_INVALID, "there is no %s \"%.*s\"", a->what, (int)length, name);
    base_fail_note(error, "--%s takes a list of %s", a->what, known.data ? known.data : "names");
    base_text_free(&known);
    return status;
}

static kz_status take_lists(axis *a, const char *const *lists, size_t count, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count; i++)
        for (const char *at = lists[i];; at++) {
            size_t length = strcspn(at, ",");
            status = take_name(a, at, length, error);
            at += length;
            if (status) return status;
            if (!*at) break;
        }
    return KZ_OK;
}

kz_status bench_conditions_parse(const bench_condition_names *names, bench_condition *list, size_t *count,
                                 kz_error *error) {
    axis mode = {"mode", modes, BENCH_MODES, {0}, 0}, cache = {"cache", caches, BENCH_CACHES, {0}, 0},
         stream = {"stream", streams, BENCH_STREAMS, {0}, 0};
    *count = 0;
    kz_status status = take_lists(&mode, names->modes, names->mode_count, error);
    if (!status) status = take_lists(&cache, names->caches, names->cache_count, error);
    if (!status) status = take_lists(&stream, names->streams, names->stream_count, error);
    if (status) return status;
    bool usual_modes = mode.count == 0;
    if (usual_modes) mode.chosen[mode.count++] = BENCH_LATENCY, mode.chosen[mode.count++] = BENCH_THROUGHPUT;
    if (!cache.count) cache.chosen[cache.count++] = BENCH_COLD;
    if (!stream.count) stream.chosen[stream.count++] = BENCH_LATER_STREAM;
    for (size_t m = 0; m < mode.count; m++)
        for (size_t c = 0; c < cache.count; c++)
            for (size_t k = 0; k < stream.count; k++) {
                const bench_condition one = {(bench_mode)mode.chosen[m], (bench_cache)cache.chosen[c],
                                             (bench_stream)stream.chosen[k]};
                status = bench_condition_check(one, usual_modes ? NULL : error);
                if (status && !usual_modes) return status;
                if (!status) list[(*count)++] = one;
            }
    return KZ_OK;
}
