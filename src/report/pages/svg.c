// Pieces of SVG pictures; see svg.h.
#include "report/pages/svg.h"

#include <math.h>
#include <string.h>

#include "report/pages/html.h"
#include "report/report.h"

static const char style[] =
    "text{font:13px system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:#1f2328}"
    ".back{fill:#fdfdfb}.title{font-size:15px;font-weight:600}.dim{fill:#656d76;font-size:12px}"
    ".mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px}"
    ".in{font-size:10px;fill:#fff}"
    ".grid{stroke:#dfe3e8}.axis{stroke:#656d76}.off{fill:#e6e9ed}.mark{stroke:#c4320a;stroke-dasharray:5 4}"
    ".peak{stroke:#1f2328;fill:none;stroke-width:2}.series{fill:none;stroke-width:2.2;stroke-linejoin:round}"
    ".s0{stroke:#0b62c4}.s1{stroke:#c2570c}.s2{stroke:#1a7f37}.s3{stroke:#7c3fcf}"
    ".s1{stroke-dasharray:7 3}.s2{stroke-dasharray:2 3}.s3{stroke-dasharray:9 3 2 3}"
    ".f0{fill:#0b62c4}.f1{fill:#c2570c}.f2{fill:#1a7f37}.f3{fill:#7c3fcf}\n"
    "@media(prefers-color-scheme:dark){text{fill:#dfe3e8}.back{fill:#15181c}.dim{fill:#9aa4af}.in{fill:#"
    "0d1117}"
    ".grid{stroke:#30363d}.axis{stroke:#8b949e}.off{fill:#272d35}.mark{stroke:#ff8a65}.peak{stroke:#dfe3e8}"
    ".s0{stroke:#58a6ff}.s1{stroke:#f0883e}.s2{stroke:#56d364}.s3{stroke:#bc8cff}"
    ".f0{fill:#58a6ff}.f1{fill:#f0883e}.f2{fill:#56d364}.f3{fill:#bc8cff}}\n";

void report_svg_begin(base_text *out, double width, double height, const char *label) {
    base_text_add(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
                  "height=\"%g\" role=\"img\" aria-label=\"",
                  width, height, width, height);
    report_html_text(out, label);
    base_text_add(out, "\">\n<style>\n%s</style>\n", style);
    report_svg_rect(out, "back", 0, 0, width, height);
}

void report_svg_end(base_text *out) { base_text_add(out, "</svg>\n"); }

double report_svg_position(const report_svg_axis *a, double value) {
    double part = a->log ? (log10(value) - log10(a->low)) / (log10(a->high) - log10(a->low))
                         : (value - a->low) / (a->high - a->low);
    return a->from + part * (a->to - a->from);
}

// -0 becomes 0.
double report_svg_round(double pixels) { return round(10 * pixels) / 10 + 0.0; }

void report_svg_line(base_text *out, const char *class_, double x1, double y1, double x2, double y2) {
    base_text_add(out, "<line class=\"%s\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" />\n", class_,
                  report_svg_round(x1), report_svg_round(y1), report_svg_round(x2), report_svg_round(y2));
}

void report_svg_rect(base_text *out, const char *class_, double x, double y, double width, double height) {
    base_text_add(out, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" />\n", class_,
                  report_svg_round(x), report_svg_round(y), report_svg_round(width),
                  report_svg_round(height));
}

void report_svg_circle(base_text *out, const char *class_, double x, double y, double radius) {
    base_text_add(out, "<circle class=\"%s\" cx=\"%g\" cy=\"%g\" r=\"%g\" />\n", class_, report_svg_round(x),
                  report_svg_round(y), report_svg_round(radius));
}

// Spaces that a viewer would take away: those at an end, and those after another.
static bool has_wide_spaces(const char *text) {
    size_t length = strlen(text);
    return length && (text[0] == ' ' || text[length - 1] == ' ' || strstr(text, "  "));
}

void report_svg_text(base_text *out, const char *class_, const char *anchor, double x, double y,
                     const char *format, ...) {
    base_text text = {0};
    va_list list;
    va_start(list, format);
    base_text_add_v(&text, format, list);
    va_end(list);
    const char *words = text.data ? text.data : "";
    base_text_add(out, "<text");
    if (class_[0]) base_text_add(out, " class=\"%s\"", class_);
    if (strcmp(anchor, "start") != 0) base_text_add(out, " text-anchor=\"%s\"", anchor);
    base_text_add(out, " x=\"%g\" y=\"%g\"%s>", report_svg_round(x), report_svg_round(y),
                  has_wide_spaces(words) ? " xml:space=\"preserve\"" : "");
    report_html_text(out, words);
    base_text_add(out, "</text>\n");
    base_text_free(&text);
}

static void draw_peak(base_text *out, const report_svg_axis *x, const report_svg_axis *y, double bandwidth,
                      double peak, const char *more) {
    double left = fmax(x->low, y->low / bandwidth); // where the peak enters the picture
    base_text_add(out, "<polyline class=\"peak\"%s points=\"%g,%g %g,%g %g,%g\" />\n", more,
                  report_svg_round(report_svg_position(x, left)),
                  report_svg_round(report_svg_position(y, left * bandwidth)),
                  report_svg_round(report_svg_position(x, peak / bandwidth)),
                  report_svg_round(report_svg_position(y, peak)), report_svg_round(x->to),
                  report_svg_round(report_svg_position(y, peak)));
}

void report_svg_measured_peak(base_text *out, const report_svg_axis *x, const report_svg_axis *y,
                              double bandwidth, double peak) {
    draw_peak(out, x, y, bandwidth, peak, " stroke-dasharray=\"5 4\"");
}

void report_svg_roofline(base_text *out, const report_svg_axis *x, const report_svg_axis *y, double bandwidth,
                         double peak) {
    char text[REPORT_NUMBER];
    for (double e = ceil(log10(x->low) - 1e-9); e <= log10(x->high) + 1e-9; e++) {
        double at = report_svg_position(x, pow(10, e));
        report_svg_line(out, "grid", at, y->to, at, y->from);
        report_svg_text(out, "", "middle", at, y->from + 16, "%g", pow(10, e));
    }
    for (double e = ceil(log10(y->low) - 1e-9); e <= log10(y->high) + 1e-9; e++) {
        double at = report_svg_position(y, pow(10, e));
        report_svg_line(out, "grid", x->from, at, x->to, at);
        report_svg_text(out, "", "end", x->from - 6, at + 4, "%s", report_si(text, pow(10, e), "F/s"));
    }
    draw_peak(out, x, y, bandwidth, peak, "");
}
