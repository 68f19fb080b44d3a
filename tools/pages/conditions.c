// Times under unusual conditions: a row per case, a column per condition, each with the ratio to the fastest rival under
// that very condition. See archive.h.
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "bench/bench.h"
#include "bench/target.h"
#include "report/report.h"

enum { CONDITIONS = BENCH_MODES * BENCH_CACHES * BENCH_STREAMS };

// The record of our variant under a condition; NULL where there is none.
typedef struct row {
    const bench_figure *cells[CONDITIONS], *any;
} row;

static size_t index_of(bench_condition c) {
    return ((size_t)c.mode * BENCH_CACHES + (size_t)c.cache) * BENCH_STREAMS + (size_t)c.stream;
}

// The figures that a table of conditions has: the usual ones, then the others.
static const bench_figure *figure_at(const bench_archive *a, size_t i) {
    return i < a->count ? &a->figures[i] : &a->unusual[i - a->count];
}

static bool of_row(const bench_figure *f, const bench_figure *of) {
    return bench_figure_same_case(f, of) && strcmp(f->run, of->run) == 0;
}

// The fastest of our variants by its figure in that run; where the run has no figures, under any condition.
static const bench_figure *choose_variant(const bench_archive *a, const bench_figure *of) {
    const bench_figure *best = NULL;
    for (size_t i = 0; i < a->count + a->unusual_count && !(best && i >= a->count); i++) {
        const bench_figure *f = figure_at(a, i);
        if (of_row(f, of) && bench_figure_is_ours(f) && (!best || f->seconds < best->seconds)) best = f;
    }
    return best;
}

static void fill_row(const bench_archive *a, const bench_figure *of, row *r) {
    r->any = choose_variant(a, of);
    for (size_t i = 0; i < a->count + a->unusual_count; i++) {
        const bench_figure *f = figure_at(a, i);
        if (!of_row(f, of) || !bench_figure_is_ours(f) || strcmp(f->candidate, r->any->candidate) != 0)
            continue;
        const bench_figure **cell = &r->cells[index_of(f->condition)];
        if (!*cell || strcmp(f->time, (*cell)->time) > 0) *cell = f;
    }
}

// From small to large.
static int order(const void *left, const void *right) {
    const bench_figure *a = ((const row *)left)->any, *b = ((const row *)right)->any;
    int by = (a->bytes > b->bytes) - (a->bytes < b->bytes);
    if (!by) by = strcmp(a->name, b->name);
    return by ? by : strcmp(a->time, b->time);
}

// A row for each run of the case's commit; at most as many as there are records.
static size_t find_rows(const bench_archive *a, const bench_figure *head, row *rows) {
    size_t count = 0;
    for (size_t i = 0; i < a->unusual_count; i++) {
        const bench_figure *f = &a->unusual[i];
        if (strcmp(f->gpu, head->gpu) != 0 || strcmp(f->family, head->family) != 0) continue;
        if (!bench_figure_is_ours(f) || strcmp(f->commit, bench_archive_unusual(a, f)) != 0) continue;
        bool there = false;
        for (size_t k = 0; k < count; k++) there = there || of_row(rows[k].any, f);
        if (!there) fill_row(a, f, &rows[count++]);
    }
    qsort(rows, count, sizeof *rows, order);
    return count;
}

// Whom a record compares itself with, under the same condition; NULL where the archive has no figure of theirs.
static const bench_figure *find_rival(const bench_archive *a, const bench_figure *ours, const json_t *one) {
    const char *by = json_string_value(json_object_get(one, "with")),
               *name = json_string_value(json_object_get(one, "name")); // older records have none
    for (size_t i = 0; by && i < a->count + a->unusual_count; i++) {
        const bench_figure *f = figure_at(a, i);
        if (of_row(f, ours) && bench_figure_alike(f, ours) && strcmp(f->by, by) == 0 &&
            (!name || strcmp(f->candidate, name) == 0))
            return f;
    }
    return NULL;
}

// The fastest rival is the one that our time is the greatest multiple of. Bold: slower than it, beyond the noise; older
// records say so of what has not converged too. Where ours has not, its mark says it for both.
static void add_cell(const bench_archive *a, const bench_figure *f, base_text *out) {
    const json_t *hardest = NULL;
    size_t i;
    json_t *one;
    char time[REPORT_NUMBER];
    if (!f) {
        base_text_add(out, " |");
        return;
    }
    json_array_foreach(json_object_get(f->record, "compare"), i, one) {
        double ratio = json_number_value(json_object_get(one, "time_ratio"));
        if (!hardest || ratio > json_number_value(json_object_get(hardest, "time_ratio"))) hardest = one;
    }
    base_text_add(out, " %s%s", bench_figure_mark(f), report_seconds(time, f->seconds));
    if (hardest) {
        const char *verdict = json_string_value(json_object_get(hardest, "verdict"));
        const bench_figure *rival = find_rival(a, f, hardest);
        bool ours = *bench_figure_mark(f), theirs = rival && *bench_figure_mark(rival);
        const char *bold = verdict && strcmp(verdict, "slower") == 0 && !ours && !theirs ? "**" : "";
        base_text_add(out, ", %s%s%.3fx%s", theirs && !ours ? "~" : "", bold,
                      1 / json_number_value(json_object_get(hardest, "time_ratio")), bold);
    }
    if (*f->beside) base_text_add(out, " beside %s", f->beside);
    base_text_add(out, " |");
}

static void add_head(const bool shown[CONDITIONS], base_text *out) {
    base_text_add(out, "| case | variant |");
    for (size_t k = 0; k < CONDITIONS; k++) {
        const bench_condition c = {(bench_mode)(k / BENCH_STREAMS / BENCH_CACHES),
                                   (bench_cache)(k / BENCH_STREAMS % BENCH_CACHES),
                                   (bench_stream)(k % BENCH_STREAMS)};
        char name[BENCH_CONDITION_TEXT];
        if (shown[k]) base_text_add(out, " %s |", bench_condition_name(c, name));
    }
    base_text_add(out, " date | commit |\n|---|---|");
    for (size_t k = 0; k < CONDITIONS; k++)
        if (shown[k]) base_text_add(out, "--:|");
    base_text_add(out, "---|---|\n");
}

void bench_archive_add_conditions(const bench_archive *a, const bench_figure *head, base_text *out) {
    row *rows = calloc(a->unusual_count + 1, sizeof *rows);
    size_t count = rows ? find_rows(a, head, rows) : 0;
    out->failed |= !rows;
    bool shown[CONDITIONS] = {false};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < CONDITIONS; k++) shown[k] = shown[k] || rows[i].cells[k];
    if (count) {
        base_text_add(
            out,
            "\nUnder [other conditions](../../../docs/measuring.md#conditions): time, and how many times as "
            "fast that is as the fastest rival under the same condition; bold where it is slower; `~` before "
            "a "
            "ratio: the rival's time has not converged. A row is of one run.\n\n");
        add_head(shown, out);
    }
    for (size_t i = 0; i < count; i++) {
        base_text_add(out, "| %s | %s |", rows[i].any->name, rows[i].any->candidate);
        for (size_t k = 0; k < CONDITIONS; k++)
            if (shown[k]) add_cell(a, rows[i].cells[k], out);
        base_text_add(out, " %.10s | %s |\n", rows[i].any->time, rows[i].any->commit);
    }
    free(rows);
}
