// Tables of counters in README.md and RESULTS.md of the families: between <!-- counters:begin CASE --> and <!-- counters:end --> a
// row per variant; with "FIGURE of VARIANT... at CASE..." one figure over several cases.
//
// The counts are those of the family's counters.csv, which kz gate writes and a test compares with the simulator's.
#include <stdlib.h>
#include <string.h>

#include "bench/counts.h"
#include "family/case.h"
#include "kz/family.h"
#include "pages.h"
#include "report/report.h"
#include "workload/names.h"

#define BEGIN_MARK "<!-- counters:begin "
#define MARK_END   " -->"
#define END_MARK   "<!-- counters:end -->"

enum { METRICS = 6, MOST_VARIANTS = 32, MOST_CASES = 12, SECTOR_BYTES = 32, WARP = 32 };

typedef enum shown_as { COUNT, LEAST, RATIO, EXTRA } shown_as;

typedef struct column {
    const char *title;
    shown_as shown;
    const char *metrics[METRICS], *by[METRICS];
} column;

#define LIST(...)                                                                                            \
    { __VA_ARGS__ }
#define SECTORS(of)                       "l1tex__t_sectors_pipe_lsu_mem_global_op_" of ".sum"
#define REQUESTS(of)                      "l1tex__t_requests_pipe_lsu_mem_global_op_" of ".sum"
#define IDEAL(of)                         "ptx__wavefronts_ideal_shared_" of ".sum"
#define COLUMN(title, shown, metrics, by) {title, shown, LIST metrics, LIST by},
#define FIGURE(name, text, metrics, by)
static const column columns[] = {
#include "counters.def"
};
#undef COLUMN
#undef FIGURE

enum { COLUMNS = sizeof columns / sizeof *columns };

// One figure over several cases: a table of its own.
typedef struct sweep_figure {
    const char *name, *text;
    column column;
} sweep_figure;

#define COLUMN(title, shown, metrics, by)
#define FIGURE(name, text, metrics, by) {name, text, {NULL, RATIO, LIST metrics, LIST by}},
static const sweep_figure figures[] = {
#include "counters.def"
};
#undef COLUMN
#undef FIGURE

typedef struct row {
    const char *variant;
    double figures[COLUMNS], by[COLUMNS];
} row;

typedef struct table {
    row rows[MOST_VARIANTS];
    size_t count;
    double least; // bytes
} table;

// ---- counts -------------------------------------------------------------------------------------------

// A family's counters.csv; a family that is not in the sources yet has none.
static kz_status read_counts(const kz_family *family, bench_counts *counts, kz_error *error) {
    char path[300], *text = NULL;
    size_t size;
    *counts = (bench_counts){0};
    snprintf(path, sizeof path, "kernels/%s/%s/counters.csv", family->group, family->name);
    if (!base_file_exists(path)) return KZ_OK;
    kz_status status = base_file_read(path, &text, &size, error);
    if (!status) status = bench_counts_parse(path, text, size, counts, error);
    if (!status) status = bench_counts_check_rows(path, counts, error);
    free(text);
    return status;
}

static double sum(const bench_counts_row *counted, const char *const names[METRICS]) {
    double total = 0;
    for (size_t i = 0; i < METRICS && names[i]; i++)
        for (bench_count c = 0; c < BENCH_COUNTS; c++)
            if (strcmp(bench_count_name(c), names[i]) == 0) total += (double)counted->values[c];
    return total;
}

static kz_status fail_missing(const kz_family *family, const char *name, kz_error *error) {
    base_fail(error, KZ_NOT_FOUND, "kernels/%s/%s/counters.csv has no counts at %s", family->group,
              family->name, name);
    base_fail_note(error, "kz gate --counters %s --case %s --write adds them", family->name, name);
    return KZ_NOT_FOUND;
}

// A row for each variant that does the case.
static kz_status take_counts(const kz_family *family, const bench_counts *counts, const char *name, table *t,
                             kz_error *error) {
    kz_case c;
    kz_status status = family_case_parse(family, name, &c, error);
    if (status) return status;
    t->least = family->work(&c).bytes;
    for (size_t i = 0; i < counts->count && t->count < MOST_VARIANTS; i++) {
        const bench_counts_row *from = &counts->rows[i];
        if (strcmp(from->case_name, name) != 0) continue;
        row *r = &t->rows[t->count++];
        r->variant = from->kernel;
        for (size_t k = 0; k < COLUMNS; k++) {
            r->figures[k] = sum(from, columns[k].metrics);
            r->by[k] = sum(from, columns[k].by);
        }
    }
    return t->count ? KZ_OK : fail_missing(family, name, error);
}

// ---- tables -------------------------------------------------------------------------------------------

static void add_number(base_text *out, double value) {
    char text[REPORT_NUMBER];
    if (value < 10000)
        base_text_add(out, " %.0f |", value);
    else
        base_text_add(out, " %s |", report_si(text, value, ""));
}

static void add_figure(base_text *out, const table *t, const row *r, size_t i) {
    double figure = r->figures[i], by = r->by[i];
    char text[REPORT_NUMBER];
    switch (columns[i].shown) {
    case COUNT: add_number(out, figure); return;
    case LEAST:
        base_text_add(out, t->least > 0 ? " %.2f |" : " |", (SECTOR_BYTES * figure + by) / t->least);
        return;
    case RATIO: base_text_add(out, by > 0 ? " %.1f |" : " |", figure / by); return;
    case EXTRA:
        if (figure < 10000)
            base_text_add(out, " %.0f (%.0f%%) |", figure, figure > 0 ? 100 * (figure - by) / figure : 0);
        else
            base_text_add(out, " %s (%.0f%%) |", report_si(text, figure, ""), 100 * (figure - by) / figure);
    }
}

static bool is_empty(const table *t, size_t i) {
    for (size_t k = 0; k < t->count; k++)
        if (t->rows[k].figures[i] > 0 || (columns[i].shown == LEAST && t->rows[k].by[i] > 0)) return false;
    return true;
}

static kz_status add_table(const kz_family *family, const bench_counts *counts, const char *name,
                           base_text *out, kz_error *error) {
    table t = {0};
    kz_status status = take_counts(family, counts, name, &t, error);
    if (status) return status;
    base_text_add(out, "Counted by the simulator at `%s`.\n\n| variant |", name);
    for (size_t i = 0; i < COLUMNS; i++)
        if (!is_empty(&t, i)) base_text_add(out, " %s |", columns[i].title);
    base_text_add(out, "\n|---|");
    for (size_t i = 0; i < COLUMNS; i++)
        if (!is_empty(&t, i)) base_text_add(out, "--:|");
    for (size_t k = 0; k < t.count; k++) {
        base_text_add(out, "\n| %s |", t.rows[k].variant);
        for (size_t i = 0; i < COLUMNS; i++)
            if (!is_empty(&t, i)) add_figure(out, &t, &t.rows[k], i);
    }
    base_text_add(out, "\n");
    return KZ_OK;
}

// ---- one figure over several cases ----------------------------------------------------------------------

// "FIGURE of VARIANT... at CASE...", in words.
typedef struct sweep {
    const sweep_figure *figure;
    const kz_variant *variants[MOST_VARIANTS];
    const char *cases[MOST_CASES];
    size_t variant_count, case_count;
} sweep;

static kz_status add_word(const kz_family *family, const char *word, bool is_case, sweep *s,
                          kz_error *error) {
    if (is_case && s->case_count < MOST_CASES) {
        s->cases[s->case_count++] = word;
        return KZ_OK;
    }
    const kz_variant *variant = is_case ? NULL : kz_variant_find(family, word);
    if (variant && s->variant_count < MOST_VARIANTS) {
        s->variants[s->variant_count++] = variant;
        return KZ_OK;
    }
    return base_fail(error, KZ_INVALID, "\"%s\": %s", word,
                     is_case ? "too many cases for one table" : "the family has no such variant");
}

// Cuts `text` into its words.
static kz_status read_sweep(const kz_family *family, char *text, sweep *s, kz_error *error) {
    char *rest = text, *word = strtok_r(rest, " \n", &rest);
    for (size_t i = 0; word && i < BASE_COUNT(figures); i++)
        if (strcmp(figures[i].name, word) == 0) s->figure = &figures[i];
    if (!s->figure) {
        base_fail(error, KZ_INVALID, "there is no figure \"%s\"", word ? word : "");
        base_fail_note(error, "tools/pages/counters.def has those there are");
        return KZ_INVALID;
    }
    kz_status status = KZ_OK;
    bool is_case = false;
    while (!status && (word = strtok_r(rest, " \n", &rest))) {
        if (strcmp(word, "at") == 0)
            is_case = true;
        else if (strcmp(word, "of") != 0)
            status = add_word(family, word, is_case, s, error);
    }
    if (!status && (!s->variant_count || !s->case_count))
        status = base_fail(error, KZ_INVALID,
                           "a table of one figure has variants and cases: "
                           "FIGURE of VARIANT... at CASE...");
    return status;
}

// A case that the variant does not do has an empty cell, one that no variant has counts at is an error.
static kz_status add_sweep_cell(const kz_family *family, const bench_counts *counts, const sweep *s,
                                const kz_variant *variant, const char *name, base_text *out,
                                kz_error *error) {
    kz_case c;
    bool known = false;
    kz_status status = family_case_parse(family, name, &c, error);
    if (status) return status;
    for (size_t i = 0; i < counts->count && !known; i++) known = strcmp(counts->rows[i].case_name, name) == 0;
    if (!known) return fail_missing(family, name, error);
    const bench_counts_row *counted = bench_counts_find(counts, variant->name, name);
    const column *figure = &s->figure->column;
    double by = !counted ? 0 : figure->by[0] ? sum(counted, figure->by) : (double)c.axes[0] / WARP;
    if (by > 0)
        base_text_add(out, " %.2f |", sum(counted, figure->metrics) / by);
    else
        base_text_add(out, " |");
    return KZ_OK;
}

static kz_status add_sweep(const kz_family *family, const bench_counts *counts, char *text, base_text *out,
                           kz_error *error) {
    sweep s = {0};
    kz_status status = read_sweep(family, text, &s, error);
    if (status) return status;
    base_text_add(out, "Counted by the simulator: %s.\n\n| case |", s.figure->text);
    for (size_t v = 0; v < s.variant_count; v++) base_text_add(out, " %s |", s.variants[v]->name);
    base_text_add(out, "\n|---|");
    for (size_t v = 0; v < s.variant_count; v++) base_text_add(out, "--:|");
    for (size_t i = 0; i < s.case_count && !status; i++) {
        base_text_add(out, "\n| `%s` |", s.cases[i]);
        for (size_t v = 0; v < s.variant_count && !status; v++)
            status = add_sweep_cell(family, counts, &s, s.variants[v], s.cases[i], out, error);
    }
    base_text_add(out, "\n");
    return status;
}

// ---- pages --------------------------------------------------------------------------------------------

// Writes from `*text` to the end of the next place, with a new table in it, and moves on behind it.
static kz_status renew(const kz_family *family, const bench_counts *counts, const char *path,
                       const char **text, base_text *out, kz_error *error) {
    const char *begin = strstr(*text, BEGIN_MARK), *name = begin + strlen(BEGIN_MARK);
    const char *line_end = strstr(name, MARK_END), *end = strstr(name, END_MARK);
    char asked[2000];
    if (!line_end || !end || line_end > end) {
        kz_status status = base_fail(error, KZ_INVALID, "%s has a place for counters without an end", path);
        base_fail_note(error, "it begins with %sCASE%s and ends with %s", BEGIN_MARK, MARK_END, END_MARK);
        return status;
    }
    snprintf(asked, sizeof asked, "%.*s", (int)(line_end - name), name);
    base_text_add_bytes(out, *text, (size_t)(line_end + strlen(MARK_END) - *text));
    base_text_add(out, "\n");
    kz_status status = strpbrk(asked, " \n") ? add_sweep(family, counts, asked, out, error)
                                             : add_table(family, counts, asked, out, error);
    if (status) {
        base_fail_note(error, "asked for by %s", path);
        return status;
    }
    base_text_add(out, END_MARK);
    *text = end + strlen(END_MARK);
    return KZ_OK;
}

static kz_status update_page(pages_writer *w, const kz_family *family, const bench_counts *counts,
                             const char *path, kz_error *error) {
    char *text = NULL;
    size_t size;
    kz_status status = base_file_read(path, &text, &size, error);
    if (status) {
        base_fail_note(error, "likely cause: this is not the folder of the sources");
        return status;
    }
    base_text out = {0};
    const char *at = text;
    while (!status && strstr(at, BEGIN_MARK)) status = renew(family, counts, path, &at, &out, error);
    base_text_add(&out, "%s", at);
    if (!status) status = pages_put(w, path, &out, error);
    base_text_free(&out);
    free(text);
    return status;
}

// Its README, and its RESULTS.md where it has one.
static kz_status update(pages_writer *w, const kz_family *family, kz_error *error) {
    char path[300];
    bench_counts counts;
    kz_status status = read_counts(family, &counts, error);
    snprintf(path, sizeof path, "kernels/%s/%s/README.md", family->group, family->name);
    if (!status) status = update_page(w, family, &counts, path, error);
    snprintf(path, sizeof path, "kernels/%s/%s/RESULTS.md", family->group, family->name);
    if (!status && base_file_exists(path)) status = update_page(w, family, &counts, path, error);
    bench_counts_free(&counts);
    return status;
}

static bool is_named(const kz_family *family, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], family->name) == 0) return true;
    return count == 0;
}

kz_status pages_counters(pages_writer *w, const char *const *names, size_t count, kz_error *error) {
    kz_status status = KZ_OK;
    size_t family_count;
    const kz_family *const *families = kz_family_list(&family_count);
    for (size_t i = 0; i < count && !status; i++)
        status = workload_find_family(names[i], &(const kz_family *){NULL}, error);
    for (size_t i = 0; i < family_count && !status; i++)
        if (is_named(families[i], names, count)) status = update(w, families[i], error);
    return status;
}
