// A layout as people see it: a table of indices and banks, or of the threads that hold each element; as text, JSON, a picture.
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include "base/layout.h"
#include "report/report.h"

typedef struct report_layout {
    const char *name; // the title of a picture
    const char *text; // what it is; NULL: nothing to say
    base_composed layout;
    bool threads;             // (thread, element) -> index of a matrix; else coordinate -> index in memory
    unsigned rows, columns;   // of the matrix
    bool by_rows;             // its indices count through a row first
    const char *row, *column; // what they count; NULL: the layout's modes
    bool banks;               // of shared memory, for elements of `bytes`
    unsigned bytes;
} report_layout;

typedef struct report_layout_cell {
    int64_t index;
    unsigned bank;
    unsigned thread, element, holders; // who holds it; the first of several
} report_layout_cell;

typedef struct report_layout_grid {
    report_layout of;
    unsigned rows, columns;
    report_layout_cell *cells; // row by row
} report_layout_grid;

enum { REPORT_LAYOUT_CELLS = 64 * 256 };
// KZ_INVALID where there are too many cells, or a thread holds what the matrix does not have. End it by report_layout_close.
kz_status report_layout_open(const report_layout *layout, report_layout_grid *grid, kz_error *error);
void report_layout_close(report_layout_grid *grid);

// How many wavefronts the first 32 elements of a column (a row) take, read by a warp, an element each: 1 is without conflicts.
unsigned report_layout_wavefronts(const report_layout_grid *grid, bool row);

void report_layout_print(base_text *out, const report_layout_grid *grid, int width);
json_t *report_layout_to_json(const report_layout_grid *grid);
void report_layout_svg(base_text *out, const report_layout_grid *grid);
void report_layout_label(const report_layout_grid *grid, const report_layout_cell *cell,
                         char text[REPORT_NUMBER]);

#endif
