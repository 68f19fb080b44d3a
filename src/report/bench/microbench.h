// The figures of microbenchmarks: in words, as tables for terminals, as curves.
#ifndef REPORT_BENCH_MICROBENCH_H
#define REPORT_BENCH_MICROBENCH_H

#include "bench/micro_record.h"
#include "report/report.h"

// ---- values in words -------------------------------------------------------------------------------

enum { REPORT_MICROBENCH_TEXT = 64 };
// "4.24 TB/s", "31.2 cycles", "2.15 us"; "-" where there is none.
const char *report_microbench_value(char text[REPORT_MICROBENCH_TEXT], double value, const char *unit);
// "dram read", and where something was varied its x: "barrier, 32 warps".
const char *report_microbench_name(char text[REPORT_MICROBENCH_TEXT], const bench_micro_figure *figure);
// The x of a figure alone: "64 KiB", "32".
const char *report_microbench_x(char text[REPORT_MICROBENCH_TEXT], const bench_micro_figure *figure);
// Cycles as time, by the clock that was measured; NAN where none was.
double report_microbench_seconds(const bench_micro_list *list, const bench_micro_figure *figure);

// The figures [first, *end) of the list that belong together: all of one group and name where they are a
// curve (four or more over x), or a matrix (over x and y); else those up to the next such run.
typedef enum report_microbench_shape {
    REPORT_MICROBENCH_ROWS,
    REPORT_MICROBENCH_CURVE,
    REPORT_MICROBENCH_MATRIX
} report_microbench_shape;
report_microbench_shape report_microbench_run(const bench_micro_list *list, size_t first, size_t *end);

// ---- where they go -----------------------------------------------------------------------------------

void report_microbench_print(FILE *file, const report_style *style, const bench_micro_list *list, bool timed);
// The figures as SVG. False where the list has not what one needs.
enum { REPORT_MICROBENCH_FIGURES = 4 };
const char *report_microbench_figure_name(int which); // "latency"
const char *report_microbench_figure_title(int which);
bench_micro_group report_microbench_figure_group(int which);
bool report_microbench_figure(base_text *out, const bench_micro_list *list, int which);
// All that there are, as <folder>/<name>.svg.
kz_status report_microbench_write_figures(const bench_micro_list *list, const char *folder, kz_error *error);

#endif
