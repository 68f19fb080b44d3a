// The figures of the documentation as SVG files: what is drawn is handed over, nothing is known here.
//
// Every figure has a title, and a note under it that says what it was made from.
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include "base/base.h"

typedef struct report_figure_text {
    const char *title, *note; // the note is wrapped
} report_figure_text;

// ---- curves -----------------------------------------------------------------------------------------

enum { REPORT_FIGURE_SERIES = 4 };

typedef struct report_figure_axis {
    const char *title;
    double low, high;
    bool log;
    const double *ticks;
    size_t tick_count;
    const char *unit; // ticks are shown with an SI prefix and this; NULL: as they are
} report_figure_axis;

typedef struct report_figure_series {
    const char *name;
    const double *x, *y;
    size_t count;
    bool marks; // a dot on every point
} report_figure_series;

typedef struct report_figure_plot {
    report_figure_text text;
    report_figure_axis x, y;
    report_figure_series series[REPORT_FIGURE_SERIES];
    size_t series_count;
} report_figure_plot;
void report_figure_plot_write(base_text *out, const report_figure_plot *plot);

// ---- bars -------------------------------------------------------------------------------------------

typedef struct report_figure_bar {
    const char *name, *value; // the value in words
    double length;
    int tone; // 0 to 3
} report_figure_bar;

typedef struct report_figure_bars {
    report_figure_text text;
    const report_figure_bar *bars;
    size_t count;
    double full; // the length of a bar over the whole width
    double mark; // a line across all bars; 0: none
    const char *mark_name;
} report_figure_bars;
void report_figure_bars_write(base_text *out, const report_figure_bars *bars);

// ---- lanes: rows of cells ---------------------------------------------------------------------------

enum { REPORT_FIGURE_COLUMNS = 64, REPORT_FIGURE_OFF = 0xff, REPORT_FIGURE_BLANK = 0xfe };

typedef struct report_figure_row {
    const char *name; // in a fixed-width font; a heading where `count` is 0
    const char *end;  // behind the cells; may be NULL
    size_t count;
    uint8_t tone[REPORT_FIGURE_COLUMNS];       // 0 to 3, REPORT_FIGURE_OFF: grey, _BLANK: no cell
    const char *inside[REPORT_FIGURE_COLUMNS]; // a character or two in the cell; NULL: none
} report_figure_row;

typedef struct report_figure_rows {
    report_figure_text text;
    const report_figure_row *rows;
    size_t count;
    double name_width, end_width, cell_width, cell_height;
} report_figure_rows;
void report_figure_rows_write(base_text *out, const report_figure_rows *rows);

// ---- a roofline with several kernels ----------------------------------------------------------------

typedef struct report_figure_kernel {
    const char *name;
    double intensity, flops_per_s;
} report_figure_kernel;

typedef struct report_figure_roofline {
    report_figure_text text;
    double bandwidth, peak;
    double measured_bandwidth, measured_peak; // a second peak, dashed; 0: none
    const report_figure_kernel *kernels;
    size_t count;
} report_figure_roofline;
void report_figure_roofline_write(base_text *out, const report_figure_roofline *roofline);

#endif
