// What kz gate says. See gate.h.
#include "report/gate/gate.h"

#include <string.h>

#include "report/terminal/markdown.h"

enum { CASES_SHOWN = 2, COUNTS_SHOWN = 8, VERDICT_WIDTH = 8, NO_LIMIT = 1 << 20 };

bool report_gate_compares(const report_gate *g) {
    size_t alone = g->verdicts[BENCH_COUNTS_NEW] + g->verdicts[BENCH_COUNTS_GONE];
    return g->has_file && !g->other_compiler && g->change_count > alone;
}

bool report_gate_passes(const report_gate *g) {
    if (g->written) return true;
    size_t other = 0;
    for (int v = BENCH_COUNTS_BETTER; v < BENCH_COUNTS_VERDICTS; v++) other += g->verdicts[v];
    other += g->uncounted_count;
    return report_gate_compares(g) && !g->verdicts[BENCH_COUNTS_WORSE] && !(g->exact && other);
}

static const char *kernel_of(const bench_counts_change *c) {
    return c->now ? c->now->kernel : c->before->kernel;
}
static const char *case_of(const bench_counts_change *c) {
    return c->now ? c->now->case_name : c->before->case_name;
}

static double percent(uint64_t before, uint64_t now) {
    return 100 * ((double)now - (double)before) / (double)before;
}

// ---- for people -----------------------------------------------------------------------------------------------

static report_tone tone_of(bench_counts_verdict verdict) {
    return verdict == BENCH_COUNTS_WORSE    ? REPORT_BAD
           : verdict == BENCH_COUNTS_BETTER ? REPORT_GOOD
                                            : REPORT_WARN;
}

static bool has_title(const bench_counts *counts, const char *kernel, const char *title) {
    bool found = false;
    for (size_t i = 0; i < counts->count && !found; i++) {
        base_text other = {0};
        report_kernel_title(&other, counts->rows[i].kernel);
        found = strcmp(counts->rows[i].kernel, kernel) != 0 && other.data && strcmp(other.data, title) == 0;
        base_text_free(&other);
    }
    return found;
}

// A kernel's name for people; of two that read alike also the name itself.
static void print_name(FILE *file, const report_gate *g, const char *kernel) {
    base_text title = {0};
    report_kernel_title(&title, kernel);
    const char *text = title.data ? title.data : kernel;
    fprintf(file, "%s", text);
    if (has_title(g->now, kernel, text) || has_title(g->before, kernel, text)) fprintf(file, " (%s)", kernel);
    base_text_free(&title);
}

static void add_count(report_table *table, bench_count count, uint64_t before, uint64_t now) {
    report_tone tone = now > before ? REPORT_BAD : REPORT_GOOD;
    report_table_add(table, REPORT_PLAIN, "%s", "");
    report_table_add(table, REPORT_PLAIN, "%s", bench_count_text(count));
    report_table_add(table, tone, "%llu", (unsigned long long)before);
    report_table_add(table, tone, "->");
    report_table_add(table, tone, "%llu", (unsigned long long)now);
    report_table_add(table, tone, "%+lld", (long long)(now - before));
    if (before)
        report_table_add(table, tone, "%+.2f%%", percent(before, now));
    else
        report_table_add(table, tone, "%s", "");
    report_table_add(table, REPORT_DIM, "%s", bench_count_name(count));
}

// What grew comes first.
static void print_counts(FILE *file, const report_style *style, const bench_counts_change *c) {
    static const report_column columns[] = {
        {.title = "", .least = 2},    {.title = "", .shrink = REPORT_SHRINKS},
        {.title = "", .right = true}, {.title = ""},
        {.title = "", .right = true}, {.title = "", .right = true},
        {.title = "", .right = true}, {.title = "", .shrink = REPORT_SPARE}};
    size_t shown = 0, all = 0;
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    for (int grown = 1; table && grown >= 0; grown--)
        for (bench_count k = 0; k < BENCH_COUNTS; k++) {
            uint64_t before = c->before->values[k], now = c->now->values[k];
            if (before == now || (now > before) != grown) continue;
            if (all++ < COUNTS_SHOWN) add_count(table, k, before, now), shown++;
        }
    report_style whole = *style;
    if (!style->terminal) whole.width = NO_LIMIT; // a log has no edge
    if (table) report_table_print(table, file, &whole, false);
    report_table_close(table);
    if (all > shown)
        report_print(file, style, REPORT_DIM, "    and %zu more counts; --json has all\n", all - shown);
}

static void print_change(FILE *file, const report_style *style, const report_gate *g,
                         const bench_counts_change *c) {
    fprintf(file, "  ");
    report_print(file, style, tone_of(c->verdict), "%-*s", VERDICT_WIDTH,
                 bench_counts_verdict_name(c->verdict));
    print_name(file, g, kernel_of(c));
    fprintf(file, "%s%s\n", *case_of(c) ? "  " : "", case_of(c));
    if (c->verdict == BENCH_COUNTS_WORSE || c->verdict == BENCH_COUNTS_BETTER) print_counts(file, style, c);
}

// What is to be said of a kernel's rows that stand on one side only.
static void print_meaning(FILE *file, const report_gate *g, const bench_counts_change *c) {
    if (c->verdict == BENCH_COUNTS_RENAMED) {
        fprintf(file, "    has the counts of ");
        print_name(file, g, c->before->kernel);
        fprintf(file, ", which is gone\n");
    }
    if (c->verdict == BENCH_COUNTS_NEW) fprintf(file, "    has no counts to compare with\n");
    if (c->verdict == BENCH_COUNTS_GONE)
        fprintf(file, "    was not counted: it is gone, or does not do this any more\n");
}

// Whether an earlier change of this verdict is of the same kernel.
static bool is_first(const report_gate *g, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (g->changes[i].verdict == g->changes[at].verdict &&
            strcmp(kernel_of(&g->changes[i]), kernel_of(&g->changes[at])) == 0)
            return false;
    return true;
}

// The changes of one kernel with one verdict, from its first on: a few of them, for a change of its code shows in most cases.
static void print_kernel(FILE *file, const report_style *style, const report_gate *g, size_t first) {
    size_t all = 0;
    const bench_counts_change *f = &g->changes[first];
    for (size_t i = first; i < g->change_count; i++) {
        const bench_counts_change *c = &g->changes[i];
        if (c->verdict != f->verdict || strcmp(kernel_of(c), kernel_of(f)) != 0) continue;
        if (all++ < CASES_SHOWN) print_change(file, style, g, c);
    }
    if (all > CASES_SHOWN)
        report_print(file, style, REPORT_DIM, "    and %zu more case%s of %s; --json has all\n",
                     all - CASES_SHOWN, all - CASES_SHOWN == 1 ? "" : "s", kernel_of(f));
    print_meaning(file, g, f);
}

static void print_changes(FILE *file, const report_style *style, const report_gate *g) {
    for (bench_counts_verdict v = BENCH_COUNTS_WORSE; v < BENCH_COUNTS_VERDICTS; v++)
        for (size_t i = 0; i < g->change_count; i++)
            if (g->changes[i].verdict == v && is_first(g, i)) print_kernel(file, style, g, i);
}

static void print_uncounted(FILE *file, const report_style *style, const report_gate *g) {
    for (size_t i = 0; i < g->uncounted_count; i++) {
        report_print(file, style, REPORT_WARN, "  %-*s", VERDICT_WIDTH, "no row");
        fprintf(file,
                "%s\n    does none of the file's cases, so nothing counts it: add one that it does\n"
                "    (--case NAME --write)\n",
                g->uncounted[i]->name);
    }
}

// A line that wraps where there is somebody to read it, and stays whole in a log.
static void print_line(FILE *file, const report_style *style, const report_gate *g, const char *text) {
    report_print(file, style, REPORT_BOLD, "%s", g->subject);
    fprintf(file, "  ");
    if (style->terminal)
        report_wrap(file, style, text, (int)report_width(g->subject) + 2, 2);
    else
        fprintf(file, "%s\n", text);
}

static void print_sums(FILE *file, const report_style *style, const report_gate *g) {
    base_text text = {0};
    size_t rows = g->has_file ? g->change_count : g->now->count;
    base_text_add(&text, "%zu row%s ", rows, rows == 1 ? "" : "s");
    if (!g->has_file) {
        base_text_add(&text, "counted");
    } else {
        base_text_add(&text, "of %s:", g->path);
        const char *before = " ";
        for (bench_counts_verdict v = BENCH_COUNTS_SAME; v < BENCH_COUNTS_VERDICTS; v++) {
            if (!g->verdicts[v] && (v || g->change_count)) continue;
            base_text_add(&text, "%s%zu %s", before, g->verdicts[v], bench_counts_verdict_name(v));
            before = ", ";
        }
    }
    print_line(file, style, g, text.data ? text.data : "");
    base_text_free(&text);
}

static void print_other_compiler(FILE *file, const report_style *style, const report_gate *g) {
    base_text text = {0};
    base_text_add(&text, "not compared: %s is of the PTX of nvcc %s, this is of %s", g->path,
                  g->before->compiler[0] ? g->before->compiler : "(unknown)",
                  g->now->compiler[0] ? g->now->compiler : "an unknown compiler");
    print_line(file, style, g, text.data ? text.data : "");
    base_text_free(&text);
    if (!g->written)
        fprintf(file,
                "  Another compiler makes other PTX, so its counts differ. For counts of your own,\n"
                "  before your change: %s\n  and after it the same without --write\n",
                g->elsewhere);
}

static void print_advice(FILE *file, const report_gate *g) {
    size_t differ = g->change_count - g->verdicts[BENCH_COUNTS_SAME];
    bool worse = g->verdicts[BENCH_COUNTS_WORSE] > 0;
    if (worse && g->look) fprintf(file, "  which line: %s\n", g->look);
    if (worse)
        fprintf(file, "  meant so: %s\n", g->again);
    else if (differ && g->verdicts[BENCH_COUNTS_BETTER])
        fprintf(file, "  fewer than the file says: %s keeps them so\n", g->again);
    else if (differ)
        fprintf(file, "  to keep these counts: %s\n", g->again);
}

void report_gate_print(FILE *file, const report_style *style, const report_gate *g) {
    if (g->other_compiler)
        print_other_compiler(file, style, g);
    else
        print_sums(file, style, g);
    if (g->has_file) print_changes(file, style, g);
    print_uncounted(file, style, g);
    if (!g->written && !g->other_compiler && !report_gate_compares(g))
        report_print(file, style, REPORT_WARN, "  nothing was compared: the file has none of these rows\n");
    if (g->written)
        fprintf(file, "  written: %s\n", g->path);
    else
        print_advice(file, g);
}

// ---- for programs -----------------------------------------------------------------------------------------------

static json_t *counts_json(const bench_counts_change *c) {
    json_t *array = json_array();
    for (bench_count k = 0; k < BENCH_COUNTS && c->before && c->now; k++) {
        uint64_t before = c->before->values[k], now = c->now->values[k];
        if (before == now) continue;
        json_array_append_new(array, json_pack("{s:s, s:I, s:I, s:o}", "count", bench_count_name(k), "before",
                                               (json_int_t)before, "now", (json_int_t)now, "percent",
                                               before ? json_real(percent(before, now)) : json_null()));
    }
    return array;
}

static json_t *changes_json(const report_gate *g) {
    json_t *array = json_array();
    for (size_t i = 0; i < g->change_count; i++) {
        const bench_counts_change *c = &g->changes[i];
        if (c->verdict == BENCH_COUNTS_SAME) continue;
        bool renamed = c->verdict == BENCH_COUNTS_RENAMED;
        base_text title = {0};
        report_kernel_title(&title, kernel_of(c));
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "kernel", kernel_of(c),
                                               "title", title.data ? title.data : "", "case", case_of(c),
                                               "verdict", bench_counts_verdict_name(c->verdict), "was",
                                               renamed ? json_string(c->before->kernel) : json_null(),
                                               "counts", counts_json(c)));
        base_text_free(&title);
    }
    return array;
}

static json_t *uncounted_json(const report_gate *g) {
    json_t *array = json_array();
    for (size_t i = 0; i < g->uncounted_count; i++)
        json_array_append_new(array, json_string(g->uncounted[i]->name));
    return array;
}

json_t *report_gate_to_json(const report_gate *g) {
    json_t *sums = json_object();
    for (bench_counts_verdict v = 0; v < BENCH_COUNTS_VERDICTS; v++)
        json_object_set_new(sums, bench_counts_verdict_name(v), json_integer((json_int_t)g->verdicts[v]));
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:b, s:b, s:b, s:o, s:o, s:o}", "schema", 1, "gate",
                     "counters", "subject", g->subject, "file", g->path, "gpu", g->now->gpu, "compiler",
                     g->now->compiler, "file_compiler",
                     g->has_file ? json_string(g->before->compiler) : json_null(), "compared",
                     report_gate_compares(g), "passed", report_gate_passes(g), "written", g->written, "rows",
                     sums, "uncounted", uncounted_json(g), "changes", changes_json(g));
}
