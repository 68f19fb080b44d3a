// Two reports side by side: which kernels belong together, what changed, and which is better and why.
//
// Kernels are matched by name, those left over by their order in time. Ratios are after over before.
#include <math.h>
#include <string.h>

#include "report/profile/html.h"
#include "report/profile/show.h"

enum { PAIRS = 64, ROWS = 16 };
static const double SAME = 0.05; // below it nothing is said to have changed

typedef struct pair {
    const report_prof_kernel *before, *after; // either may be NULL
} pair;

static const report_prof_kernel *find(const report_prof *report, const char *title, const bool *taken,
                                      size_t *index) {
    for (size_t i = 0; i < report->kernel_count && i < PAIRS; i++)
        if (!taken[i] && strcmp(report->kernels[i].title, title) == 0) return &report->kernels[*index = i];
    return NULL;
}

static const report_prof_kernel *first_left(const report_prof *report, const bool *taken, size_t *index) {
    const report_prof_kernel *best = NULL;
    for (size_t i = 0; i < report->kernel_count && i < PAIRS; i++) {
        const report_prof_kernel *k = &report->kernels[i];
        uint64_t when = report_get_count(k->json, "first_launch");
        if (!taken[i] && (!best || when < report_get_count(best->json, "first_launch"))) best = k, *index = i;
    }
    return best;
}

static size_t match(const report_prof *before, const report_prof *after, pair pairs[2 * PAIRS]) {
    bool used_before[PAIRS] = {0}, used_after[PAIRS] = {0};
    size_t count = 0, at = 0;
    for (size_t i = 0; i < before->kernel_count && i < PAIRS; i++) {
        const report_prof_kernel *other = find(after, before->kernels[i].title, used_after, &at);
        if (!other) continue;
        used_before[i] = used_after[at] = true;
        pairs[count++] = (pair){&before->kernels[i], other};
    }
    for (;;) {
        size_t b = 0, a = 0;
        const report_prof_kernel *x = first_left(before, used_before, &b),
                                 *y = first_left(after, used_after, &a);
        if (!x && !y) return count;
        if (x) used_before[b] = true;
        if (y) used_after[a] = true;
        pairs[count++] = (pair){x, y};
    }
}

// ---- figures ----------------------------------------------------------------------------------------

typedef struct row {
    const char *name, *unit;
    double before, after;
    bool is_plain; // a ratio or a percentage: shown as it is
} row;

typedef struct figures {
    double estimate, dram, sectors, per_request, instructions, lanes, wavefronts, conflicts, atomics,
        occupancy, registers, threads;
} figures;

static figures figures_of(const report_prof *report, const report_prof_kernel *k) {
    report_prof_traffic t = report_prof_traffic_of(k);
    report_prof_dram dram = report_prof_dram_of(k);
    double n = (double)k->launches, requests = t.load_requests + t.store_requests;
    return (figures){
        .estimate = k->estimate,
        .dram = dram.read + dram.written,
        .sectors = (t.load_sectors + t.store_sectors) / n,
        .per_request = requests > 0 ? (t.load_sectors + t.store_sectors) / requests : 0,
        .instructions = report_prof_metric(k->metrics, "ptx__inst_executed.sum") / n,
        .lanes = report_prof_active_lanes(k->metrics),
        .wavefronts = t.wavefronts / n,
        .conflicts = (t.wavefronts - t.ideal_wavefronts) / n,
        .atomics = t.atomic_lanes / n,
        .occupancy = 100 * k->occupancy.fraction,
        .registers = k->occupancy.registers > 0 ? k->occupancy.registers : 0,
        .threads = k->blocks * k->threads,
    };
}

static size_t compare(const report_prof *before, const report_prof *after, const pair *p, row rows[ROWS]) {
    figures b = figures_of(before, p->before), a = figures_of(after, p->after);
    const row all[] = {
        {"estimated time", "s", b.estimate, a.estimate, false},
        {"DRAM traffic (model)", "B", b.dram, a.dram, false},
        {"sectors of global memory", "", b.sectors, a.sectors, false},
        {"sectors per request", "", b.per_request, a.per_request, true},
        {"warp instructions", "", b.instructions, a.instructions, false},
        {"active lanes of 32", "", b.lanes, a.lanes, true},
        {"shared wavefronts", "", b.wavefronts, a.wavefronts, false},
        {"of them bank conflicts", "", b.conflicts, a.conflicts, false},
        {"lanes in atomics", "", b.atomics, a.atomics, false},
        {"threads", "", b.threads, a.threads, false},
        {"registers per thread", "", b.registers, a.registers, true},
        {"occupancy at most", "%", b.occupancy, a.occupancy, true},
    };
    size_t count = 0;
    for (size_t i = 0; i < BASE_COUNT(all); i++)
        if (all[i].before != 0 || all[i].after != 0) rows[count++] = all[i];
    return count;
}

static const char *value_text(char text[REPORT_NUMBER], const row *r, double value) {
    if (r->is_plain)
        snprintf(text, REPORT_NUMBER, "%.4g%s", value, r->unit);
    else if (value == 0)
        snprintf(text, REPORT_NUMBER, "0");
    else
        report_si(text, value, r->unit);
    return text;
}

static const char *change_text(char text[REPORT_NUMBER], const row *r) {
    double ratio = r->after / r->before;
    if (r->before == 0)
        snprintf(text, REPORT_NUMBER, "new");
    else if (r->after == 0)
        snprintf(text, REPORT_NUMBER, "gone");
    else if (fabs(ratio - 1) < SAME / 10)
        snprintf(text, REPORT_NUMBER, "same");
    else
        snprintf(text, REPORT_NUMBER, ratio >= 100 ? "x%.0f" : "x%.3g", ratio);
    return text;
}

// ---- words ------------------------------------------------------------------------------------------

// What grows with the size of a launch: the largest resource, waiting and starting apart.
static double growing_of(const report_prof_kernel *k, observe_resource *which) {
    double most = 0;
    for (int r = 0; r < OBSERVE_RESOURCES; r++) {
        double seconds = k->seconds[r] - (r == OBSERVE_BY_DRAM ? k->dram_start : 0);
        if (r == OBSERVE_BY_LATENCY || r == OBSERVE_BY_BLOCKS || seconds <= most) continue;
        most = seconds;
        *which = (observe_resource)r;
    }
    return most;
}

// With most SMs idle one launch may wait less and yet do more: at a larger size the other one is better.
static void add_size(base_text *out, const report_prof *after, const report_prof_kernel *slower,
                     const report_prof_kernel *faster, const char *slower_program) {
    observe_resource slow = OBSERVE_BY_DRAM, fast = OBSERVE_BY_DRAM;
    double a = growing_of(slower, &slow), b = growing_of(faster, &fast);
    char x[REPORT_NUMBER], y[REPORT_NUMBER];
    if (!slower->has_idle_sms || !faster->has_idle_sms || slower->first != OBSERVE_BY_LATENCY || b < 1.2 * a)
        return;
    base_text_add(
        out,
        " But %.0f blocks leave most of %.0f SMs idle, so that waiting decides. What grows with the "
        "size speaks for %s: %s needs %s there, %s needs %s in the other. Compare them at a larger size.",
        slower->blocks, after->gpu.multiprocessors, slower_program, observe_resource_title(slow),
        report_seconds(x, a), observe_resource_title(fast), report_seconds(y, b));
}

static void conclude(base_text *out, const report_prof *before, const report_prof *after, const pair *p) {
    double b = p->before->estimate, a = p->after->estimate, ratio = a > 0 ? b / a : 1;
    char x[REPORT_NUMBER], y[REPORT_NUMBER];
    if (b <= 0 || a <= 0 || fabs(ratio - 1) < SAME) {
        base_text_add(out, "No difference that the counts can tell: both are bound by %s.",
                      report_prof_bound_title(p->after->bound));
        return;
    }
    bool better = ratio > 1;
    observe_resource cause = (better ? p->before : p->after)->first; // what held the slower one back
    base_text_add(out, "%s is better, about %.*f times as fast by the estimate: %s needs %s %s",
                  better ? after->program : before->program, fmax(ratio, 1 / ratio) < 10 ? 1 : 0,
                  better ? ratio : 1 / ratio, observe_resource_title(cause),
                  report_seconds(x, better ? p->after->seconds[cause] : p->before->seconds[cause]),
                  "instead of ");
    base_text_add(out, "%s.",
                  report_seconds(y, better ? p->before->seconds[cause] : p->after->seconds[cause]));
    if (p->before->bound != p->after->bound)
        base_text_add(out, " Before, it is bound by %s; after, by %s.",
                      report_prof_bound_title(p->before->bound), report_prof_bound_title(p->after->bound));
    else
        base_text_add(out, " Both are bound by %s.", report_prof_bound_title(p->after->bound));
    add_size(out, after, better ? p->before : p->after, better ? p->after : p->before,
             better ? before->program : after->program);
}

static void add_line_words(base_text *out, const report_prof_line *line) {
    report_prof_show_location(out, line);
    base_text_add(out, ": %s", line->reason);
}

// ---- the terminal -----------------------------------------------------------------------------------

static void print_rows(FILE *file, const report_style *style, const row *rows, size_t count,
                       const char *before, const char *after) {
    const report_column columns[] = {{.title = "   a launch", .least = 28},
                                     {before, .right = true},
                                     {after, .right = true},
                                     {"after/before", .right = true}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    char text[REPORT_NUMBER];
    for (size_t i = 0; table && i < count; i++) {
        report_tone tone = strcmp(change_text(text, &rows[i]), "same") == 0 ? REPORT_DIM : REPORT_PLAIN;
        report_table_add(table, tone, "   %s", rows[i].name);
        report_table_add(table, tone, "%s", value_text(text, &rows[i], rows[i].before));
        report_table_add(table, tone, "%s", value_text(text, &rows[i], rows[i].after));
        report_table_add(table, i == 0 ? REPORT_BOLD : tone, "%s", change_text(text, &rows[i]));
    }
    if (table) report_table_print(table, file, style, true);
    report_table_close(table);
}

static void print_line(FILE *file, const report_style *style, const char *when, const report_prof_kernel *k,
                       report_prof_sources *sources) {
    base_text words = {0};
    size_t length;
    if (!k->line_count || k->lines[0].cost <= 0) return;
    add_line_words(&words, &k->lines[0]);
    report_print(file, style, REPORT_DIM, "   %-7s", when);
    report_prof_print_wrapped(file, style, REPORT_PLAIN, 10, words.data ? words.data : "");
    base_text_free(&words);
    uint32_t shown = report_prof_sources_asm(sources, k->lines[0].file, k->lines[0].line);
    const char *text = report_prof_sources_line(sources, k->lines[0].file, shown, &length);
    while (text && length && (*text == ' ' || *text == '\t')) text++, length--;
    if (text && length) report_print(file, style, REPORT_BOLD, "          %.*s\n", (int)length, text);
}

static void print_pair(FILE *file, const report_style *style, const report_prof *before,
                       const report_prof *after, const pair *p, report_prof_sources *sources) {
    row rows[ROWS];
    char time[REPORT_NUMBER];
    if (!p->before || !p->after) {
        const report_prof_kernel *k = p->before ? p->before : p->after;
        report_print(file, style, REPORT_BOLD, "%s", k->title);
        fprintf(file, "   only in %s; about %s a launch\n\n", p->before ? before->program : after->program,
                report_seconds(time, k->estimate));
        return;
    }
    base_text words = {0};
    report_print(file, style, REPORT_BOLD, "%s", p->before->title);
    if (strcmp(p->before->title, p->after->title) != 0)
        report_print(file, style, REPORT_BOLD, " and %s", p->after->title);
    conclude(&words, before, after, p);
    fputs("\n   ", file);
    report_prof_print_wrapped(file, style, REPORT_WARN, 3, words.data ? words.data : "");
    fputc('\n', file);
    base_text_free(&words);
    size_t count = compare(before, after, p, rows);
    print_rows(file, style, rows, count, before->program, after->program);
    fprintf(file, "\n   the line that costs most\n");
    print_line(file, style, "before", p->before, sources);
    print_line(file, style, "after", p->after, sources);
    fputc('\n', file);
}

static double total(const report_prof *report) {
    double sum = 0;
    for (size_t i = 0; i < report->kernel_count; i++)
        sum += report->kernels[i].estimate * (double)report->kernels[i].launches +
               report->kernels[i].other_seconds;
    return sum;
}

void report_prof_compare_print(FILE *file, const report_style *style, const report_prof *before,
                               const report_prof *after, report_prof_sources *sources) {
    pair pairs[2 * PAIRS];
    char x[REPORT_NUMBER], y[REPORT_NUMBER];
    size_t count = match(before, after, pairs);
    report_print(
        file, style, REPORT_DIM,
        "%s (before) and %s (after) on a simulated %s. Counts are exact, on PTX; times are estimated.\n\n",
        before->program, after->program, after->gpu_key);
    for (size_t i = 0; i < count; i++) print_pair(file, style, before, after, &pairs[i], sources);
    if (count > 1)
        fprintf(file, "All kernels: %s before, %s after.\n", report_seconds(x, total(before)),
                report_seconds(y, total(after)));
}

// ---- JSON and HTML ----------------------------------------------------------------------------------

static json_t *pair_to_json(const report_prof *before, const report_prof *after, const pair *p) {
    json_t *object = json_object();
    json_object_set_new(object, "before", p->before ? json_string(p->before->name) : json_null());
    json_object_set_new(object, "after", p->after ? json_string(p->after->name) : json_null());
    if (!p->before || !p->after) return object;
    row rows[ROWS];
    base_text words = {0};
    size_t count = compare(before, after, p, rows);
    json_t *changes = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(changes, json_pack("{s:s, s:f, s:f, s:o}", "figure", rows[i].name, "before",
                                                 rows[i].before, "after", rows[i].after, "ratio",
                                                 report_number(rows[i].after / rows[i].before)));
    conclude(&words, before, after, p);
    json_object_set_new(object, "conclusion", json_string(words.data ? words.data : ""));
    json_object_set_new(object, "changes", changes);
    base_text_free(&words);
    return object;
}

json_t *report_prof_compare_to_json(const report_prof *before, const report_prof *after) {
    pair pairs[2 * PAIRS];
    size_t count = match(before, after, pairs);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(array, pair_to_json(before, after, &pairs[i]));
    return json_pack("{s:s, s:i, s:o, s:o, s:o}", "kind", "prof-comparison", "version", 1, "pairs", array,
                     "before", report_prof_to_json(before), "after", report_prof_to_json(after));
}

static void add_pair_html(base_text *out, const report_prof *before, const report_prof *after,
                          const pair *p) {
    row rows[ROWS];
    base_text words = {0};
    char text[REPORT_NUMBER];
    if (!p->before || !p->after) return;
    size_t count = compare(before, after, p, rows);
    base_text_add(out, "<h2>");
    report_prof_html_text(out, p->before->title);
    if (strcmp(p->before->title, p->after->title) != 0) {
        base_text_add(out, " and ");
        report_prof_html_text(out, p->after->title);
    }
    base_text_add(out, "</h2>\n<p class=\"change\">");
    conclude(&words, before, after, p);
    report_prof_html_text(out, words.data ? words.data : "");
    base_text_free(&words);
    base_text_add(
        out,
        "</p>\n<table><thead><tr><th>a launch</th><th class=\"n\">before</th><th class=\"n\">after</th><th "
        "class=\"n\">after/before</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        base_text_add(out, "<tr><td>%s</td>", rows[i].name);
        base_text_add(out, "<td class=\"n\">%s</td>", value_text(text, &rows[i], rows[i].before));
        base_text_add(out, "<td class=\"n\">%s</td>", value_text(text, &rows[i], rows[i].after));
        base_text_add(out, "<td class=\"n\">%s</td></tr>\n", change_text(text, &rows[i]));
    }
    base_text_add(out, "</tbody></table>\n");
}

void report_prof_compare_html(base_text *out, const report_prof *before, const report_prof *after,
                              report_prof_sources *sources) {
    pair pairs[2 * PAIRS];
    size_t count = match(before, after, pairs);
    report_prof_html_begin(out, "kz prof: a comparison");
    base_text_add(out, "<h1>");
    report_prof_html_text(out, before->program);
    base_text_add(out, " and ");
    report_prof_html_text(out, after->program);
    base_text_add(out, "</h1>\n");
    for (size_t i = 0; i < count; i++) add_pair_html(out, before, after, &pairs[i]);
    for (size_t i = 0; i < count; i++) {
        char id[24];
        snprintf(id, sizeof id, "b%zu", i);
        if (pairs[i].before) report_prof_html_kernel(out, before, pairs[i].before, sources, id);
        snprintf(id, sizeof id, "a%zu", i);
        if (pairs[i].after) report_prof_html_kernel(out, after, pairs[i].after, sources, id);
    }
    report_prof_html_end(out);
}
