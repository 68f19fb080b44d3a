// The page in the terminal: a table of the kernels, then one section each.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile/profile.h"
#include "report/profile/show.h"

enum { INDENT = 3, LABEL = 12, LINES = 3, BAR = 24 };

static void print_label(FILE *file, const report_style *style, const char *label) {
    fprintf(file, "%*s", INDENT, "");
    report_print(file, style, REPORT_DIM, "%-*s", LABEL, label);
}

static void print_fact(FILE *file, const report_style *style, const char *label, const char *text) {
    print_label(file, style, label);
    report_prof_print_wrapped(file, style, REPORT_PLAIN, INDENT + LABEL, text);
}

// ---- the kernel's head -----------------------------------------------------------------------------------

static void print_shape(FILE *file, const report_style *style, const report_prof_kernel *k) {
    base_text text = {0};
    report_prof_show_shape(&text, k);
    print_fact(file, style, "launch", text.data ? text.data : "");
    base_text_free(&text);
}

static void print_verdict(FILE *file, const report_style *style, const report_prof_kernel *k) {
    fprintf(file, "%*s", INDENT, "");
    report_print(file, style, REPORT_WARN, "Bound by %s", report_prof_bound_title(k->bound));
    fputs("\n", file);
    fprintf(file, "%*s", INDENT, "");
    report_prof_print_wrapped(file, style, REPORT_PLAIN, INDENT, k->why);
}

static void print_bar(FILE *file, const report_style *style, double part, report_tone tone) {
    int cells = (int)round(part * BAR);
    char bar[4 * BAR + 1] = "";
    for (int i = 0; i < cells && i < BAR; i++) strcat(bar, style->utf8 ? "█" : "#");
    report_print(file, style, tone, "%s", *bar ? bar : style->utf8 ? "▏" : "|");
}

// Every resource that needs at least a hundredth of the verdict's.
static void print_resources(FILE *file, const report_style *style, const report_prof_kernel *k) {
    char time[REPORT_NUMBER];
    const char *label = "time needed";
    double longest = report_prof_show_longest(k);
    for (int n = 0; n < OBSERVE_RESOURCES; n++) {
        int best = -1;
        for (int r = 0; r < OBSERVE_RESOURCES; r++) {
            int above = 0; // how many come before r
            for (int o = 0; o < OBSERVE_RESOURCES; o++)
                above += k->seconds[o] > k->seconds[r] || (k->seconds[o] == k->seconds[r] && o < r);
            if (above == n) best = r;
        }
        if (best < 0 || k->seconds[best] < 0.01 * k->seconds[k->first] || k->seconds[best] <= 0) break;
        print_label(file, style, label);
        label = "";
        fprintf(file, "%-24s %9s  ", report_prof_show_resource((observe_resource)best),
                report_seconds(time, k->seconds[best]));
        print_bar(file, style, k->seconds[best] / longest, best == (int)k->first ? REPORT_WARN : REPORT_DIM);
        fputc('\n', file);
    }
}

static void print_facts(FILE *file, const report_style *style, const report_prof *report,
                        const report_prof_kernel *k) {
    for (size_t i = 0; i < report_prof_show_count(); i++) {
        base_text text = {0};
        report_prof_show_fact(&text, i, report, k);
        if (text.data && *text.data) print_fact(file, style, report_prof_show_label(i), text.data);
        base_text_free(&text);
    }
}

// ---- its lines -------------------------------------------------------------------------------------------

static void print_source(FILE *file, const report_style *style, const report_prof_line *line,
                         report_prof_sources *sources, int used) {
    size_t length;
    uint32_t shown = report_prof_sources_asm(sources, line->file, line->line);
    const char *text = report_prof_sources_line(sources, line->file, shown, &length);
    if (!text) return;
    fprintf(file, "%*s", used, "");
    while (length && (*text == ' ' || *text == '\t')) text++, length--;
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\\')) length--;
    int room = report_prof_page_width(style) - used;
    bool cut = (int)length > room;
    report_print(file, style, REPORT_BOLD, "%.*s%s\n", cut ? room - 1 : (int)length, text,
                 cut ? (style->utf8 ? "…" : "~") : "");
}

static void print_line(FILE *file, const report_style *style, const report_prof_line *line,
                       report_prof_sources *sources) {
    base_text place = {0};
    report_prof_show_location(&place, line);
    fprintf(file, "%*s", INDENT, "");
    report_print(file, style, REPORT_PLAIN, "%3.0f%%  %s", line->share * 100, place.data ? place.data : "");
    fputc('\n', file);
    print_source(file, style, line, sources, INDENT + 6);
    base_text_free(&place);
    fprintf(file, "%*s", INDENT + 6, "");
    report_prof_print_wrapped(file, style, REPORT_PLAIN, INDENT + 6, line->reason);
    if (!line->advice) return;
    fprintf(file, "%*s", INDENT + 6, "");
    report_print(file, style, REPORT_GOOD, "try: ");
    report_prof_print_wrapped(file, style, REPORT_PLAIN, INDENT + 11, line->advice);
}

static void print_lines(FILE *file, const report_style *style, const report_prof_kernel *k,
                        report_prof_sources *sources) {
    size_t count = 0;
    while (count < k->line_count && count < LINES && k->lines[count].share >= (count ? 0.01 : 1e-9)) count++;
    if (!count) return;
    fprintf(file, "\n%*s", INDENT, "");
    report_print(file, style, REPORT_BOLD,
                 count == 1 ? "The line that costs\n" : "The lines that cost most\n");
    for (size_t i = 0; i < count; i++) print_line(file, style, &k->lines[i], sources);
}

static void print_advice(FILE *file, const report_style *style, const report_prof_kernel *k) {
    if (k->advice_count || k->note_count) fputc('\n', file);
    for (size_t i = 0; i < k->advice_count; i++) {
        fprintf(file, "%*s", INDENT, "");
        report_print(file, style, REPORT_GOOD, "try: ");
        report_prof_print_wrapped(file, style, REPORT_PLAIN, INDENT + 5, k->advice[i]);
    }
    for (size_t i = 0; i < k->note_count; i++) {
        fprintf(file, "%*s", INDENT, "");
        report_print(file, style, REPORT_DIM, "note: ");
        report_prof_print_wrapped(file, style, REPORT_PLAIN, INDENT + 6, k->notes[i]);
    }
}

// ---- the page --------------------------------------------------------------------------------------------

static void print_table(FILE *file, const report_style *style, const report_prof *report) {
    const report_column columns[] = {{.title = ""},
                                     {"kernel", .shrink = true},
                                     {"launches", .right = true},
                                     {"estimate", .right = true},
                                     {"of all", .right = true},
                                     {.title = "bound by"}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return;
    for (size_t i = 0; i < report->kernel_count; i++) {
        const report_prof_kernel *k = &report->kernels[i];
        char time[REPORT_NUMBER];
        report_table_add(table, REPORT_DIM, "%zu", i + 1);
        report_table_add(table, REPORT_BOLD, "%s", k->title);
        report_table_add(table, REPORT_PLAIN, "%llu", (unsigned long long)(k->launches + k->other_launches));
        report_table_add(table, REPORT_PLAIN, "%s", report_seconds(time, k->estimate));
        report_table_add(table, REPORT_PLAIN, "%.0f%%", 100 * report_prof_show_part(report, k));
        report_table_add(table, REPORT_PLAIN, "%s", report_prof_bound_title(k->bound));
    }
    report_table_print(table, file, style, true);
    report_table_close(table);
    fputc('\n', file);
}

static void print_kernel(FILE *file, const report_style *style, const report_prof *report, size_t index,
                         report_prof_sources *sources) {
    const report_prof_kernel *k = &report->kernels[index];
    char time[REPORT_NUMBER], with[REPORT_NUMBER];
    report_print(file, style, REPORT_BOLD, "%zu  %s", index + 1, k->title);
    report_print(file, style, REPORT_DIM, "   about %s a launch, %s with its start",
                 report_seconds(time, k->estimate), report_seconds(with, k->launch));
    fputc('\n', file);
    print_verdict(file, style, k);
    fputc('\n', file);
    print_shape(file, style, k);
    print_resources(file, style, k);
    print_facts(file, style, report, k);
    print_lines(file, style, k, sources);
    print_advice(file, style, k);
    fputc('\n', file);
}

void report_prof_page_print(FILE *file, const report_style *style, const report_prof *report,
                            report_prof_sources *sources) {
    base_text text = {0};
    report_prof_show_head(&text, report);
    report_print(file, style, REPORT_DIM, "%s\n\n", text.data ? text.data : "");
    base_text_free(&text);
    if (report->kernel_count > 1) print_table(file, style, report);
    for (size_t i = 0; i < report->kernel_count; i++) print_kernel(file, style, report, i, sources);
    report_prof_show_tail(&text, report);
    if (text.data) report_prof_print_wrapped(file, style, REPORT_DIM, 0, text.data);
    base_text_free(&text);
}
