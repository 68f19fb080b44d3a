// What kz gate says. See gate.h.
#include "report/gate/gate.h"

#include <string.h>

enum { CASES_SHOWN = 2, COUNTS_SHOWN = 8, VERDICT_WIDTH = 8 };

bool report_gate_passes(const report_gate *g) {
    if (g->written) return true;
    size_t other = 0;
    for (int v = BENCH_COUNTS_BETTER; v < BENCH_COUNTS_VERDICTS; v++) other += g->verdicts[v];
    return !g->other_compiler && !g->verdicts[BENCH_COUNTS_WORSE] && !(g->exact && other);
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

static void print_count(FILE *file, const report_style *style, bench_count count, uint64_t before,
                        uint64_t now) {
    char share[32] = "";
    if (before) snprintf(share, sizeof share, " (%+.2f%%)", percent(before, now));
    fprintf(file, "    %s  ", bench_count_name(count));
    report_print(file, style, now > before ? REPORT_BAD : REPORT_GOOD, "%llu -> %llu, %+lld%s",
                 (unsigned long long)before, (unsigned long long)now, (long long)(now - before), share);
    report_print(file, style, REPORT_DIM, "  %s\n", bench_count_text(count));
}

// What grew comes first.
static void print_counts(FILE *file, const report_style *style, const bench_counts_change *c) {
    size_t shown = 0, all = 0;
    for (int grown = 1; grown >= 0; grown--)
        for (bench_count k = 0; k < BENCH_COUNTS; k++) {
            uint64_t before = c->before->values[k], now = c->now->values[k];
            if (before == now || (now > before) != grown) continue;
            all++;
            if (shown == COUNTS_SHOWN) continue;
            print_count(file, style, k, before, now);
            shown++;
        }
    if (all > shown)
        report_print(file, style, REPORT_DIM, "    and %zu more counts; --json has all\n", all - shown);
}

static void print_change(FILE *file, const report_style *style, const bench_counts_change *c) {
    fprintf(file, "  ");
    report_print(file, style, tone_of(c->verdict), "%-*s", VERDICT_WIDTH,
                 bench_counts_verdict_name(c->verdict));
    fprintf(file, "%s%s%s", kernel_of(c), *case_of(c) ? "  " : "", case_of(c));
    if (c->verdict == BENCH_COUNTS_RENAMED)
        fprintf(file, "  has the counts of %s, which is gone", c->before->kernel);
    if (c->verdict == BENCH_COUNTS_NEW) fprintf(file, "  has no counts to compare with");
    if (c->verdict == BENCH_COUNTS_GONE)
        fprintf(file, "  was not counted: it is gone, or does not do this any more");
    fputc('\n', file);
    if (c->verdict == BENCH_COUNTS_WORSE || c->verdict == BENCH_COUNTS_BETTER) print_counts(file, style, c);
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
        if (all++ < CASES_SHOWN) print_change(file, style, c);
    }
    if (all > CASES_SHOWN)
        report_print(file, style, REPORT_DIM, "    and %zu more cases of %s; --json has all\n",
                     all - CASES_SHOWN, kernel_of(f));
}

static void print_changes(FILE *file, const report_style *style, const report_gate *g) {
    for (bench_counts_verdict v = BENCH_COUNTS_WORSE; v < BENCH_COUNTS_VERDICTS; v++)
        for (size_t i = 0; i < g->change_count; i++)
            if (g->changes[i].verdict == v && is_first(g, i)) print_kernel(file, style, g, i);
}

static void print_sums(FILE *file, const report_style *style, const report_gate *g) {
    report_print(file, style, REPORT_BOLD, "%s", g->subject);
    if (!g->has_file) {
        fprintf(file, "  %zu rows counted", g->now->count);
    } else {
        fprintf(file, "  %zu rows of %s:", g->change_count, g->path);
        const char *before = " ";
        for (bench_counts_verdict v = BENCH_COUNTS_SAME; v < BENCH_COUNTS_VERDICTS; v++) {
            if (!g->verdicts[v] && (v || g->change_count)) continue;
            fprintf(file, "%s%zu %s", before, g->verdicts[v], bench_counts_verdict_name(v));
            before = ", ";
        }
    }
    fputc('\n', file);
}

static void print_other_compiler(FILE *file, const report_style *style, const report_gate *g) {
    report_print(file, style, REPORT_BOLD, "%s", g->subject);
    fprintf(file, "  not compared: %s is of the PTX of nvcc %s, this is of %s\n", g->path,
            g->before->compiler[0] ? g->before->compiler : "(unknown)",
            g->now->compiler[0] ? g->now->compiler : "an unknown compiler");
    if (!g->written)
        fprintf(file,
                "  another compiler makes other PTX, so its counts differ. For counts of your own: %s "
                "--against FILE,\n"
                "  before your change; then the same with --against FILE and without --write\n",
                g->again);
}

static const bench_counts_change *first_worse(const report_gate *g) {
    for (size_t i = 0; i < g->change_count; i++)
        if (g->changes[i].verdict == BENCH_COUNTS_WORSE) return &g->changes[i];
    return NULL;
}

static void print_advice(FILE *file, const report_gate *g) {
    const bench_counts_change *worse = first_worse(g);
    size_t differ = g->change_count - g->verdicts[BENCH_COUNTS_SAME];
    if (worse && g->look)
        fprintf(file, "  which line: %s%s --case %s --annotate\n", g->look, worse->now->kernel,
                worse->now->case_name);
    if (worse)
        fprintf(file, "  meant so: %s, and say in the commit what they buy\n", g->again);
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
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:o, s:o}", "kernel", kernel_of(c), "case",
                                               case_of(c), "verdict", bench_counts_verdict_name(c->verdict),
                                               "was", renamed ? json_string(c->before->kernel) : json_null(),
                                               "counts", counts_json(c)));
    }
    return array;
}

json_t *report_gate_to_json(const report_gate *g) {
    json_t *sums = json_object();
    for (bench_counts_verdict v = 0; v < BENCH_COUNTS_VERDICTS; v++)
        json_object_set_new(sums, bench_counts_verdict_name(v), json_integer((json_int_t)g->verdicts[v]));
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:b, s:b, s:b, s:o, s:o}", "schema", 1, "gate",
                     "counters", "subject", g->subject, "file", g->path, "gpu", g->now->gpu, "compiler",
                     g->now->compiler, "file_compiler",
                     g->has_file ? json_string(g->before->compiler) : json_null(), "compared",
                     g->has_file && !g->other_compiler, "passed", report_gate_passes(g), "written",
                     g->written, "rows", sums, "changes", changes_json(g));
}
