// Pieces of SVG pictures: a frame with light and dark colours, places on an axis, and the few shapes in use.
//
// Shapes carry classes instead of colours. A picture in a file has its style inside (report_svg_begin); one
// in an HTML page takes the page's. s0 to s3 are the strokes of series, f0 to f3 their fills.
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "base/base.h"

// A picture of its own, with a background. `label` is what a reader who cannot see it is told.
void report_svg_begin(base_text *out, double width, double height, const char *label);
void report_svg_end(base_text *out);

typedef struct report_svg_axis {
    double low, high; // values at the two ends
    double from, to;  // where those are, in pixels
    bool log;
} report_svg_axis;
double report_svg_position(const report_svg_axis *axis, double value);
double report_svg_round(double pixels); // to a tenth of a pixel, so that %g prints it short

void report_svg_line(base_text *out, const char *class_, double x1, double y1, double x2, double y2);
void report_svg_rect(base_text *out, const char *class_, double x, double y, double width, double height);
void report_svg_circle(base_text *out, const char *class_, double x, double y, double radius);
// `anchor` is "start", "middle" or "end"; the text is escaped.
void report_svg_text(base_text *out, const char *class_, const char *anchor, double x, double y,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));

// The peak alone, dashed: one that was measured, under the nominal one.
void report_svg_measured_peak(base_text *out, const report_svg_axis *x, const report_svg_axis *y,
                              double bandwidth, double peak);
// A grid of the powers of ten on both axes, and under it the peak: `bandwidth` times x, `peak` at most.
void report_svg_roofline(base_text *out, const report_svg_axis *x, const report_svg_axis *y, double bandwidth,
                         double peak);

#endif
