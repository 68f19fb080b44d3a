// bench/records: see records.h.
#include "bench/records.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/compact.h"
#include "bench/record.h"

typedef enum level { CASE, MODE, CANDIDATE, RESULT, LEVELS } level;

// Where a member of a record stands in a packed line; what is not named here is the result's own.
static const struct {
    const char *key;
    level level;
} homes[] = {
    {"run", CASE},           {"code", CASE},           {"environment", CASE}, {"device", CASE},
    {"case", CASE},          {"cache", CASE},          {"timer", CASE},       {"work", CASE},
    {"host", CASE},          {"figure", MODE},         {"clocks", MODE},      {"peaks", MODE},
    {"suite", CASE},         {"quick", CASE},          {"trial", CASE},       {"request", CASE},
    {"stream", MODE},        {"processes", MODE},      {"beside", MODE},      {"launch_gap_s", MODE},
    {"roofs", MODE}, // as peaks were called
    {"memory", CANDIDATE},   {"kernel", CANDIDATE},    {"source", CANDIDATE}, {"check", CANDIDATE},
    {"counters", CANDIDATE}, {"candidate", CANDIDATE},
};

static level level_of(const char *key) {
    for (size_t i = 0; i < BASE_COUNT(homes); i++)
        if (strcmp(homes[i].key, key) == 0) return homes[i].level;
    return RESULT;
}

static const char *text_in(const json_t *record, const char *outer, const char *inner) {
    const json_t *object = inner ? json_object_get(record, outer) : record;
    const char *text = json_string_value(json_object_get(object, inner ? inner : outer));
    return text ? text : "";
}

// What the results of a condition stand under: "latency" where caches are cold and the stream is a later one, else
// "latency dirty first". Unusual conditions have caches of their own.
enum { KEY = 80 };
static bool is_usual(const json_t *record) {
    const char *cache = text_in(record, "cache", "state"), *stream = text_in(record, "stream", NULL);
    return (!*cache || strcmp(cache, "cold") == 0) && (!*stream || strcmp(stream, "later") == 0);
}

static void make_key(const json_t *record, char key[KEY]) {
    snprintf(key, KEY, "%s", text_in(record, "mode", NULL));
    if (!is_usual(record))
        snprintf(key, KEY, "%s %s %s", text_in(record, "mode", NULL), text_in(record, "cache", "state"),
                 text_in(record, "stream", NULL));
}

// null, [], or an object of nothing else: {"before": null, "after": null}.
static bool is_empty(const json_t *value) {
    const char *key;
    json_t *inner;
    json_object_foreach((json_t *)value, key, inner) if (!is_empty(inner)) return false;
    return !value || json_is_null(value) || json_is_object(value) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

// ---- packing ---------------------------------------------------------------------------------------------

// The statistics with what only samples can tell, where they have it not yet. A new reference, or NULL.
static json_t *complete_statistics(json_t *statistics, const json_t *samples) {
    size_t count = json_array_size(samples);
    if (!count || json_object_get(statistics, "digest")) return json_incref(statistics);
    json_t *whole = json_copy(statistics);
    double *values = malloc(count * sizeof *values);
    bench_summary summary = {0};
    for (size_t i = 0; values && i < count; i++) values[i] = json_number_value(json_array_get(samples, i));
    bool made = whole && values && bench_summarise(values, count, &summary) &&
                bench_record_add_statistics(whole, values, &summary);
    free(values);
    if (made) return whole;
    json_decref(whole);
    return NULL;
}

// What was measured of the device beside the case; older files say roofs.
static const char *const peak_keys[] = {"peaks", "roofs"};

// A record without samples, its peaks beside its device, its run as of the case. A new reference, or NULL.
static json_t *normalise(const json_t *record, json_t *run) {
    json_t *whole = json_copy((json_t *)record), *device = json_copy(json_object_get(record, "device"));
    json_t *statistics = json_object_get(record, "statistics");
    int failed = json_object_set(whole, "run", run);
    for (size_t i = 0; i < BASE_COUNT(peak_keys); i++) {
        json_t *peaks = json_object_get(json_object_get(record, "device"), peak_keys[i]);
        if (peaks)
            failed |= json_object_set(whole, peak_keys[i], peaks) | json_object_del(device, peak_keys[i]);
    }
    failed |= json_object_set_new(whole, "device", device);
    if (statistics)
        failed |= json_object_set_new(whole, "statistics",
                                      complete_statistics(statistics, json_object_get(record, "samples_s")));
    json_object_del(whole, "samples_s");
    json_object_del(whole, "schema");
    if (!failed) return whole;
    json_decref(whole);
    return NULL;
}

// The member of `parent`, an empty object where there is none yet.
static json_t *member(json_t *parent, const char *key) {
    json_t *object = json_object_get(parent, key);
    if (object) return object;
    object = json_object();
    json_object_set_new(parent, key, object);
    return object;
}

static json_t *find_candidate(json_t *candidates, json_t *name) {
    size_t i;
    json_t *one;
    json_array_foreach(candidates, i,
                       one) if (json_equal(json_object_get(one, "candidate"), name)) return one;
    one = json_object();
    json_array_append_new(candidates, one);
    return one;
}

typedef struct packing {
    json_t *shared, *modes, *candidates; // what a case's results share; by condition; a list
} packing;

// Each member goes to its level, if nothing stands there yet; in the second pass one that differs goes to the result.
static void pack_record(const packing *p, json_t *record, bool results) {
    const char *key;
    char condition[KEY];
    make_key(record, condition);
    json_t *value, *candidate = find_candidate(p->candidates, json_object_get(record, "candidate"));
    json_t *at_level[LEVELS] = {p->shared, member(p->modes, condition), candidate, NULL};
    if (results) at_level[RESULT] = member(member(candidate, "results"), condition);
    json_object_foreach(record, key, value) {
        level home = strcmp(key, "cache") == 0 && !is_usual(record) ? MODE : level_of(key);
        json_t *there = home == RESULT ? NULL : json_object_get(at_level[home], key);
        if (strcmp(key, "mode") == 0) continue;
        if (!results && home != RESULT && !there && !is_empty(value))
            json_object_set(at_level[home], key, value);
        if (results && (there ? !json_equal(there, value) : !is_empty(value)))
            json_object_set(at_level[RESULT], key, value);
    }
}

// What is shared is filled from all records of the case before it is known what differs from it.
static json_t *pack_case(const json_t *records, size_t from, size_t to) {
    packing p = {json_object(), json_object(), json_array()};
    json_t *run = json_object_get(json_array_get(records, from), "run"), *normal = json_array();
    int failed = !p.shared || !p.modes || !p.candidates || !normal;
    for (size_t i = from; i < to && !failed; i++)
        failed = json_array_append_new(normal, normalise(json_array_get(records, i), run));
    for (int pass = 0; pass < 2 && !failed; pass++)
        for (size_t i = 0; i < to - from; i++) pack_record(&p, json_array_get(normal, i), pass == 1);
    json_decref(normal);
    failed |= json_object_set_new(p.shared, "modes", p.modes);
    failed |= json_object_set_new(p.shared, "candidates", p.candidates);
    if (!failed) return p.shared;
    json_decref(p.shared);
    return NULL;
}

static bool is_record(const json_t *record) { return json_object_get(record, "candidate") != NULL; }

static bool same_text(const json_t *a, const json_t *b, const char *outer, const char *inner) {
    return strcmp(text_in(a, outer, inner), text_in(b, outer, inner)) == 0;
}

static bool same_case(const json_t *a, const json_t *b) {
    return is_record(a) && is_record(b) && same_text(a, b, "run", "id") && same_text(a, b, "device", "id") &&
           same_text(a, b, "case", "family") && same_text(a, b, "case", "name");
}

// Where the records of the case that begins there end. A candidate that was timed again begins another line.
static size_t end_of_case(const json_t *records, size_t from) {
    size_t to = from + 1;
    char condition[KEY], other[KEY];
    for (; to < json_array_size(records); to++) {
        const json_t *next = json_array_get(records, to);
        make_key(next, condition);
        if (!same_case(json_array_get(records, from), next)) return to;
        for (size_t i = from; i < to; i++) {
            const json_t *before = json_array_get(records, i);
            make_key(before, other);
            if (strcmp(condition, other) == 0 &&
                json_equal(json_object_get(before, "candidate"), json_object_get(next, "candidate")))
                return to;
        }
    }
    return to;
}

// The cases' lines, and those of another kind as they are, each in its array. False when out of memory.
static bool pack_cases(const json_t *records, json_t *cases, json_t *others) {
    int failed = 0;
    for (size_t from = 0, to; from < json_array_size(records) && !failed; from = to) {
        json_t *first = json_array_get(records, from);
        to = end_of_case(records, from);
        failed = is_record(first) ? json_array_append_new(cases, pack_case(records, from, to))
                                  : json_array_append(others, first);
    }
    return !failed;
}

// Sorted keys: the same records give the same bytes.
static bool add_line(base_text *out, const json_t *line, size_t flags) {
    char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(9) | flags);
    if (text) base_text_add(out, "%s\n", text);
    free(text);
    return text && !out->failed;
}

static bool add_lines(base_text *out, const json_t *lines, size_t flags) {
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line) if (!add_line(out, line, flags)) return false;
    return true;
}

// The lines behind the head that has what they share.
static bool add_compact(base_text *out, const json_t *lines) {
    json_t *head = NULL, *kept = NULL;
    if (!json_array_size(lines)) return true;
    bool done = bench_compact(lines, &head, &kept) && add_line(out, head, JSON_SORT_KEYS) &&
                add_lines(out, kept, JSON_SORT_KEYS);
    json_decref(head);
    json_decref(kept);
    return done;
}

// A line of its own schema stands for itself (bench_records_read); only what shares it can be told from that.
static bool share_schema(const json_t *lines) {
    size_t i;
    json_t *line, *schema = json_object_get(json_array_get(lines, 0), "schema");
    json_array_foreach(lines, i, line) if (!json_equal(json_object_get(line, "schema"), schema)) return false;
    return schema && json_array_size(lines) > 1;
}

kz_status bench_records_pack(const json_t *records, base_text *out, kz_error *error) {
    json_t *cases = json_array(), *others = json_array();
    bool done = cases && others && pack_cases(records, cases, others) && add_compact(out, cases);
    done = done && (share_schema(others) ? add_compact(out, others) : add_lines(out, others, 0));
    json_decref(cases);
    json_decref(others);
    return done ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory to pack the records");
}

// ---- reading ---------------------------------------------------------------------------------------------

// The peaks return to the device, which the records of a case share no longer.
static bool return_peaks(json_t *record) {
    for (size_t i = 0; i < BASE_COUNT(peak_keys); i++) {
        json_t *peaks = json_object_get(record, peak_keys[i]), *device;
        if (!peaks) continue;
        device = json_copy(json_object_get(record, "device"));
        if (json_object_set(device, peak_keys[i], peaks) != 0 ||
            json_object_set_new(record, "device", device) != 0 || json_object_del(record, peak_keys[i]) != 0)
            return false;
    }
    return true;
}

static bool unpack_result(const json_t *line, json_t *candidate, const char *condition, json_t *result,
                          json_t *records) {
    json_t *record = json_copy((json_t *)line);
    json_t *shared = json_object_get(json_object_get(line, "modes"), condition);
    int failed = json_object_update(record, shared) | json_object_update(record, candidate) |
                 json_object_update(record, result) |
                 json_object_set_new(record, "schema", json_integer(BENCH_SCHEMA)) |
                 json_object_set_new(record, "mode", json_stringn(condition, strcspn(condition, " ")));
    static const char *const parts[] = {"modes", "candidates", "results"};
    for (size_t i = 0; i < BASE_COUNT(parts); i++) json_object_del(record, parts[i]);
    if (failed || !return_peaks(record)) {
        json_decref(record);
        return false;
    }
    return json_array_append_new(records, record) == 0;
}

static bool unpack_case(const json_t *line, json_t *records) {
    size_t i;
    json_t *candidate, *result;
    const char *condition;
    json_array_foreach(json_object_get(line, "candidates"), i, candidate) json_object_foreach(
        json_object_get(candidate, "results"), condition,
        result) if (!unpack_result(line, candidate, condition, result, records)) return false;
    return true;
}

// A head is kept for the lines that follow it. A line that is not packed is a record: one that says its schema, or has a head
// whose lines do.
static bool take_line(json_t *line, json_t **head, json_t *records) {
    if (bench_is_head(line)) {
        json_decref(*head);
        *head = json_incref(line);
        return true;
    }
    bool packed = json_is_array(json_object_get(line, "candidates"));
    bool shares = json_object_get(json_object_get(*head, "shared"), "schema");
    if (!packed && (!shares || json_object_get(line, "schema"))) return json_array_append(records, line) == 0;
    json_t *whole = bench_expand(*head, line);
    bool done = whole && (packed ? unpack_case(whole, records) : json_array_append(records, whole) == 0);
    json_decref(whole);
    return done;
}

bool bench_records_by_peak(const char *by) { return strcmp(by, "peak") == 0 || strcmp(by, "roof") == 0; }

kz_status bench_records_read(const char *path, json_t **records, size_t *torn, kz_error *error) {
    char *data;
    size_t size, line = 1;
    *records = NULL;
    kz_status status = base_file_read(path, &data, &size, error);
    if (status) return status;
    json_t *all = json_array(), *head = NULL;
    for (char *at = data; !status && *at; line++) {
        size_t length = strcspn(at, "\n");
        json_error_t why;
        json_t *object = json_loadb(at, length, 0, &why);
        if (!object && length && torn && json_error_code(&why) == json_error_premature_end_of_input) {
            ++*torn;
        } else if (!object && length) {
            status = base_fail(error, KZ_IO, "%s:%zu is no JSON: %s", path, line, why.text);
            base_fail_note(error, "a line that a crash cut off can be removed; the others stand");
        } else if (object && !take_line(object, &head, all))
            status = base_fail(error, KZ_NO_MEMORY, "no memory for the records of %s", path);
        json_decref(object);
        at += length + (at[length] == '\n');
    }
    free(data);
    json_decref(head);
    if (status)
        json_decref(all);
    else
        *records = all;
    return status;
}

static kz_status add_file(const char *path, json_t *records, size_t *torn, kz_error *error) {
    json_t *more = NULL;
    kz_status status = bench_records_read(path, &more, torn, error);
    if (!status && json_array_extend(records, more))
        status = base_fail(error, KZ_NO_MEMORY, "no memory for the records of %s", path);
    json_decref(more);
    return status;
}

kz_status bench_records_read_all(const char *path, json_t **records, size_t *torn, kz_error *error) {
    struct stat about;
    kz_status status = KZ_OK;
    glob_t files = {0};
    base_text pattern = {0};
    *records = json_array();
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        base_text_add(&pattern, "%s/*.jsonl", path);
        if (pattern.data) glob(pattern.data, 0, NULL, &files);
        for (size_t i = 0; i < files.gl_pathc && !status; i++)
            status = add_file(files.gl_pathv[i], *records, torn, error);
    } else
        status = add_file(path, *records, torn, error);
    globfree(&files);
    base_text_free(&pattern);
    if (!status) return KZ_OK;
    json_decref(*records);
    *records = NULL;
    return status;
}
