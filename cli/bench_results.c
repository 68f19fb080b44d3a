// kz bench results. See bench_results.h.
//
// Of several records of one candidate in one case the newest counts. Every row carries its date and commit,
// every table its GPU.
#include "bench_results.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cli.h"
#include "kz/family.h"
#include "report/report.h"

#define BEGIN_MARK "<!-- results:begin -->"
#define END_MARK   "<!-- results:end -->"
// Where a README has these too: all variants at all cases, a table for each operation.
#define LADDERS_BEGIN "<!-- ladders:begin -->"
#define LADDERS_END   "<!-- ladders:end -->"

enum { ENTRIES = 8192 };

typedef struct entry { // one candidate's figure in one case; strings belong to `record`
    json_t *record;
    const char *gpu, *device, *family, *name, *by, *candidate, *time, *file;
    double seconds, bytes;
} entry;

typedef struct archive {
    entry *entries;
    size_t count;
    bool check;
    size_t stale, written;
} archive;

// ---- reading ------------------------------------------------------------------------------------------

static json_t *at(json_t *object, const char *outer, const char *inner) {
    return json_object_get(json_object_get(object, outer), inner);
}
static const char *text_at(json_t *object, const char *outer, const char *inner) {
    const char *text = json_string_value(at(object, outer, inner));
    return text ? text : "";
}
static double number_at(json_t *object, const char *outer, const char *inner) {
    json_t *value = at(object, outer, inner);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static bool same(const entry *a, const entry *b) {
    return strcmp(a->gpu, b->gpu) == 0 && strcmp(a->family, b->family) == 0 &&
           strcmp(a->name, b->name) == 0 && strcmp(a->by, b->by) == 0 &&
           strcmp(a->candidate, b->candidate) == 0;
}

// Takes the record over. Only figures that stand: right, timed, below the roof.
static void add(archive *a, json_t *record, const char *file) {
    const char *status = json_string_value(json_object_get(record, "status"));
    entry e = {.record = record,
               .file = file,
               .gpu = text_at(record, "device", "gpu"),
               .device = text_at(record, "device", "name"),
               .family = text_at(record, "case", "family"),
               .name = text_at(record, "case", "name"),
               .by = text_at(record, "candidate", "by"),
               .candidate = text_at(record, "candidate", "name"),
               .time = text_at(record, "run", "time"),
               .seconds = number_at(record, "statistics", "median_s"),
               .bytes = number_at(record, "work", "bytes")};
    bool stands = status && (strcmp(status, "ok") == 0 || strcmp(status, "not converged") == 0);
    if (!stands || !json_is_true(json_object_get(record, "figure")) || !(e.seconds > 0) ||
        a->count == ENTRIES) {
        json_decref(record);
        return;
    }
    for (size_t i = 0; i < a->count; i++)
        if (same(&a->entries[i], &e)) {
            entry *old = &a->entries[i];
            bool newer = strcmp(e.time, old->time) >= 0;
            json_decref(newer ? old->record : record);
            if (newer) *old = e;
            return;
        }
    a->entries[a->count++] = e;
}

static kz_status read_file(archive *a, const char *path, kz_error *error) {
    char *data;
    size_t size, line = 1;
    kz_status status = base_file_read(path, &data, &size, error);
    for (char *at_line = data; !status && *at_line; line++) {
        size_t length = strcspn(at_line, "\n");
        json_error_t why;
        json_t *record = json_loadb(at_line, length, 0, &why);
        if (record) {
            add(a, record, path);
        } else if (length) {
            base_fail(error, KZ_IO, "%s:%zu is no JSON: %s", path, line, why.text);
            base_fail_note(error, "a line that a crash cut off can be removed; the others stand");
            status = KZ_IO;
        }
        at_line += length + (at_line[length] == '\n');
    }
    if (status != KZ_NOT_FOUND && data) free(data);
    return status;
}

// ---- tables ----------------------------------------------------------------------------------------

static void add_tail(base_text *out, const entry *e) {
    base_text_add(out, " %.10s | %s |\n", e->time, text_at(e->record, "code", "commit"));
}

static const char *share(char text[32], double value) {
    if (isnan(value)) return "";
    snprintf(text, 32, "%.1f%%", 100 * value);
    return text;
}

static const entry *best_of(const archive *a, const entry *like, bool rival) {
    const entry *best = NULL;
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i];
        bool ours = strcmp(e->by, "kz") == 0, roof = strcmp(e->by, "roof") == 0,
             guest = strcmp(e->by, "guest") == 0;
        if (strcmp(e->gpu, like->gpu) || strcmp(e->family, like->family) || strcmp(e->name, like->name))
            continue;
        if (roof || guest || ours == rival) continue;
        if (!best || e->seconds < best->seconds) best = e;
    }
    return best;
}

// How the record itself compares with the rival, from samples taken beside each other.
static void add_ratio(base_text *out, const entry *ours, const entry *rival) {
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(ours->record, "compare"), i, one) {
        const char *with = json_string_value(json_object_get(one, "with"));
        if (!rival || !with || strcmp(with, rival->by) != 0) continue;
        base_text_add(out, " %.3fx [%.3f, %.3f] |", 1 / json_number_value(json_object_get(one, "time_ratio")),
                      1 / json_number_value(json_object_get(one, "high")),
                      1 / json_number_value(json_object_get(one, "low")));
        return;
    }
    base_text_add(out, " |");
}

static void add_target(base_text *out, const entry *e) {
    json_t *target = json_object_get(e->record, "target");
    char goal[REPORT_NUMBER];
    if (!json_is_object(target) || !json_is_boolean(json_object_get(target, "met"))) {
        base_text_add(out, " |");
        return;
    }
    const char *metric = json_string_value(json_object_get(target, "metric"));
    const char *rival = json_string_value(json_object_get(target, "rival"));
    double value = json_number_value(json_object_get(target, "goal"));
    if (metric && strstr(metric, "_per_s"))
        report_si(goal, value, metric[0] == 'b' ? "B/s" : "FLOP/s");
    else
        snprintf(goal, sizeof goal, "%.2f %s", value, metric ? metric : "");
    base_text_add(out, " %s: %s%s%s |", json_is_true(json_object_get(target, "met")) ? "met" : "missed", goal,
                  rival ? ", " : "", rival ? rival : "");
}

// What a case does in a second: bytes, or flops where those are the measure (see bench_work_computes).
static bool computes(const entry *e) {
    const kz_work work = {.bytes = number_at(e->record, "derived", "bytes_per_s"),
                          .flops = number_at(e->record, "derived", "flops_per_s")};
    return bench_work_computes(&work);
}
static const char *rate_of(char text[REPORT_NUMBER], const entry *e) {
    if (computes(e)) return report_si(text, number_at(e->record, "derived", "flops_per_s"), "FLOP/s");
    return report_si(text, number_at(e->record, "derived", "bytes_per_s"), "B/s");
}

// What the rate is a share of: a copy, or what the cores compute where the records know that.
static const char *share_key(const entry *first) {
    return computes(first) && !isnan(number_at(first->record, "derived", "of_compute")) ? "of_compute"
                                                                                        : "of_copy";
}
static const char *share_title(const entry *first) {
    return strcmp(share_key(first), "of_copy") == 0 ? "of copy" : "of cores";
}

// One row per case: our best beside the rival's.
static void add_summary(const archive *a, const entry *first, base_text *out) {
    base_text_add(out,
                  "| case | best | time | %s | %s | rival | its time | faster than it | target | date | "
                  "commit |\n|---|---|--:|--:|--:|---|--:|--:|---|---|---|\n",
                  computes(first) ? "computes" : "moves", share_title(first));
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i];
        if (strcmp(e->gpu, first->gpu) || strcmp(e->family, first->family)) continue;
        const entry *ours = best_of(a, e, false), *rival = best_of(a, e, true);
        if (ours != e) continue; // each case once, where its best stands
        char time[REPORT_NUMBER], rate[REPORT_NUMBER], of[32], other[REPORT_NUMBER];
        base_text_add(out, "| %s | %s | %s | %s | %s | %s | %s |", e->name, e->candidate,
                      report_seconds(time, e->seconds), rate_of(rate, e),
                      share(of, number_at(e->record, "derived", share_key(first))), rival ? rival->by : "",
                      rival ? report_seconds(other, rival->seconds) : "");
        add_ratio(out, e, rival);
        add_target(out, e);
        add_tail(out, e);
    }
}

static size_t rungs(const archive *a, const entry *like) {
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i];
        count += strcmp(e->gpu, like->gpu) == 0 && strcmp(e->family, like->family) == 0 &&
                 strcmp(e->name, like->name) == 0 && strcmp(e->by, "kz") == 0;
    }
    return count;
}

// The whole ladder at the largest case that was climbed.
static void add_ladder(const archive *a, const entry *first, base_text *out) {
    const entry *largest = NULL;
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i];
        if (strcmp(e->gpu, first->gpu) || strcmp(e->family, first->family) || rungs(a, e) < 2) continue;
        if (!largest || e->bytes > largest->bytes) largest = e;
    }
    if (!largest) return;
    base_text_add(out,
                  "\nThe ladder at `%s`:\n\n| variant | time | %s | %s | date | commit |\n"
                  "|---|--:|--:|--:|---|---|\n",
                  largest->name, computes(largest) ? "computes" : "moves", share_title(largest));
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i];
        if (strcmp(e->gpu, largest->gpu) || strcmp(e->family, largest->family) ||
            strcmp(e->name, largest->name))
            continue;
        char time[REPORT_NUMBER], rate[REPORT_NUMBER], of[32];
        bool ours = strcmp(e->by, "kz") == 0;
        base_text_add(out, "| %s%s%s | %s | %s | %s |", ours ? "" : e->by, ours ? "" : ": ", e->candidate,
                      report_seconds(time, e->seconds), rate_of(rate, e),
                      share(of, number_at(e->record, "derived", share_key(largest))));
        add_tail(out, e);
    }
}

// The operation is what a case's name begins with.
static bool of_operation(const entry *e, const char *operation) {
    size_t length = strlen(operation);
    return strncmp(e->name, operation, length) == 0 && e->name[length] == '-';
}

// The variant's figure at like's case; NULL where it has none.
static const entry *figure_of(const archive *a, const entry *like, const char *variant) {
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i];
        if (strcmp(e->gpu, like->gpu) == 0 && strcmp(e->family, like->family) == 0 &&
            strcmp(e->name, like->name) == 0 && strcmp(e->by, "kz") == 0 &&
            strcmp(e->candidate, variant) == 0)
            return e;
    }
    return NULL;
}

static bool has_figures(const archive *a, const entry *first, const char *operation, const char *variant) {
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i];
        if (strcmp(e->gpu, first->gpu) == 0 && strcmp(e->family, first->family) == 0 &&
            strcmp(e->by, "kz") == 0 && of_operation(e, operation) && strcmp(e->candidate, variant) == 0)
            return true;
    }
    return false;
}

// A row per case, a column per variant of the operation: what each does in a second, the best in bold.
static void add_operation(const archive *a, const entry *first, const kz_family *family,
                          const char *operation, base_text *out) {
    bool shown[64] = {0}, any = false;
    for (size_t v = 0; v < family->variant_count && v < 64; v++)
        any |= shown[v] = has_figures(a, first, operation, family->variants[v].name);
    if (!any) return;
    base_text_add(out, "\n| %s: case |", operation);
    for (size_t v = 0; v < 64; v++)
        if (shown[v]) base_text_add(out, " %s |", family->variants[v].name);
    base_text_add(out, "\n|---|");
    for (size_t v = 0; v < 64; v++)
        if (shown[v]) base_text_add(out, "--:|");
    base_text_add(out, "\n");
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i], *best = best_of(a, e, false);
        if (strcmp(e->gpu, first->gpu) || strcmp(e->family, first->family) || !of_operation(e, operation))
            continue;
        if (best != e) continue; // each case once, where its best stands
        base_text_add(out, "| %s |", e->name + strlen(operation) + 1);
        for (size_t v = 0; v < 64; v++) {
            if (!shown[v]) continue;
            const entry *figure = figure_of(a, e, family->variants[v].name);
            char rate[REPORT_NUMBER];
            const char *bold = figure == best ? "**" : "";
            base_text_add(out, figure ? " %s%s%s |" : " |", bold, figure ? rate_of(rate, figure) : "", bold);
        }
        base_text_add(out, "\n");
    }
}

static bool first_of_gpu(const archive *a, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (strcmp(a->entries[i].gpu, a->entries[index].gpu) == 0 &&
            strcmp(a->entries[i].family, a->entries[index].family) == 0)
            return false;
    return true;
}

static void make_section(const archive *a, const char *family, base_text *out) {
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i];
        if (strcmp(e->family, family) != 0 || !first_of_gpu(a, i)) continue;
        const char *driver = text_at(e->record, "environment", "driver");
        base_text_add(out,
                      "%s**%s**%s%s. Medians, cold caches, checked before and after; the records are in "
                      "`results/%s/`.\n\n",
                      out->length ? "\n" : "", e->device, driver[0] ? ", driver " : "", driver, e->gpu);
        add_summary(a, e, out);
        add_ladder(a, e, out);
    }
}

static void make_ladders(const archive *a, const kz_family *family, base_text *out) {
    for (size_t i = 0; i < a->count; i++) {
        const entry *e = &a->entries[i];
        if (strcmp(e->family, family->name) != 0 || !first_of_gpu(a, i)) continue;
        base_text_add(out, "%s**%s**, what each variant does in a second:\n", out->length ? "\n" : "",
                      e->device);
        for (size_t o = 0; family->operations[o]; o++)
            add_operation(a, e, family, family->operations[o], out);
    }
}

// ---- files -----------------------------------------------------------------------------------------

static kz_status put(archive *a, const char *path, const char *before, const base_text *after,
                     kz_error *error) {
    if (after->failed) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    if (before && strcmp(before, after->data) == 0) return KZ_OK;
    if (a->check) {
        fprintf(stderr, "kz: %s is stale against results/\n", path);
        a->stale++;
        return KZ_OK;
    }
    a->written++;
    printf("%s\n", path);
    return base_file_write(path, after->data, after->length, error);
}

// The text with what stands between the marks replaced; false where there are no such marks.
static bool replace(base_text *out, const char *text, const char *begin_mark, const char *end_mark,
                    const base_text *section) {
    const char *begin = strstr(text, begin_mark), *end = begin ? strstr(begin, end_mark) : NULL;
    if (!end) return false;
    base_text_add_bytes(out, text, (size_t)(begin - text));
    base_text_add(out, "%s\n%s%s", begin_mark, section->data, end);
    return true;
}

static kz_status update_family(archive *a, const kz_family *family, kz_error *error) {
    base_text section = {0}, ladders = {0}, results = {0}, whole = {0};
    make_section(a, family->name, &section);
    if (section.length == 0) return KZ_OK;
    make_ladders(a, family, &ladders);
    char path[300], *text = NULL;
    size_t size;
    snprintf(path, sizeof path, "kernels/%s/%s/README.md", family->group, family->name);
    kz_status status = base_file_read(path, &text, &size, error);
    if (!status) {
        if (!replace(&results, text, BEGIN_MARK, END_MARK, &section)) {
            status = base_fail(error, KZ_INVALID, "%s has no place for results", path);
            base_fail_note(error, "it is between the lines %s and %s", BEGIN_MARK, END_MARK);
        } else {
            bool both = replace(&whole, results.data, LADDERS_BEGIN, LADDERS_END, &ladders);
            status = put(a, path, text, both ? &whole : &results, error);
        }
        free(text);
    }
    base_text_free(&section);
    base_text_free(&ladders);
    base_text_free(&results);
    base_text_free(&whole);
    return status;
}

static void add_file_row(const archive *a, const char *file, const char *gpu, base_text *out) {
    const entry *first = NULL;
    size_t figures = 0;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->entries[i].file, file) == 0 && strcmp(a->entries[i].gpu, gpu) == 0) {
            if (!first) first = &a->entries[i];
            figures++;
        }
    if (!first) return;
    const char *slash = strrchr(file, '/');
    base_text_add(out, "| [%s](%s) | %.10s | %s | %s | %zu | `%s` |\n", slash ? slash + 1 : file,
                  slash ? slash + 1 : file, first->time, text_at(first->record, "code", "commit"),
                  text_at(first->record, "environment", "driver"), figures,
                  text_at(first->record, "run", "command"));
}

static kz_status update_folder(archive *a, const entry *e, const glob_t *files, kz_error *error) {
    base_text out = {0};
    char path[200], *before = NULL;
    size_t size;
    base_text_add(
        &out,
        "# Measured on %s\n\nWritten by `kz bench results` from the records beside it: one JSON object per "
        "line, one line per\ncandidate and mode, raw samples kept. The READMEs of the families show them.\n\n"
        "| file | date | commit | driver | figures in use | command |\n|---|---|---|---|--:|---|\n",
        e->device);
    for (size_t i = 0; i < files->gl_pathc; i++) add_file_row(a, files->gl_pathv[i], e->gpu, &out);
    snprintf(path, sizeof path, "results/%s/README.md", e->gpu);
    if (base_file_exists(path)) base_file_read(path, &before, &size, NULL);
    kz_status status = put(a, path, before, &out, error);
    free(before);
    base_text_free(&out);
    return status;
}

static kz_status update_all(archive *a, const glob_t *files, bool folders, kz_error *error) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count && !status; i++) status = update_family(a, families[i], error);
    for (size_t i = 0; folders && i < a->count && !status; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++) first = first && strcmp(a->entries[k].gpu, a->entries[i].gpu) != 0;
        if (first && a->entries[i].gpu[0]) status = update_folder(a, &a->entries[i], files, error);
    }
    return status;
}

int bench_results(const char *const *files, size_t count, bool check) {
    archive a = {.entries = calloc(ENTRIES, sizeof(entry)), .check = check};
    kz_error error = {0};
    glob_t found = {0};
    kz_status status = KZ_OK;
    if (!a.entries) status = base_fail(&error, KZ_NO_MEMORY, "no memory for the records");
    if (count == 0) glob("results/*/*.jsonl", 0, NULL, &found);
    for (size_t i = 0; i < count && !status; i++) status = read_file(&a, files[i], &error);
    for (size_t i = 0; i < found.gl_pathc && !status; i++) status = read_file(&a, found.gl_pathv[i], &error);
    if (!status) status = update_all(&a, &found, count == 0, &error);
    if (!status && a.stale) {
        status = base_fail(&error, KZ_WRONG, "%zu file%s stale", a.stale, a.stale > 1 ? "s are" : " is");
        base_fail_note(&error, "kz bench results, in the sources' folder, brings them up to date");
    }
    if (!status) printf("%zu figures, %zu file%s changed\n", a.count, a.written, a.written == 1 ? "" : "s");
    for (size_t i = 0; i < a.count; i++) json_decref(a.entries[i].record);
    globfree(&found);
    free(a.entries);
    return status ? cli_fail(&error) : CLI_OK;
}
