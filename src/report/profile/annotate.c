// The source with counters in the margin, heat by cost.
#include <stdlib.h>
#include <string.h>

#include "report/profile/listing.h"

static const double HOT = 0.3, WARM = 0.1, WASTE = 1.2;

static report_tone heat(const report_prof_row *row) {
    return row->share >= HOT ? REPORT_BAD : row->share >= WARM ? REPORT_WARN : REPORT_PLAIN;
}

static void print_margin(FILE *file, const report_style *style, const report_prof_row *row) {
    if (!row->counted) {
        fprintf(file, "%40s", "");
        return;
    }
    report_print(file, style, heat(row), "%4.0f%%", row->share * 100);
    fprintf(file, " %5.1f%%", row->part * 100);
    report_print(file, style, row->lanes < 24 ? REPORT_WARN : REPORT_PLAIN, " %5.1f", row->lanes);
    char text[32] = "";
    if (row->sectors > 0) snprintf(text, sizeof text, "%.1f/%.1f", row->sectors, row->ideal);
    report_print(file, style, row->sectors > WASTE * row->ideal ? REPORT_WARN : REPORT_PLAIN, " %11s", text);
    text[0] = 0;
    if (row->ways > 0) snprintf(text, sizeof text, "%.1fx", row->ways);
    report_print(file, style, row->ways > WASTE ? REPORT_WARN : REPORT_PLAIN, " %7s", text);
    fprintf(file, "  ");
}

static void print_text(FILE *file, const report_style *style, const report_prof_row *row, const char *name,
                       report_prof_sources *sources) {
    size_t length;
    const char *text = report_prof_sources_line(sources, name, row->line, &length);
    report_print(file, style, REPORT_DIM, "%5u", row->line);
    if (text && length)
        report_print(file, style, row->counted ? heat(row) : REPORT_DIM, "  %.*s", (int)length, text);
    fputc('\n', file);
}

static void print_file(FILE *file, const report_style *style, const report_prof_kernel *k, const char *name,
                       report_prof_sources *sources) {
    size_t count;
    report_prof_row *rows = report_prof_listing(k, name, sources, &count);
    report_print(file, style, REPORT_BOLD, "%s", k->title);
    report_print(
        file, style, REPORT_DIM, "  %s%s\n", name,
        report_prof_sources_count(sources, name) ? "" : "  (the file is not there: numbers of lines only)");
    report_print(file, style, REPORT_DIM, "%5s %6s %5s %11s %7s\n", "cost", "inst", "lanes", "sect/ideal",
                 "banks");
    for (size_t i = 0; rows && i < count; i++) {
        if (!rows[i].line) {
            report_print(file, style, REPORT_DIM, "%45s\n", "...");
            continue;
        }
        print_margin(file, style, &rows[i]);
        print_text(file, style, &rows[i], name, sources);
    }
    fputc('\n', file);
    free(rows);
}

void report_prof_annotate_print(FILE *file, const report_style *style, const report_prof *report,
                                report_prof_sources *sources) {
    for (size_t i = 0; i < report->kernel_count; i++) {
        const char *files[REPORT_PROF_LISTING_FILES];
        size_t count = report_prof_listing_files(&report->kernels[i], files);
        for (size_t f = 0; f < count; f++) print_file(file, style, &report->kernels[i], files[f], sources);
    }
    report_print(
        file, style, REPORT_DIM,
        "cost: part of the kernel's estimated cost; inst: part of its instructions; lanes: active of 32;\n"
        "sect/ideal: sectors per request of global memory, and what would do; banks: wavefronts of shared\n"
        "memory over those without conflicts.\n");
}
