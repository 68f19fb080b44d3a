// The roofline as SVG, both axes logarithmic: flop per byte of DRAM, flop per second.
#include <math.h>

#include "report/profile/html.h"
#include "report/profile/show.h"
#include "report/pages/svg.h"

enum { WIDTH = 560, HEIGHT = 260, LEFT = 70, RIGHT = 20, TOP = 14, BOTTOM = 40 };

// The kernel's own place is what its estimated time gives; the dashed line is how far the peak is.
void report_prof_roofline_svg(base_text *out, const report_prof *report, const report_prof_kernel *k) {
    report_prof_roofline r;
    if (!report_prof_roofline_of(report, k, &r) || r.flops <= 0 || k->estimate <= 0) return;
    double reached = r.flops / k->estimate, low = fmin(reached, r.ridge * r.bandwidth / 1e3);
    report_svg_axis x = {.low = pow(10, floor(log10(fmin(r.intensity, r.ridge)) - 0.5)),
                         .high = pow(10, ceil(log10(fmax(r.intensity, r.ridge)) + 0.5)),
                         .from = LEFT,
                         .to = WIDTH - RIGHT,
                         .log = true};
    report_svg_axis y = {.low = pow(10, floor(log10(low) - 0.2)),
                         .high = pow(10, ceil(log10(r.peak) + 0.1)),
                         .from = HEIGHT - BOTTOM,
                         .to = TOP,
                         .log = true};
    double at_x = report_svg_position(&x, r.intensity), at_y = report_svg_position(&y, reached);
    base_text_add(
        out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"roofline\">\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    report_svg_roofline(out, &x, &y, r.bandwidth, r.peak);
    if (r.origin[0]) {
        report_svg_measured_peak(out, &x, &y, r.measured_bandwidth, r.measured_peak);
        report_svg_text(out, "dim", "end", x.to - 4, HEIGHT - BOTTOM - 8, "dashed: %s", r.origin);
    }
    report_svg_text(out, "dim", "middle", (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6,
                    "flop per byte of DRAM (model)");
    report_svg_line(out, "best", at_x, report_svg_position(&y, r.attainable), at_x, at_y);
    report_svg_circle(out, "at", at_x, at_y, 5);
    report_svg_text(out, "", "start", at_x + 9, at_y + 4, "estimate");
    base_text_add(out, "</svg>\n");
}
