// The roofline as SVG, both axes logarithmic: flop per byte of DRAM, flop per second.
#include <math.h>

#include "report/prof_html.h"
#include "report/prof_show.h"

enum { WIDTH = 560, HEIGHT = 260, LEFT = 70, RIGHT = 20, TOP = 14, BOTTOM = 40 };

typedef struct axes {
    double x0, x1, y0, y1; // exponents of ten
} axes;

static double place_x(const axes *a, double value) {
    return LEFT + (log10(value) - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT);
}
static double place_y(const axes *a, double value) {
    return HEIGHT - BOTTOM - (log10(value) - a->y0) / (a->y1 - a->y0) * (HEIGHT - TOP - BOTTOM);
}

static void add_grid(base_text *out, const axes *a) {
    char text[REPORT_NUMBER];
    for (double e = ceil(a->x0); e <= a->x1; e++) {
        double x = place_x(a, pow(10, e));
        base_text_add(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" />", x, TOP, x,
                      HEIGHT - BOTTOM);
        base_text_add(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x,
                      HEIGHT - BOTTOM + 16, pow(10, e));
    }
    for (double e = ceil(a->y0); e <= a->y1; e++) {
        double y = place_y(a, pow(10, e));
        base_text_add(out, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" />", LEFT, y,
                      WIDTH - RIGHT, y);
        base_text_add(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 6, y + 4,
                      report_si(text, pow(10, e), "F/s"));
    }
    base_text_add(
        out,
        "<text class=\"dim\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">flop per byte of DRAM (model)</text>\n",
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6);
}

// The kernel's own place is what its estimated time gives; the dashed line is how far the roof is.
void report_prof_roofline_svg(base_text *out, const report_prof *report, const report_prof_kernel *k) {
    report_prof_roofline r;
    if (!report_prof_roofline_of(report, k, &r) || r.flops <= 0 || k->estimate <= 0) return;
    double reached = r.flops / k->estimate, low = fmin(reached, r.ridge * r.bandwidth / 1e3);
    axes a = {.x0 = floor(log10(fmin(r.intensity, r.ridge)) - 0.5),
              .x1 = ceil(log10(fmax(r.intensity, r.ridge)) + 0.5),
              .y0 = floor(log10(low) - 0.2),
              .y1 = ceil(log10(r.peak) + 0.1)};
    double left = fmax(pow(10, a.x0), pow(10, a.y0) / r.bandwidth); // where the roof enters the picture
    double x = place_x(&a, r.intensity);
    base_text_add(
        out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"roofline\">\n",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    add_grid(out, &a);
    base_text_add(out, "<polyline class=\"roof\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\" />\n",
                  place_x(&a, left), place_y(&a, left * r.bandwidth), place_x(&a, r.ridge),
                  place_y(&a, r.peak), place_x(&a, pow(10, a.x1)), place_y(&a, r.peak));
    base_text_add(out, "<line class=\"best\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" />\n", x,
                  place_y(&a, r.attainable), x, place_y(&a, reached));
    base_text_add(out, "<circle class=\"at\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\" />\n", x, place_y(&a, reached));
    base_text_add(out, "<text x=\"%.1f\" y=\"%.1f\">estimate</text>\n</svg>\n", x + 9,
                  place_y(&a, reached) + 4);
}
