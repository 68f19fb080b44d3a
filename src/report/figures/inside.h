// What the figures share: title, note, and where the drawing may begin.
#ifndef REPORT_FIGURE_INSIDE_H
#define REPORT_FIGURE_INSIDE_H

#include "report/figures/figure.h"
#include "report/pages/svg.h"

enum { FIGURE_WIDTH = 720, FIGURE_MARGIN = 16, FIGURE_TOP = 40 };

// Begins a figure whose drawing is `height` high, below FIGURE_TOP; the note comes under it.
void report_figure_begin(base_text *out, const report_figure_text *text, double width, double height);

#endif
