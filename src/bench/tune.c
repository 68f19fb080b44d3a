// bench/tune: see tune.h.
#include "bench/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bench_tune_winner(const bench_outcome *o) {
    int winner = -1;
    double best = INFINITY;
    for (size_t i = 0; i < o->count; i++) {
        const bench_result *r = &o->results[i];
        const bench_timing *t = &r->timings[o->figure];
        if (r->candidate.provider != BENCH_ZOO || r->status != KZ_OK || !t->taken) continue;
        double seconds = t->series.summary.median;
        if (winner >= 0 && seconds > (1 - BENCH_TUNE_MARGIN) * best) continue;
        winner = (int)i;
        best = seconds;
    }
    return winner;
}

// ---- rows -------------------------------------------------------------------------------------------

static int compare_wins(const void *a, const void *b) {
    const bench_win *x = a, *y = b;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    if (x->operation != y->operation) return x->operation < y->operation ? -1 : 1;
    return x->size < y->size ? -1 : x->size > y->size;
}

// The ranges of wins of one type and operation, sorted by size; every line starts with `head`.
static void add_ranges(const char *head, const bench_win *wins, size_t count, base_text *out) {
    uint64_t from = 0;
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        if (!last && strcmp(wins[i].variant, wins[i + 1].variant) == 0) continue;
        uint64_t to = last ? 0 : (uint64_t)llround(sqrt((double)wins[i].size * (double)wins[i + 1].size));
        base_text_add(out, "%s%llu,", head, (unsigned long long)from);
        if (!last) base_text_add(out, "%llu", (unsigned long long)to);
        base_text_add(out, ",%s\n", wins[i].variant);
        from = to;
    }
}

static size_t same_group(const bench_win *wins, size_t count, bool by_operation) {
    size_t n = 1;
    while (n < count && wins[n].type == wins[0].type &&
           (!by_operation || wins[n].operation == wins[0].operation))
        n++;
    return n;
}

// Whether every type and operation among them has the same ranges.
static bool agree(const bench_win *wins, size_t count) {
    base_text first = {0};
    bool same = true;
    for (size_t i = 0, n; i < count && same; i += n) {
        base_text one = {0};
        n = same_group(wins + i, count - i, true);
        add_ranges("", wins + i, n, i == 0 ? &first : &one);
        same = i == 0 || strcmp(first.data ? first.data : "", one.data ? one.data : "") == 0;
        base_text_free(&one);
    }
    base_text_free(&first);
    return same;
}

// The rows of one type: one list where its operations agree, else a list for each and the first's for the
// rest.
static void add_type(const kz_family *family, const char *gpu, const char *type, const bench_win *wins,
                     size_t count, base_text *rows) {
    char head[200];
    size_t first = same_group(wins, count, true);
    for (size_t i = 0, n; i < count && !agree(wins, count); i += n) {
        n = same_group(wins + i, count - i, true);
        snprintf(head, sizeof head, "%s,%s,%s,", gpu, type, family->operations[wins[i].operation]);
        add_ranges(head, wins + i, n, rows);
    }
    snprintf(head, sizeof head, "%s,%s,*,", gpu, type);
    add_ranges(head, wins, first, rows);
}

void bench_tune_rows(const kz_family *family, const char *gpu, bench_win *wins, size_t count,
                     base_text *rows) {
    if (count == 0) return;
    qsort(wins, count, sizeof *wins, compare_wins);
    for (size_t i = 0, n; i < count && !agree(wins, count); i += n) {
        n = same_group(wins + i, count - i, false);
        add_type(family, gpu, kz_type_name(wins[i].type), wins + i, n, rows);
    }
    char head[64];
    snprintf(head, sizeof head, "%s,*,*,", gpu);
    add_ranges(head, wins, same_group(wins, count, true), rows);
}

// ---- the file ----------------------------------------------------------------------------------------

void bench_tune_merge(const char *before, const char *gpu, const char *rows, base_text *after) {
    size_t gpu_length = strlen(gpu);
    bool inserted = false;
    while (*before) {
        size_t length = strcspn(before, "\n");
        bool ours = strncmp(before, gpu, gpu_length) == 0 && before[gpu_length] == ',';
        bool here = ours || strncmp(before, "*,", 2) == 0; // a new GPU comes before the defaults
        if (here && !inserted) base_text_add(after, "%s", rows);
        inserted = inserted || here;
        if (!ours) {
            base_text_add_bytes(after, before, length);
            base_text_add(after, "\n");
        }
        before += length + (before[length] == '\n');
    }
    if (!inserted) base_text_add(after, "%s", rows);
}
