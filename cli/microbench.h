// kz microbench: tables for terminals and pages, figures, and the page that is made from the records.
#ifndef CLI_MICROBENCH_H
#define CLI_MICROBENCH_H

#include "bench/micro_record.h"
#include "cli.h"
#include "report/report.h"

// ---- values in words -------------------------------------------------------------------------------

enum { MICROBENCH_TEXT = 64 };
// "4.24 TB/s", "31.2 cycles", "2.15 us"; "-" where there is none.
const char *microbench_value(char text[MICROBENCH_TEXT], double value, const char *unit);
// "dram read", and where something was varied its x: "barrier, 32 warps".
const char *microbench_name(char text[MICROBENCH_TEXT], const bench_micro_figure *figure);
// The x of a figure alone: "64 KiB", "32".
const char *microbench_x(char text[MICROBENCH_TEXT], const bench_micro_figure *figure);
// Cycles as time, by the clock that was measured; NAN where none was.
double microbench_seconds(const bench_micro_list *list, const bench_micro_figure *figure);

// The figures [first, *end) of the list that belong together: all of one group and name where they are a
// curve (four or more over x), or a matrix (over x and y); else those up to the next such run.
typedef enum microbench_shape { MICROBENCH_ROWS, MICROBENCH_CURVE, MICROBENCH_MATRIX } microbench_shape;
microbench_shape microbench_run(const bench_micro_list *list, size_t first, size_t *end);

// ---- where they go -----------------------------------------------------------------------------------

void microbench_print(FILE *file, const report_style *style, const bench_micro_list *list, bool timed);
// The tables as Markdown, a heading for each group; pictures are looked for in `figures` ("microbench/h200").
void microbench_write_page(base_text *out, const bench_micro_list *list, const char *figures);

// The figures as SVG. False where the list has not what one needs.
enum { MICROBENCH_FIGURES = 4 };
const char *microbench_figure_name(int which); // "latency"
bool microbench_figure(base_text *out, const bench_micro_list *list, int which);
// All that there are, as <folder>/<name>.svg.
kz_status microbench_write_figures(const bench_micro_list *list, const char *folder, kz_error *error);

// `kz microbench results`: docs/microbench.md and its figures from results/<gpu>/microbench.jsonl.
int microbench_results(bool check);

#endif
