// Curves over two axes, with a legend above them.
#include "report/figures/inside.h"
#include "report/report.h"

enum { LEFT = 76, RIGHT = 20, HEIGHT = 260, LEGEND = 26, BOTTOM = 46, CHARACTER = 7 };

static void add_axis(base_text *out, const report_figure_axis *axis, const report_svg_axis *own,
                     const report_svg_axis *other, bool is_x) {
    char text[REPORT_NUMBER];
    for (size_t i = 0; i < axis->tick_count; i++) {
        double at = report_svg_position(own, axis->ticks[i]);
        if (axis->unit)
            report_si(text, axis->ticks[i], axis->unit);
        else
            snprintf(text, sizeof text, "%g", axis->ticks[i]);
        if (is_x) {
            report_svg_line(out, "grid", at, other->to, at, other->from);
            report_svg_text(out, "", "middle", at, other->from + 17, "%s", text);
        } else {
            report_svg_line(out, "grid", other->from, at, other->to, at);
            report_svg_text(out, "", "end", other->from - 8, at + 4, "%s", text);
        }
    }
}

static void add_legend(base_text *out, const report_figure_plot *p) {
    double x = LEFT;
    if (p->series_count < 2) return;
    for (size_t i = 0; i < p->series_count; i++) {
        char class_[32];
        snprintf(class_, sizeof class_, "series s%zu", i);
        report_svg_line(out, class_, x, FIGURE_TOP + 8, x + 26, FIGURE_TOP + 8);
        report_svg_text(out, "", "start", x + 32, FIGURE_TOP + 12, "%s", p->series[i].name);
        x += 32 + CHARACTER * (double)report_width(p->series[i].name) + 22;
    }
}

static void add_series(base_text *out, const report_figure_series *s, size_t index, const report_svg_axis *x,
                       const report_svg_axis *y) {
    char class_[32];
    base_text_add(out, "<polyline class=\"series s%zu\" points=\"", index);
    for (size_t i = 0; i < s->count; i++)
        base_text_add(out, "%g,%g ", report_svg_round(report_svg_position(x, s->x[i])),
                      report_svg_round(report_svg_position(y, s->y[i])));
    base_text_add(out, "\" />\n");
    snprintf(class_, sizeof class_, "f%zu", index);
    for (size_t i = 0; i < s->count && s->marks; i++)
        report_svg_circle(out, class_, report_svg_position(x, s->x[i]), report_svg_position(y, s->y[i]), 3.2);
}

void report_figure_plot_write(base_text *out, const report_figure_plot *p) {
    double top = FIGURE_TOP + (p->series_count > 1 ? LEGEND : 0) + 18;
    report_svg_axis x = {p->x.low, p->x.high, LEFT, FIGURE_WIDTH - RIGHT, p->x.log};
    report_svg_axis y = {p->y.low, p->y.high, top + HEIGHT, top, p->y.log};
    report_figure_begin(out, &p->text, FIGURE_WIDTH, top - FIGURE_TOP + HEIGHT + BOTTOM);
    add_legend(out, p);
    report_svg_text(out, "dim", "start", FIGURE_MARGIN, top - 8, "%s", p->y.title);
    report_svg_text(out, "dim", "middle", (x.from + x.to) / 2, y.from + 36, "%s", p->x.title);
    add_axis(out, &p->x, &x, &y, true);
    add_axis(out, &p->y, &y, &x, false);
    report_svg_line(out, "axis", x.from, y.from, x.to, y.from);
    for (size_t i = 0; i < p->series_count; i++) add_series(out, &p->series[i], i, &x, &y);
    report_svg_end(out);
}
