// Reading records and choosing among runs. See archive.h.
#include "archive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench/records.h"
#include "figures.h"
#include "kz/family.h"

static json_t *at(json_t *object, const char *outer, const char *inner) {
    return json_object_get(json_object_get(object, outer), inner);
}

const char *bench_figure_text(const bench_figure *figure, const char *outer, const char *inner) {
    const char *text = json_string_value(at(figure->record, outer, inner));
    return text ? text : "";
}

double bench_figure_number(const bench_figure *figure, const char *outer, const char *inner) {
    json_t *value = at(figure->record, outer, inner);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

bool bench_figure_is_ours(const bench_figure *figure) { return strcmp(figure->by, "kz") == 0; }

bool bench_figure_is_rival(const bench_figure *figure) {
    return !bench_figure_is_ours(figure) && !bench_records_by_peak(figure->by) &&
           strcmp(figure->by, "guest") != 0;
}

bool bench_figure_alike(const bench_figure *a, const bench_figure *b) {
    return a->condition.mode == b->condition.mode && a->condition.cache == b->condition.cache &&
           a->condition.stream == b->condition.stream && strcmp(a->beside, b->beside) == 0;
}

const char *bench_figure_mark(const bench_figure *f) {
    const char *status = json_string_value(json_object_get(f->record, "status"));
    return status && strcmp(status, "not converged") == 0 ? "~" : "";
}

const char *bench_figure_mode(const bench_figure *f, char text[BENCH_FIGURE_MODE]) {
    snprintf(text, BENCH_FIGURE_MODE, "%s%s%s", bench_mode_name(f->condition.mode),
             *f->beside ? " beside " : "", f->beside);
    return text;
}

// ---- reading ------------------------------------------------------------------------------------------

static bool same_candidate(const bench_figure *a, const bench_figure *b) {
    return strcmp(a->by, b->by) == 0 && strcmp(a->candidate, b->candidate) == 0;
}

bool bench_figure_same_case(const bench_figure *a, const bench_figure *b) {
    return strcmp(a->gpu, b->gpu) == 0 && strcmp(a->family, b->family) == 0 && strcmp(a->name, b->name) == 0;
}

static bool same_run(const bench_figure *a, const bench_figure *b) { return strcmp(a->run, b->run) == 0; }

static kz_status make_room(bench_figure **list, size_t count, size_t *capacity, kz_error *error) {
    if (count < *capacity) return KZ_OK;
    size_t wanted = *capacity ? 2 * *capacity : 1024;
    bench_figure *grown = realloc(*list, wanted * sizeof *grown);
    if (!grown) return base_fail(error, KZ_NO_MEMORY, "no memory for the records");
    *list = grown;
    *capacity = wanted;
    return KZ_OK;
}

// Finds the figure's case; where its run has this candidate already, taken alike, the newer of the two stays.
static bool replaces(bench_archive *a, bench_figure *f) {
    for (size_t i = 0; i < a->count; i++) {
        bench_figure *old = &a->figures[i];
        if (!bench_figure_same_case(old, f)) continue;
        f->of_case = old->of_case;
        if (!same_candidate(old, f) || !same_run(old, f) || !bench_figure_alike(old, f)) continue;
        bool newer = strcmp(f->time, old->time) >= 0;
        json_decref(newer ? old->record : f->record);
        if (newer) *old = *f;
        return true;
    }
    return false;
}

const char *bench_current_name(const char *family_name, const char *name) {
    const kz_family *family = kz_family_find(family_name);
    const kz_variant *variant = family ? kz_variant_find(family, name) : NULL;
    return variant ? variant->name : name;
}

// What counters are of is none; they have no times either.
static bench_condition condition_of(const json_t *record) {
    bench_condition condition = {0};
    bench_condition_from(json_string_value(json_object_get(record, "mode")),
                         json_string_value(at((json_t *)record, "cache", "state")),
                         json_string_value(json_object_get(record, "stream")), &condition);
    return condition;
}

// What the record says of itself; `of_case` is left to whoever knows the archive.
static bench_figure describe(json_t *record) {
    bench_figure f = {.record = record};
    f.gpu = bench_figure_text(&f, "device", "gpu");
    f.device = bench_figure_text(&f, "device", "name");
    f.family = bench_figure_text(&f, "case", "family");
    f.name = bench_figure_text(&f, "case", "name");
    f.by = bench_figure_text(&f, "candidate", "by");
    f.candidate = bench_figure_text(&f, "candidate", "name");
    if (bench_figure_is_ours(&f)) f.candidate = bench_current_name(f.family, f.candidate);
    if (bench_records_by_peak(f.by)) f.by = "peak";
    f.time = bench_figure_text(&f, "run", "time");
    f.run = bench_figure_text(&f, "run", "id");
    f.commit = bench_figure_text(&f, "code", "commit");
    f.seconds = bench_figure_number(&f, "statistics", "median_s");
    f.bytes = bench_figure_number(&f, "work", "bytes");
    f.condition = condition_of(record);
    const char *beside = json_string_value(json_object_get(record, "beside"));
    f.beside = beside ? beside : "";
    return f;
}

static bool stands(const bench_figure *f) {
    const char *status = json_string_value(json_object_get(f->record, "status"));
    return status && !json_is_true(json_object_get(f->record, "quick")) && f->seconds > 0 &&
           (strcmp(status, "ok") == 0 || strcmp(status, "not converged") == 0);
}

// Takes the record over.
static kz_status add(bench_archive *a, json_t *record, const char *file, kz_error *error) {
    bench_figure f = describe(record);
    bool counts = json_is_true(json_object_get(record, "figure")),
         usual = bench_condition_is_usual(f.condition);
    f.file = file;
    f.of_case = a->count;
    kz_status status = KZ_OK;
    if (!stands(&f) || counts != usual) {
        json_decref(record);
        return KZ_OK;
    }
    if (usual)
        status = make_room(&a->figures, a->count, &a->capacity, error);
    else
        status = make_room(&a->unusual, a->unusual_count, &a->unusual_capacity, error);
    if (status)
        json_decref(record);
    else if (!usual)
        a->unusual[a->unusual_count++] = f;
    else if (!replaces(a, &f))
        a->figures[a->count++] = f;
    return status;
}

kz_status bench_archive_read(bench_archive *archive, const char *path, kz_error *error) {
    json_t *records, *record;
    size_t i;
    kz_status status = bench_records_read(path, &records, NULL, error);
    json_array_foreach(records, i, record) if (!status) status =
        add(archive, json_incref(record), path, error);
    json_decref(records);
    return status;
}

void bench_archive_free(bench_archive *archive) {
    for (size_t i = 0; i < archive->count; i++) json_decref(archive->figures[i].record);
    for (size_t i = 0; i < archive->unusual_count; i++) json_decref(archive->unusual[i].record);
    free(archive->figures);
    free(archive->unusual);
    *archive = (bench_archive){0};
}

// ---- choosing -----------------------------------------------------------------------------------------

bool bench_archive_is_newest(const bench_archive *archive, const bench_figure *figure) {
    for (size_t i = 0; i < archive->count; i++) {
        const bench_figure *f = &archive->figures[i];
        if (f->of_case != figure->of_case || !same_candidate(f, figure)) continue;
        int later = strcmp(f->time, figure->time), alone = !*f->beside - !*figure->beside;
        if (alone > 0 || (alone == 0 && (later > 0 || (later == 0 && f > figure)))) return false;
    }
    return true;
}

// The last variant of those that were timed in the case, by any run or by one; their numbers sort them.
static const char *last_variant(const bench_archive *a, size_t of_case, const char *run) {
    const char *last = "";
    for (size_t i = 0; i < a->count; i++) {
        const bench_figure *f = &a->figures[i];
        if (f->of_case != of_case || !bench_figure_is_ours(f)) continue;
        if ((!run || strcmp(f->run, run) == 0) && strcmp(f->candidate, last) > 0) last = f->candidate;
    }
    return last;
}

static bool has_rival(const bench_archive *a, size_t of_case, const char *run) {
    for (size_t i = 0; i < a->count; i++) {
        const bench_figure *f = &a->figures[i];
        if (f->of_case == of_case && strcmp(f->run, run) == 0 && bench_figure_is_rival(f)) return true;
    }
    return false;
}

const char *bench_archive_run(const bench_archive *archive, size_t of_case, bool beside) {
    const char *chosen = NULL, *chosen_time = "", *last = last_variant(archive, of_case, NULL);
    int chosen_rank = -1;
    for (size_t i = 0; i < archive->count; i++) {
        const bench_figure *f = &archive->figures[i];
        if (f->of_case != of_case || !bench_figure_is_ours(f) || !*f->beside == beside) continue;
        int rank = 2 * has_rival(archive, of_case, f->run) +
                   (strcmp(last_variant(archive, of_case, f->run), last) == 0);
        if (rank < chosen_rank || (rank == chosen_rank && strcmp(f->time, chosen_time) <= 0)) continue;
        chosen = f->run;
        chosen_time = f->time;
        chosen_rank = rank;
    }
    return chosen;
}

const char *bench_archive_fullest(const bench_archive *archive, size_t of_case) {
    const bench_figure *chosen = NULL;
    size_t most = 0;
    for (size_t i = 0; i < archive->count; i++) {
        const bench_figure *f = &archive->figures[i];
        if (f->of_case != of_case || *f->beside) continue;
        size_t timed = 0;
        for (size_t k = 0; k < archive->count; k++) {
            const bench_figure *other = &archive->figures[k];
            timed += other->of_case == of_case && strcmp(other->run, f->run) == 0 &&
                     !bench_records_by_peak(other->by);
        }
        if (!timed || timed < most || (timed == most && strcmp(f->time, chosen->time) <= 0)) continue;
        chosen = f;
        most = timed;
    }
    return chosen ? chosen->run : NULL;
}

const char *bench_archive_unusual(const bench_archive *archive, const bench_figure *of_case) {
    const bench_figure *newest = NULL;
    for (size_t i = 0; i < archive->unusual_count; i++) {
        const bench_figure *f = &archive->unusual[i];
        if (bench_figure_same_case(f, of_case) && bench_figure_is_ours(f) &&
            (!newest || strcmp(f->time, newest->time) > 0))
            newest = f;
    }
    return newest ? newest->commit : NULL;
}

const bench_figure *bench_archive_case(const bench_archive *archive, json_t *record) {
    const bench_figure wanted = describe(record);
    for (size_t i = 0; i < archive->count; i++)
        if (bench_figure_same_case(&archive->figures[i], &wanted)) return &archive->figures[i];
    return NULL;
}

bool bench_archive_keeps(const bench_archive *archive, json_t *record) {
    const char *status = json_string_value(json_object_get(record, "status"));
    const bench_figure wanted = describe(record);
    const bench_figure *first = bench_archive_case(archive, record), *own = NULL;
    if (status && strcmp(status, "unsupported") == 0) return false;
    for (size_t i = 0; i < archive->count; i++) {
        const bench_figure *f = &archive->figures[i];
        if (bench_figure_same_case(f, &wanted) && same_candidate(f, &wanted) && same_run(f, &wanted)) own = f;
    }
    const char *unusual = bench_archive_unusual(archive, &wanted);
    if (!bench_condition_is_usual(wanted.condition))
        return unusual && strcmp(unusual, wanted.commit) == 0 && !bench_records_by_peak(wanted.by);
    if (own && !json_is_true(json_object_get(record, "figure"))) return false;
    if (own && unusual && strcmp(unusual, wanted.commit) == 0) return true; // it stands beside them
    if (!first || (own && bench_archive_is_newest(archive, own))) return true;
    const char *runs[] = {
        bench_archive_run(archive, first->of_case, false), bench_archive_run(archive, first->of_case, true),
        figure_draws(first->family, first->name) ? bench_archive_fullest(archive, first->of_case) : NULL};
    for (size_t i = 0; i < BASE_COUNT(runs); i++)
        if (runs[i] && strcmp(runs[i], wanted.run) == 0) return true;
    return false;
}

const bench_figure *bench_archive_best(const bench_archive *archive, size_t of_case, bool beside) {
    const char *run = bench_archive_run(archive, of_case, beside);
    const bench_figure *best = NULL;
    for (size_t i = 0; run && i < archive->count; i++) {
        const bench_figure *f = &archive->figures[i];
        if (f->of_case != of_case || strcmp(f->run, run) != 0 || !bench_figure_is_ours(f)) continue;
        if (!*f->beside == beside) continue;
        if (!best || f->seconds < best->seconds) best = f;
    }
    return best;
}

const bench_figure *bench_archive_rival(const bench_archive *archive, const bench_figure *ours) {
    const bench_figure *best = NULL;
    for (size_t i = 0; i < archive->count; i++) {
        const bench_figure *f = &archive->figures[i];
        if (f->of_case != ours->of_case || !same_run(f, ours) || !bench_figure_alike(f, ours)) continue;
        if (bench_figure_is_rival(f) && (!best || f->seconds < best->seconds)) best = f;
    }
    return best;
}

size_t bench_archive_rungs(const bench_archive *archive, size_t of_case) {
    size_t count = 0;
    for (size_t i = 0; i < archive->count; i++) {
        const bench_figure *f = &archive->figures[i];
        count += f->of_case == of_case && bench_figure_is_ours(f) && bench_archive_is_newest(archive, f);
    }
    return count;
}
