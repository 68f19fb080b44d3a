// Rows of source with their counters; see prof_listing.h.
#include "report/profile/listing.h"

#include <stdlib.h>
#include <string.h>

#include "report/profile/show.h"

enum { AROUND = 4 }; // lines of context before and after one that was counted

size_t report_prof_listing_files(const report_prof_kernel *k, const char *files[REPORT_PROF_LISTING_FILES]) {
    size_t count = 0;
    for (size_t i = 0; i < k->line_count && count < REPORT_PROF_LISTING_FILES; i++) {
        bool known = false;
        for (size_t f = 0; f < count; f++) known = known || strcmp(files[f], k->lines[i].file) == 0;
        if (!known) files[count++] = k->lines[i].file;
    }
    return count;
}

// One line may stand in the record several times, once per place it was inlined into.
static void fill(const report_prof_kernel *k, const char *file, report_prof_row *row) {
    report_prof_traffic traffic = {0};
    double all = report_prof_metric(k->metrics, "ptx__inst_executed.sum"), warp = 0, thread = 0, largest = -1;
    double requests = 0, sectors = 0, ideal = 0;
    for (size_t i = 0; i < k->line_count; i++) {
        const report_prof_line *line = &k->lines[i];
        if (line->line != row->line || strcmp(line->file, file) != 0) continue;
        row->counted = true;
        row->share += line->share;
        warp += report_prof_metric(line->metrics, "ptx__inst_executed.sum");
        thread += report_prof_metric(line->metrics, "ptx__thread_inst_executed.sum");
        report_prof_traffic_add(&traffic, line);
        for (size_t a = 0; a < line->access_count; a++)
            if (line->accesses[a].space == REPORT_PROF_GLOBAL ||
                line->accesses[a].space == REPORT_PROF_LOCAL) {
                requests += line->accesses[a].requests;
                sectors += line->accesses[a].sectors;
                ideal += line->accesses[a].ideal_sectors;
            }
        if (line->cost > largest)
            largest = line->cost, row->reason = line->reason, row->advice = line->advice;
    }
    if (warp > 0) row->lanes = thread / warp;
    if (all > 0) row->part = warp / all;
    if (requests > 0) row->sectors = sectors / requests, row->ideal = ideal / requests;
    if (traffic.ideal_wavefronts > 0) row->ways = traffic.wavefronts / traffic.ideal_wavefronts;
}

static void mark(uint8_t *wanted, uint32_t last, uint32_t line, uint32_t around) {
    uint32_t from = line > around ? line - around : 1, to = line + around < last ? line + around : last;
    for (uint32_t i = from; i <= to; i++) wanted[i] = 1;
}

report_prof_row *report_prof_listing(const report_prof_kernel *k, const char *file,
                                     report_prof_sources *sources, size_t *count) {
    uint32_t there = report_prof_sources_count(sources, file), last = there;
    for (size_t i = 0; i < k->line_count; i++)
        if (strcmp(k->lines[i].file, file) == 0 && k->lines[i].line > last) last = k->lines[i].line;
    uint8_t *wanted = calloc((size_t)last + 2, 1);
    report_prof_row *rows = calloc(2 * (size_t)last + 2, sizeof *rows);
    *count = 0;
    for (size_t i = 0; wanted && i < k->line_count; i++)
        if (strcmp(k->lines[i].file, file) == 0) mark(wanted, last, k->lines[i].line, there ? AROUND : 0);
    for (uint32_t line = 1; wanted && rows && line <= last; line++) {
        if (!wanted[line]) continue;
        if (line > 1 && !wanted[line - 1] && *count) rows[(*count)++].line = 0;
        rows[*count].line = line;
        fill(k, file, &rows[(*count)++]);
    }
    free(wanted);
    return rows;
}
