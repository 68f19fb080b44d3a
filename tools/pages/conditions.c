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

// The fastest of our variants by its figure in that run; where the run has no figures, under any condition.
static const bench_figure *choose_variant(const bench_archive *a, const bench_figure *of_case,
                                          const char *commit) {
    const bench_figure *best = NULL;
    for (int pass = 0; pass < 2 && !best; pass++) {
        size_t count = pass ? a->unusual_count : a->count;
        for (size_t i = 0; i < count; i++) {
            const bench_figure *f = pass ? &a->unusual[i] : &a->figures[i];
            if (!bench_figure_same_case(f, of_case) || !bench_figure_is_ours(f) ||
                strcmp(f->commit, commit) != 0)
                continue;
            if (!best || f->seconds < best->seconds) best = f;
        }
    }
    return best;
}

static void fill_row(const bench_archive *a, const bench_figure *of_case, row *r) {
    const char *commit = bench_archive_unusual(a, of_case);
    const bench_figure *chosen = choose_variant(a, of_case, commit);
    for (int pass = 0; pass < 2; pass++) {
        size_t count = pass ? a->unusual_count : a->count;
        for (size_t i = 0; i < count; i++) {
            const bench_figure *f = pass ? &a->unusual[i] : &a->figures[i];
            if (!bench_figure_same_case(f, of_case) || !bench_figure_is_ours(f)) continue;
            if (strcmp(f->commit, commit) != 0 || strcmp(f->candidate, chosen->candidate) != 0) continue;
            const bench_figure **cell = &r->cells[index_of(f->condition)];
            if (!*cell || strcmp(f->time, (*cell)->time) > 0) *cell = f;
        }
    }
    r->any = chosen;
}

// From small to large.
static int order(const void *left, const void *right) {
    const bench_figure *a = ((const row *)left)->any, *b = ((const row *)right)->any;
    int by = (a->bytes > b->bytes) - (a->bytes < b->bytes);
    return by ? by : strcmp(a->name, b->name);
}

// At most as many as there are records.
static size_t find_rows(const bench_archive *a, const bench_figure *head, row *rows) {
    size_t count = 0;
    for (size_t i = 0; i < a->unusual_count; i++) {
        const bench_figure *f = &a->unusual[i];
        bool there = strcmp(f->gpu, head->gpu) != 0 || strcmp(f->family, head->family) != 0 ||
                     !bench_figure_is_ours(f);
        for (size_t k = 0; k < count; k++) there = there || bench_figure_same_case(rows[k].any, f);
        if (there) continue;
        fill_row(a, f, &rows[count++]);
    }
    qsort(rows, count, sizeof *rows, order);
    return count;
}

// The fastest rival is the one that our time is the greatest multiple of. Bold: slower than it, beyond the noise.
static void add_cell(const bench_figure *f, base_text *out) {
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
    base_text_add(out, " %s", report_seconds(time, f->seconds));
    if (hardest) {
        const char *verdict = json_string_value(json_object_get(hardest, "verdict"));
        const char *bold = verdict && strcmp(verdict, "slower") == 0 ? "**" : "";
        base_text_add(out, ", %s%.3fx%s", bold, 1 / json_number_value(json_object_get(hardest, "time_ratio")),
                      bold);
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
            "fast that is as the fastest rival under the same condition; bold where it is slower.\n\n");
        add_head(shown, out);
    }
    for (size_t i = 0; i < count; i++) {
        base_text_add(out, "| %s | %s |", rows[i].any->name, rows[i].any->candidate);
        for (size_t k = 0; k < CONDITIONS; k++)
            if (shown[k]) add_cell(rows[i].cells[k], out);
        base_text_add(out, " %.10s | %s |\n", rows[i].any->time, rows[i].any->commit);
    }
    free(rows);
}
