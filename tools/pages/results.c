// Tables of what was measured: each family's RESULTS.md, a ladder in its README, and the READMEs of results/.
//
// A row that compares comes from one run (bench_archive_run): its best variant, its rival, the ratio that was
// measured beside each other, judged by the targets of today. A ladder has each variant's newest figure, with
// the commit in its row. Every table names its GPU.
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "bench/bench.h"
#include "bench/records.h"
#include "bench/target.h"
#include "family/case.h"
#include "figures.h"
#include "kz/family.h"
#include "pages.h"
#include "report/bench/metrics.h"

// In a README: one ladder for each GPU.
#define LADDER_BEGIN "<!-- ladder:begin -->"
#define LADDER_END   "<!-- ladder:end -->"
// In a RESULTS.md: the best and its rival at each case, and the ladder with dates.
#define BEGIN_MARK "<!-- results:begin -->"
#define END_MARK   "<!-- results:end -->"
// Where a RESULTS.md has these too: all variants at all cases, a table for each operation.
#define LADDERS_BEGIN "<!-- ladders:begin -->"
#define LADDERS_END   "<!-- ladders:end -->"

typedef struct results {
    bench_archive archive;
    const bench_figure **sorted; // by case, ours first; see order
    bool *has_ladder;            // by of_case: whether a RESULTS.md shows the case's ladder
    pages_writer *writer;
} results;

// ---- order -----------------------------------------------------------------------------------------------

static int kind_of(const bench_figure *f) {
    return bench_figure_is_ours(f) ? 0 : bench_figure_is_rival(f) ? 1 : 2;
}

// GPU, family, operation, type, from small to large; in a case our ladder, rivals, the peaks.
static int order(const void *left, const void *right) {
    const bench_figure *a = *(const bench_figure *const *)left, *b = *(const bench_figure *const *)right;
    int by = strcmp(a->gpu, b->gpu);
    if (!by) by = strcmp(a->family, b->family);
    if (!by && a->of_case != b->of_case) {
        const char *inner[] = {"operation", "type"};
        for (size_t i = 0; !by && i < 2; i++)
            by = strcmp(bench_figure_text(a, "case", inner[i]), bench_figure_text(b, "case", inner[i]));
        if (!by) by = (a->bytes > b->bytes) - (a->bytes < b->bytes);
        return by ? by : strcmp(a->name, b->name);
    }
    if (!by) by = kind_of(a) - kind_of(b);
    if (!by) by = strcmp(a->candidate, b->candidate);
    return by ? by : strcmp(a->time, b->time);
}

static kz_status sort_figures(results *r, kz_error *error) {
    size_t count = r->archive.count;
    r->sorted = malloc((count + 1) * sizeof *r->sorted);
    if (!r->sorted) return base_fail(error, KZ_NO_MEMORY, "no memory for the records");
    for (size_t i = 0; i < count; i++) r->sorted[i] = &r->archive.figures[i];
    if (count) qsort(r->sorted, count, sizeof *r->sorted, order);
    return KZ_OK;
}

static bool same_table(const bench_figure *a, const bench_figure *b) {
    return strcmp(a->gpu, b->gpu) == 0 && strcmp(a->family, b->family) == 0;
}

static bool first_of_table(const results *r, size_t index) {
    return index == 0 || !same_table(r->sorted[index - 1], r->sorted[index]);
}

// ---- cells -----------------------------------------------------------------------------------------------

// As its record says; records from before suites were files have it in their command alone.
static void add_tail(base_text *out, const bench_figure *f) {
    const char *suite = bench_figure_text(f, "suite", "name"),
               *asked = strstr(bench_figure_text(f, "run", "command"), "--suite ");
    size_t length = strlen(suite);
    if (!length && asked) suite = asked + strlen("--suite "), length = strcspn(suite, " ");
    base_text_add(out, " %.10s | %s | %.*s |\n", f->time, f->commit, (int)length, suite);
}

static const char *share(char text[32], double value) {
    if (isnan(value)) return "";
    snprintf(text, 32, "%.1f%%", 100 * value);
    return text;
}

// How the record itself compares with the rival's candidate of that name, from samples taken beside each other; without a
// name, with its fastest. NULL where it does not.
static json_t *comparison(const bench_figure *ours, const char *rival, const char *candidate) {
    size_t i;
    json_t *one, *found = NULL;
    double most = 0;
    json_array_foreach(json_object_get(ours->record, "compare"), i, one) {
        const char *with = json_string_value(json_object_get(one, "with")),
                   *name = json_string_value(json_object_get(one, "name"));
        double ratio = json_number_value(json_object_get(one, "time_ratio"));
        if (!with || strcmp(with, rival) != 0 || ratio <= most) continue;
        if (candidate && name && strcmp(name, candidate) != 0) continue;
        found = one, most = ratio;
    }
    return found;
}

static void add_ratio(base_text *out, const bench_figure *ours, const bench_figure *rival) {
    json_t *one = rival ? comparison(ours, rival->by, rival->candidate) : NULL;
    if (one)
        base_text_add(out, " %.3fx [%.3f, %.3f]", 1 / json_number_value(json_object_get(one, "time_ratio")),
                      1 / json_number_value(json_object_get(one, "high")),
                      1 / json_number_value(json_object_get(one, "low")));
    base_text_add(out, " |");
}

static double value_of(const bench_target *target, const void *context) {
    const bench_figure *f = context;
    if (strcmp(target->metric, "speedup") != 0) return bench_figure_number(f, "derived", target->metric);
    if (!bench_target_counts_beside(target, f->beside)) return NAN;
    json_t *ratio = json_object_get(comparison(f, target->rival, NULL), "time_ratio");
    return json_is_number(ratio) ? 1 / json_number_value(ratio) : (double)NAN;
}

static void add_target(base_text *out, const bench_figure *f, const kz_family *family,
                       const bench_targets *targets) {
    kz_case c;
    bench_target_verdict verdict = {0};
    if (family_case_parse(family, f->name, &c, NULL) == KZ_OK)
        verdict = bench_targets_hardest(targets, f->gpu, family, &c, value_of, f);
    if (!verdict.target || isnan(verdict.value)) {
        base_text_add(out, " |");
        return;
    }
    const char *metric = verdict.target->metric, *rival = verdict.target->rival;
    char goal[REPORT_NUMBER];
    if (strstr(metric, "_per_s"))
        report_si(goal, verdict.target->goal, metric[0] == 'b' ? "B/s" : "FLOP/s");
    else
        snprintf(goal, sizeof goal, "%.2f %s", verdict.target->goal, metric);
    base_text_add(out, " %s: %s%s%s |", verdict.met ? "met" : "missed", goal, rival[0] ? ", " : "", rival);
}

// What a case does in a second: bytes, or flops where those are the measure (see bench_work_computes).
static bool computes(const bench_figure *f) {
    const kz_work work = {.bytes = bench_figure_number(f, "derived", "bytes_per_s"),
                          .flops = bench_figure_number(f, "derived", "flops_per_s")};
    return bench_work_computes(&work);
}
static const char *rate_of(char text[REPORT_NUMBER], const bench_figure *f) {
    if (computes(f)) return report_si(text, bench_figure_number(f, "derived", "flops_per_s"), "FLOP/s");
    return report_si(text, bench_figure_number(f, "derived", "bytes_per_s"), "B/s");
}

// What the rate is a share of: a copy, or what the cores compute, which not all records know.
static const char *share_key(const bench_figure *first) { return computes(first) ? "of_compute" : "of_copy"; }
static const char *share_title(const bench_figure *first) { return computes(first) ? "of cores" : "of copy"; }

// The greatest error against the reference in double, of all checks; "" where the record has none.
static const char *error_of(char text[REPORT_NUMBER], const bench_figure *f) {
    double worst = NAN;
    const char *when;
    json_t *check;
    json_object_foreach(json_object_get(f->record, "check"), when, check) {
        json_t *error = json_object_get(check, "worst_error");
        if (json_is_number(error))
            worst = fmax(worst, json_number_value(error)); // the number, where one is NAN
    }
    return isnan(worst) ? "" : report_error(text, worst);
}

// Where records of its device lie below results/.
static const char *folder_of(const bench_figure *f) { return f->gpu[0] ? f->gpu : "cpu"; }

// ---- tables ----------------------------------------------------------------------------------------------

// One row per case: our best beside the rival's.
static kz_status add_summary(const results *r, size_t first, const kz_family *family, base_text *out,
                             kz_error *error) {
    bench_targets targets;
    const bench_figure *head = r->sorted[first];
    kz_status status = bench_targets_of(family->name, &targets, error);
    if (status) return status;
    base_text_add(
        out,
        "| case | best | mode | time | error | %s | %s | rival | its time | its error | faster than it | "
        "target | date | commit | suite |\n|---|---|---|--:|--:|--:|--:|---|--:|--:|--:|---|---|---|---|\n",
        computes(head) ? "computes" : "moves", share_title(head));
    for (size_t i = first; i < r->archive.count && same_table(r->sorted[i], head); i++) {
        const bench_figure *f = r->sorted[i];
        if (!bench_figure_is_ours(f)) continue;
        if (f != bench_archive_best(&r->archive, f->of_case, *f->beside))
            continue; // once, and once beside others
        const bench_figure *rival = bench_archive_rival(&r->archive, f);
        char time[REPORT_NUMBER], error_text[REPORT_NUMBER], rate[REPORT_NUMBER], of[32];
        char mode[BENCH_FIGURE_MODE];
        base_text_add(out, "| %s | %s | %s | %s%s | %s | %s | %s | %s |", f->name, f->candidate,
                      bench_figure_mode(f, mode), bench_figure_mark(f), report_seconds(time, f->seconds),
                      error_of(error_text, f), rate_of(rate, f),
                      share(of, bench_figure_number(f, "derived", share_key(head))), rival ? rival->by : "");
        base_text_add(out, " %s%s | %s |", rival ? bench_figure_mark(rival) : "",
                      rival ? report_seconds(time, rival->seconds) : "",
                      rival ? error_of(error_text, rival) : "");
        add_ratio(out, f, rival);
        add_target(out, f, family, &targets);
        add_tail(out, f);
    }
    return KZ_OK;
}

// The case whose ladder is shown: where most of it was climbed; of such cases, the largest. NULL where none has two
// rungs.
static const bench_figure *choose_ladder(const results *r, size_t first) {
    const bench_figure *chosen = NULL;
    size_t rungs = 1, count = r->archive.count;
    for (size_t i = first; i < count && same_table(r->sorted[i], r->sorted[first]); i++) {
        const bench_figure *f = r->sorted[i];
        if (chosen && f->of_case == chosen->of_case) continue;
        size_t here = bench_archive_rungs(&r->archive, f->of_case);
        if (here < 2 || here < rungs || (here == rungs && chosen && f->bytes <= chosen->bytes)) continue;
        chosen = f;
        rungs = here;
    }
    return chosen;
}

// Whether it stands in the ladder: the newest of its candidate. A short one has no peaks, for a column has the share of them.
static bool is_rung(const results *r, const bench_figure *f, const bench_figure *chosen, bool dated) {
    return f->of_case == chosen->of_case && bench_archive_is_newest(&r->archive, f) &&
           (dated || bench_figure_is_ours(f) || bench_figure_is_rival(f));
}

// What the rungs of a short ladder have in common. Days differ by 1 or 2%, and so do machines: those of several runs are not
// to be compared to the last digit.
typedef struct ladder_facts {
    const bench_figure *alike; // one of them, where all were taken alike; else NULL
    bool one_run, marked;      // marked: one of them has not converged
} ladder_facts;

static ladder_facts facts_of(const results *r, const bench_figure *chosen) {
    ladder_facts facts = {.one_run = true};
    const bench_figure *first = NULL;
    for (size_t i = 0; i < r->archive.count; i++) {
        const bench_figure *f = r->sorted[i];
        if (!is_rung(r, f, chosen, false)) continue;
        if (!first) facts.alike = first = f;
        if (!bench_figure_alike(first, f)) facts.alike = NULL;
        facts.one_run = facts.one_run && strcmp(first->run, f->run) == 0;
        facts.marked = facts.marked || *bench_figure_mark(f);
    }
    return facts;
}

// Each has its mode beside it, unless the short ladder's title says it for all, and its date, unless all are of one run.
static void add_ladder(const results *r, const bench_figure *chosen, bool dated, base_text *out) {
    const ladder_facts facts = facts_of(r, chosen);
    bool modes = dated || !facts.alike, days = !dated && !facts.one_run;
    base_text_add(out, "| variant |%s time | %s | %s |%s%s\n|---|%s--:|--:|--:|%s%s\n",
                  modes ? " mode |" : "", computes(chosen) ? "computes" : "moves", share_title(chosen),
                  dated ? " date | commit | suite |" : "", days ? " date |" : "", modes ? "---|" : "",
                  dated ? "---|---|---|" : "", days ? "---|" : "");
    for (size_t i = 0; i < r->archive.count; i++) {
        const bench_figure *f = r->sorted[i];
        if (!is_rung(r, f, chosen, dated)) continue;
        bool ours = bench_figure_is_ours(f);
        char time[REPORT_NUMBER], rate[REPORT_NUMBER], of[32], mode[BENCH_FIGURE_MODE];
        base_text_add(out, "| %s%s%s |", ours ? "" : f->by, ours ? "" : ": ", f->candidate);
        if (modes) base_text_add(out, " %s |", bench_figure_mode(f, mode));
        base_text_add(out, " %s%s | %s | %s |", bench_figure_mark(f), report_seconds(time, f->seconds),
                      rate_of(rate, f), share(of, bench_figure_number(f, "derived", share_key(chosen))));
        if (days) base_text_add(out, " %.10s |", f->time);
        if (dated)
            add_tail(out, f);
        else
            base_text_add(out, "\n");
    }
}

// The operation is what a case's name begins with.
static bool of_operation(const bench_figure *f, const char *operation) {
    size_t length = strlen(operation);
    return strncmp(f->name, operation, length) == 0 && f->name[length] == '-';
}

// The variant's newest figure at the case; NULL where it has none.
static const bench_figure *figure_of(const results *r, size_t of_case, const char *variant) {
    for (size_t i = 0; i < r->archive.count; i++) {
        const bench_figure *f = &r->archive.figures[i];
        if (f->of_case == of_case && bench_figure_is_ours(f) && strcmp(f->candidate, variant) == 0 &&
            bench_archive_is_newest(&r->archive, f))
            return f;
    }
    return NULL;
}

static bool has_figures(const results *r, const bench_figure *head, const char *operation,
                        const char *variant) {
    for (size_t i = 0; i < r->archive.count; i++) {
        const bench_figure *f = &r->archive.figures[i];
        if (same_table(f, head) && bench_figure_is_ours(f) && of_operation(f, operation) &&
            strcmp(f->candidate, variant) == 0)
            return true;
    }
    return false;
}

enum { COLUMNS = 64 };

// What each of the family's variants does in a second in this case, the best in bold. One that was taken in another mode
// than the case's best says so, and is not compared.
static void add_operation_row(const results *r, const kz_family *family, const bench_figure *f,
                              const bool shown[COLUMNS], base_text *out) {
    const bench_figure *figures[COLUMNS] = {0}, *best = NULL;
    for (size_t v = 0; v < COLUMNS; v++) {
        if (shown[v]) figures[v] = figure_of(r, f->of_case, family->variants[v].name);
        if (figures[v] && bench_figure_alike(figures[v], f) && (!best || figures[v]->seconds < best->seconds))
            best = figures[v];
    }
    for (size_t v = 0; v < COLUMNS; v++) {
        char rate[REPORT_NUMBER], mode[BENCH_FIGURE_MODE];
        const char *bold = figures[v] == best ? "**" : "";
        if (figures[v])
            base_text_add(out, " %s%s%s%s", bold, bench_figure_mark(figures[v]), rate_of(rate, figures[v]),
                          bold);
        if (figures[v] && !bench_figure_alike(figures[v], f))
            base_text_add(out, " (%s)", bench_figure_mode(figures[v], mode));
        if (shown[v]) base_text_add(out, " |");
    }
    base_text_add(out, "\n");
}

// What stands for the case: its best variant, of runs beside other processes only where there are no others.
static const bench_figure *row_of(const results *r, size_t of_case) {
    const bench_figure *alone = bench_archive_best(&r->archive, of_case, false);
    return alone ? alone : bench_archive_best(&r->archive, of_case, true);
}

// A row per case, a column per variant of the operation.
static void add_operation(const results *r, size_t first, const kz_family *family, const char *operation,
                          base_text *out) {
    bool shown[COLUMNS] = {0}, any = false;
    const bench_figure *head = r->sorted[first];
    for (size_t v = 0; v < family->variant_count && v < COLUMNS; v++)
        any |= shown[v] = has_figures(r, head, operation, family->variants[v].name);
    if (!any) return;
    base_text_add(out, "\n| %s: case |", operation);
    for (size_t v = 0; v < COLUMNS; v++)
        if (shown[v]) base_text_add(out, " %s |", family->variants[v].name);
    base_text_add(out, "\n|---|");
    for (size_t v = 0; v < COLUMNS; v++)
        if (shown[v]) base_text_add(out, "--:|");
    base_text_add(out, "\n");
    for (size_t i = first; i < r->archive.count && same_table(r->sorted[i], head); i++) {
        const bench_figure *f = r->sorted[i];
        if (!bench_figure_is_ours(f) || !of_operation(f, operation)) continue;
        if (f != row_of(r, f->of_case)) continue;
        base_text_add(out, "| %s |", f->name + strlen(operation) + 1);
        add_operation_row(r, family, f, shown, out);
    }
}

static kz_status make_section(const results *r, const kz_family *family, base_text *out, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < r->archive.count && !status; i++) {
        const bench_figure *f = r->sorted[i];
        if (strcmp(f->family, family->name) != 0 || !first_of_table(r, i)) continue;
        const char *driver = bench_figure_text(f, "environment", "driver");
        base_text_add(
            out,
            "%s**%s**%s%s. Medians with cold caches, in a later stream: of one run (mode "
            "latency), and below "
            "50 us of a graph of runs (throughput); `~`: not converged. Checked before and after; a "
            "row is of one run and one mode, and of the code at its commit: kernels may have "
            "changed since. The records are in `results/%s/`.\n\n",
            out->length ? "\n" : "", f->device, driver[0] ? ", driver " : "", driver, folder_of(f));
        status = add_summary(r, i, family, out, error);
        const bench_figure *ladder = choose_ladder(r, i);
        if (!status) bench_archive_add_conditions(&r->archive, f, out);
        if (status || !ladder) continue;
        base_text_add(out, "\nThe ladder at `%s`:\n\n", ladder->name);
        add_ladder(r, ladder, true, out);
    }
    return status;
}

// What the README shows: a ladder for each GPU; the rest is in RESULTS.md.
static void make_ladder(const results *r, const kz_family *family, base_text *out) {
    for (size_t i = 0; i < r->archive.count; i++) {
        const bench_figure *f = r->sorted[i];
        if (strcmp(f->family, family->name) != 0 || !first_of_table(r, i)) continue;
        const bench_figure *ladder = choose_ladder(r, i);
        if (!ladder) continue;
        const ladder_facts facts = facts_of(r, ladder);
        const bench_figure *common = facts.alike;
        bool beside = common && *common->beside;
        base_text_add(out, "**%s**, `%s`, %s%s%s, cold%s:\n\n", f->device, ladder->name,
                      !common ? "latency of one run, throughput of a graph"
                      : common->condition.mode == BENCH_THROUGHPUT ? "a graph of runs"
                                                                   : "one run",
                      beside ? " beside " : "", beside ? common->beside : "",
                      facts.marked ? "; `~`: not converged" : "");
        add_ladder(r, ladder, false, out);
        base_text_add(out, "\n");
    }
    base_text_add(out, "All cases, rivals, dates and commits: [RESULTS.md](RESULTS.md).\n");
}

static void make_ladders(const results *r, const kz_family *family, base_text *out) {
    for (size_t i = 0; i < r->archive.count; i++) {
        const bench_figure *f = r->sorted[i];
        if (strcmp(f->family, family->name) != 0 || !first_of_table(r, i)) continue;
        base_text_add(out, "%s**%s**, what each variant does in a second:\n", out->length ? "\n" : "",
                      f->device);
        for (size_t o = 0; family->operations[o]; o++)
            add_operation(r, i, family, family->operations[o], out);
    }
}

// ---- files -----------------------------------------------------------------------------------------

// Puts the section between the marks of the page. A page that lacks them is an error, if they are `needed`.
static kz_status replace_section(base_text *page, const char *path, const char *begin, const char *end,
                                 const base_text *section, bool needed, kz_error *error) {
    base_text whole = {0};
    kz_status status = pages_replace(path, page->data, begin, end, section, &whole, needed ? error : NULL);
    if (status) {
        base_text_free(&whole);
        return needed ? status : KZ_OK;
    }
    base_text_free(page);
    *page = whole;
    return KZ_OK;
}

// The page as it is; where there is none, `otherwise`.
static kz_status read_page(const char *path, const char *otherwise, base_text *page, kz_error *error) {
    char *text = NULL;
    size_t size;
    if (otherwise && !base_file_exists(path)) {
        base_text_add(page, "%s", otherwise);
        return KZ_OK;
    }
    kz_status status = base_file_read(path, &text, &size, error);
    if (!status) base_text_add(page, "%s", text);
    free(text);
    return status;
}

static kz_status update_readme(results *r, const kz_family *family, kz_error *error) {
    char path[300];
    base_text page = {0}, ladder = {0};
    snprintf(path, sizeof path, "kernels/%s/%s/README.md", family->group, family->name);
    make_ladder(r, family, &ladder);
    kz_status status = read_page(path, NULL, &page, error);
    if (!status) status = replace_section(&page, path, LADDER_BEGIN, LADDER_END, &ladder, true, error);
    if (!status) status = pages_put(r->writer, path, &page, error);
    base_text_free(&ladder);
    base_text_free(&page);
    return status;
}

static kz_status update_results(results *r, const kz_family *family, const base_text *section,
                                kz_error *error) {
    char path[300], fresh[300];
    base_text page = {0}, ladders = {0};
    snprintf(path, sizeof path, "kernels/%s/%s/RESULTS.md", family->group, family->name);
    snprintf(fresh, sizeof fresh, "# %s: results\n\n[README.md](README.md) says what they mean.\n\n%s\n%s\n",
             family->name, BEGIN_MARK, END_MARK);
    make_ladders(r, family, &ladders);
    kz_status status = read_page(path, fresh, &page, error);
    if (!status) status = replace_section(&page, path, BEGIN_MARK, END_MARK, section, true, error);
    if (!status) status = replace_section(&page, path, LADDERS_BEGIN, LADDERS_END, &ladders, false, error);
    if (!status) status = pages_put(r->writer, path, &page, error);
    base_text_free(&ladders);
    base_text_free(&page);
    return status;
}

static kz_status update_family(results *r, const kz_family *family, kz_error *error) {
    base_text section = {0};
    kz_status status = make_section(r, family, &section, error);
    if (!status && section.length) {
        status = update_results(r, family, &section, error);
        if (!status) status = update_readme(r, family, error);
    }
    base_text_free(&section);
    return status;
}

static kz_status mark_ladders(results *r, kz_error *error) {
    r->has_ladder = calloc(r->archive.count + 1, sizeof *r->has_ladder);
    if (!r->has_ladder) return base_fail(error, KZ_NO_MEMORY, "no memory for the records");
    for (size_t i = 0; i < r->archive.count; i++) {
        const bench_figure *ladder = first_of_table(r, i) ? choose_ladder(r, i) : NULL;
        if (ladder) r->has_ladder[ladder->of_case] = true;
    }
    return KZ_OK;
}

// A peak is kept where a page shows it: each record has the peaks' figures, as they were measured beside it.
static bool is_kept(const results *r, json_t *record) {
    const char *by = json_string_value(json_object_get(json_object_get(record, "candidate"), "by"));
    const bench_figure *of = by && bench_records_by_peak(by) ? bench_archive_case(&r->archive, record) : NULL;
    if (of && !r->has_ladder[of->of_case] && !figure_draws(of->family, of->name)) return false;
    return bench_archive_keeps(&r->archive, record);
}

static bool same_source(const bench_figure *a, const bench_figure *b) {
    return strcmp(a->file, b->file) == 0 && strcmp(a->commit, b->commit) == 0;
}

// A row per commit whose figures the file keeps.
static void add_file_rows(const results *r, const char *file, const char *gpu, base_text *out) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const bench_figure *end = r->archive.figures + r->archive.count;
    for (const bench_figure *f = r->archive.figures, *before = NULL; f < end; f++) {
        if (strcmp(f->file, file) != 0 || strcmp(f->gpu, gpu) != 0) continue;
        for (before = r->archive.figures; before < f && !same_source(before, f);) before++;
        if (before != f) continue; // has its row
        size_t figures = 0;
        for (const bench_figure *other = f; other < end; other++)
            figures += same_source(other, f) && is_kept(r, other->record);
        if (!figures) continue;
        base_text_add(out, "| [%s](%s) | %.10s | %s | %s | %zu |\n", name, name, f->time, f->commit,
                      bench_figure_text(f, "environment", "driver"), figures);
    }
}

static kz_status update_folder(results *r, const bench_figure *f, const glob_t *files, kz_error *error) {
    base_text out = {0};
    char path[200];
    base_text_add(
        &out,
        "# Measured on %s\n\nWritten by `pages write results` from the records beside it: one JSON object "
        "per line, one line per\ncase of a run, statistics and no samples, with the command that measured "
        "it. "
        "The RESULTS.md of the families show them.\n\n"
        "| file | date | commit | driver | figures |\n|---|---|---|---|--:|\n",
        f->device);
    for (size_t i = 0; i < files->gl_pathc; i++) add_file_rows(r, files->gl_pathv[i], f->gpu, &out);
    snprintf(path, sizeof path, "results/%s/README.md", folder_of(f));
    kz_status status = pages_put(r->writer, path, &out, error);
    base_text_free(&out);
    return status;
}

// The records as they are kept: those that pages show, packed, without samples.
static kz_status update_records(results *r, const char *path, kz_error *error) {
    json_t *records = NULL;
    base_text packed = {0};
    kz_status status = bench_records_read(path, &records, NULL, error);
    for (size_t i = json_array_size(records); i-- > 0;)
        if (!is_kept(r, json_array_get(records, i))) json_array_remove(records, i);
    if (!status && json_array_size(records)) status = bench_records_pack(records, &packed, error);
    if (!status)
        status =
            packed.length ? pages_put(r->writer, path, &packed, error) : pages_remove(r->writer, path, error);
    json_decref(records);
    base_text_free(&packed);
    return status;
}

static kz_status update_all(results *r, const glob_t *files, bool folders, kz_error *error) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count && !status; i++) status = update_family(r, families[i], error);
    for (size_t i = 0; folders && i < r->archive.count && !status; i++) {
        bool first = i == 0 || strcmp(r->sorted[i - 1]->gpu, r->sorted[i]->gpu) != 0;
        if (first) status = update_folder(r, r->sorted[i], files, error);
    }
    return status;
}

kz_status pages_results(pages_writer *w, const char *const *files, size_t count, kz_error *error) {
    results r = {.writer = w};
    glob_t found = {0};
    kz_status status = KZ_OK;
    if (count == 0 && glob("results/*/*.jsonl", 0, NULL, &found) != 0) {
        status = base_fail(error, KZ_NOT_FOUND, "there are no records in results/*/*.jsonl here");
        base_fail_note(error, "likely cause: this is not the folder of the sources; or name the files");
    }
    for (size_t i = 0; i < count && !status; i++) status = bench_archive_read(&r.archive, files[i], error);
    for (size_t i = 0; i < found.gl_pathc && !status; i++)
        status = bench_archive_read(&r.archive, found.gl_pathv[i], error);
    if (!status) status = sort_figures(&r, error);
    if (!status) status = mark_ladders(&r, error);
    for (size_t i = 0; i < found.gl_pathc && !status; i++)
        status = update_records(&r, found.gl_pathv[i], error);
    if (!status) status = update_all(&r, &found, count == 0, error);
    free(r.sorted);
    free(r.has_ladder);
    bench_archive_free(&r.archive);
    globfree(&found);
    return status;
}
