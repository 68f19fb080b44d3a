// A roofline with several kernels: numbered dots, and their names beside it.
#include <math.h>

#include "report/figures/inside.h"
#include "report/report.h"

enum { TOP = 10, LEFT = 78, NAMES = 250, HEIGHT = 300, BOTTOM = 44, NAME_ROW = 20 };

void report_figure_roofline_write(base_text *out, const report_figure_roofline *r) {
    double least_x = r->peak / r->bandwidth, most_x = least_x, least_y = r->peak;
    for (size_t i = 0; i < r->count; i++) {
        least_x = fmin(least_x, r->kernels[i].intensity);
        most_x = fmax(most_x, r->kernels[i].intensity);
        least_y = fmin(least_y, r->kernels[i].flops_per_s);
    }
    report_svg_axis x = {.low = pow(10, floor(log10(least_x) - 0.1)),
                         .high = pow(10, ceil(log10(most_x) + 0.1)),
                         .from = LEFT,
                         .to = FIGURE_WIDTH - NAMES,
                         .log = true};
    report_svg_axis y = {.low = pow(10, floor(log10(least_y) - 0.1)),
                         .high = pow(10, ceil(log10(r->peak) + 0.1)),
                         .from = FIGURE_TOP + TOP + HEIGHT,
                         .to = FIGURE_TOP + TOP,
                         .log = true};
    report_figure_begin(out, &r->text, FIGURE_WIDTH, TOP + HEIGHT + BOTTOM);
    report_svg_roofline(out, &x, &y, r->bandwidth, r->peak);
    if (r->measured_bandwidth > 0 && r->measured_peak > 0)
        report_svg_measured_peak(out, &x, &y, r->measured_bandwidth, r->measured_peak);
    report_svg_text(out, "dim", "middle", (x.from + x.to) / 2, y.from + 34, "flop per byte of DRAM");
    for (size_t i = 0; i < r->count; i++) {
        const report_figure_kernel *k = &r->kernels[i];
        double at_x = report_svg_position(&x, k->intensity), at_y = report_svg_position(&y, k->flops_per_s);
        double beside = FIGURE_WIDTH - NAMES + 26, line = FIGURE_TOP + TOP + 16 + NAME_ROW * (double)i;
        report_svg_circle(out, "f0", at_x, at_y, 8);
        report_svg_text(out, "in", "middle", at_x, at_y + 3.5, "%zu", i + 1);
        report_svg_circle(out, "f0", beside, line - 4, 8);
        report_svg_text(out, "in", "middle", beside, line - 0.5, "%zu", i + 1);
        report_svg_text(out, "mono", "start", beside + 16, line, "%s", k->name);
    }
    report_svg_end(out);
}
