// The portfolio: passed works with their code, figures over the attempts, and what was written about them.
#include <math.h>
#include <string.h>

#include "report/pages/html.h"
#include "report/learner/learner.h"

enum { WIDTH = 520, HEIGHT = 170, LEFT = 62, RIGHT = 12, TOP = 12, BOTTOM = 26 };

static const char more_style[] =
    ".tag{font-size:.75rem;border:1px solid currentColor;border-radius:4px;padding:0 .4rem;margin-left:.5rem;"
    "vertical-align:middle;color:var(--good)}\n"
    "pre.code{background:var(--panel);padding:.8rem 1rem;overflow-x:auto;border-radius:6px;line-height:1.4}\n"
    "svg .line{stroke:var(--good);fill:none;stroke-width:2}svg .point{fill:var(--good)}svg "
    ".best{fill:var(--hot);"
    "stroke:none}svg .axis{stroke:var(--line)}svg .small{font-size:11px;fill:var(--dim)}\n"
    "blockquote{border-left:3px solid var(--line);margin:.5rem 0;padding:.1rem 1rem;white-space:pre-line}\n"
    "h3 .dim{font-weight:400}details.work{border-bottom:1px solid var(--line);padding:.35rem "
    "0}details.work>summary{"
    "display:flex;flex-wrap:wrap;gap:0 "
    ".8rem;justify-content:space-between}details.work>summary::before{content:"
    "\"\\25b8\"}details.work[open]>summary::before{content:\"\\25be\"}details.work>summary>b{flex:1;font-"
    "weight:500;"
    "min-width:12rem}details.work>:not(summary){margin-left:1.4rem}\n"
    "@media(max-width:30rem){body{padding:1rem}details.work>:not(summary){margin-left:0}}\n";

// ---- a figure over the attempts -------------------------------------------------------------------------

typedef struct scale {
    double low, high;
    size_t count;
} scale;

static double at_x(const scale *s, size_t i) {
    double room = WIDTH - LEFT - RIGHT;
    return s->count > 1 ? LEFT + room * (double)i / (double)(s->count - 1) : LEFT + room / 2;
}

static double at_y(const scale *s, double value) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - s->low) / (s->high - s->low));
}

static scale make_scale(const report_line *line) {
    scale s = {INFINITY, -INFINITY, line->point_count};
    for (size_t i = 0; i < line->point_count; i++)
        s.low = fmin(s.low, line->points[i].value), s.high = fmax(s.high, line->points[i].value);
    double room = (s.high - s.low) * 0.1;
    if (!(room > 0)) room = fmax(fabs(s.high) * 0.5, 0.5);
    s.high += room;
    s.low = s.low >= 0 ? 0 : s.low - room; // from 0, so that heights can be compared
    return s;
}

static void add_grid(base_text *out, const scale *s) {
    char text[REPORT_NUMBER];
    for (int i = 0; i <= 2; i++) {
        double value = s->low + (s->high - s->low) * i / 2, y = at_y(s, value);
        base_text_add(
            out,
            "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" /><text class=\"small\" "
            "x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
            LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, report_si(text, value, ""));
    }
}

void report_line_svg(base_text *out, const report_line *line) {
    if (!line->point_count) return;
    scale s = make_scale(line);
    base_text_add(
        out,
        "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" style=\"max-width:100%%\" role=\"img\" "
        "aria-label=\"",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    report_html_text(out, line->figure);
    base_text_add(out, " over %zu attempts, best %.4g\">\n", line->point_count, line->best);
    add_grid(out, &s);
    base_text_add(out, "<polyline class=\"line\" points=\"");
    for (size_t i = 0; i < line->point_count; i++)
        base_text_add(out, "%s%.1f,%.1f", i ? " " : "", at_x(&s, i), at_y(&s, line->points[i].value));
    base_text_add(out, "\" />\n");
    for (size_t i = 0; i < line->point_count; i++) {
        const report_point *p = &line->points[i];
        bool best = p->value == line->best;
        base_text_add(
            out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>%s: %.4g</title></circle>\n",
            best ? "best" : "point", at_x(&s, i), at_y(&s, p->value), best ? 5 : 3, p->day, p->value);
    }
    base_text_add(out,
                  "<text class=\"small\" x=\"%d\" y=\"%d\">attempts that passed, %s to %s</text>\n</svg>\n",
                  LEFT, HEIGHT - 6, line->points[0].day, line->points[line->point_count - 1].day);
}

// ---- works ----------------------------------------------------------------------------------------------

static void add_line(base_text *out, const report_line *line) {
    char how[80], value[REPORT_NUMBER];
    base_text_add(out, "<h3><code>");
    report_html_text(out, line->figure);
    base_text_add(out, "</code>: best %s <span class=\"dim\">(", report_figure(value, line->best));
    report_html_text(out, report_how_measured(line->figure, line->device, how, sizeof how));
    base_text_add(out, "; %s is better)</span></h3>\n", line->larger_is_better ? "larger" : "smaller");
    if (line->point_count > 1) report_line_svg(out, line); // one point draws no line
}

// What the task was, its figures, what was written about it.
static void add_story(base_text *out, const report_work *w) {
    base_text_add(out, "<p class=\"dim\"><code>");
    report_html_text(out, w->task);
    base_text_add(out, "</code>, passed on %s after %llu attempt%s</p>\n<p>", w->day,
                  (unsigned long long)w->attempts, w->attempts == 1 ? "" : "s");
    report_html_text(out, w->about);
    base_text_add(out, "</p>\n");
    for (size_t i = 0; i < w->line_count; i++) add_line(out, &w->lines[i]);
    if (!w->line_count)
        base_text_add(out, "<p class=\"dim\">This task has no figure: it is right or wrong.</p>\n");
    for (size_t i = 0; i < w->insight_count; i++) {
        base_text_add(out, "<h3>");
        report_html_text(out, w->insights[2 * i]);
        base_text_add(out, "</h3>\n<blockquote>");
        report_html_lines(out, w->insights[2 * i + 1]);
        base_text_add(out, "</blockquote>\n");
    }
}

static void add_code(base_text *out, const report_work *w) {
    if (!w->code) {
        base_text_add(out, "<p class=\"dim\">The code that passed was not kept.</p>\n");
        return;
    }
    base_text_add(out, "<pre class=\"code\">");
    report_html_lines(out, w->code);
    base_text_add(out, "</pre>\n");
}

static void add_capstone(base_text *out, const report_work *w) {
    base_text_add(out, "<h2 id=\"");
    report_html_text(out, w->task);
    base_text_add(out, "\">");
    report_html_text(out, w->title);
    base_text_add(out, "<span class=\"tag\">capstone</span></h2>\n");
    add_story(out, w);
    if (w->code) base_text_add(out, "<details open=\"open\"><summary>The code that passed</summary>\n");
    add_code(out, w);
    if (w->code) base_text_add(out, "</details>\n");
}

// A line that opens: a learner has a hundred of these.
static void add_work(base_text *out, const report_work *w) {
    base_text_add(out, "<details class=\"work\" id=\"");
    report_html_text(out, w->task);
    base_text_add(out, "\"><summary><b>");
    report_html_text(out, w->title);
    base_text_add(out, "</b><span class=\"dim\">");
    if (w->line_count) {
        char how[80], value[REPORT_NUMBER];
        const report_line *line = &w->lines[0];
        base_text_add(out, "<code>");
        report_html_text(out, line->figure);
        base_text_add(out, "</code> %s, ", report_figure(value, line->best));
        report_html_text(out, report_how_measured(line->figure, line->device, how, sizeof how));
    }
    base_text_add(out, "</span></summary>\n");
    add_story(out, w);
    add_code(out, w);
    base_text_add(out, "</details>\n");
}

void report_portfolio_html(base_text *out, const report_portfolio *p) {
    const char *title = p->name && p->name[0] ? p->name : "Portfolio";
    report_html_begin(out, title, more_style);
    base_text_add(out, "<h1>");
    report_html_text(out, title);
    base_text_add(out, "</h1>\n");
    if (p->introduction && p->introduction[0]) {
        base_text_add(out, "<p style=\"white-space:pre-line\">");
        report_html_lines(out, p->introduction);
        base_text_add(out, "</p>\n");
    }
    base_text_add(out,
                  "<p class=\"dim\">Work on GPU kernels with Kernel Zoo; %zu of %zu "
                  "tasks passed as of %s. "
                  "Everything here passed the checks of its task; the code is what passed. Each figure says "
                  "whether it was "
                  "counted, or timed, and on what.</p>\n",
                  p->done, p->total, p->today);
    if (!p->work_count)
        base_text_add(out, "<p>Nothing has been passed yet that has a figure or is a capstone.</p>\n");
    size_t capstones = 0; // they come first
    while (capstones < p->work_count && p->works[capstones].capstone) capstones++;
    for (size_t i = 0; i < capstones; i++) add_capstone(out, &p->works[i]);
    if (capstones < p->work_count)
        base_text_add(out,
                      "<h2>%s</h2>\n<p class=\"dim\">Each opens: what was asked, the figure over the "
                      "attempts, the code.</p>\n",
                      capstones ? "More work" : "Work");
    for (size_t i = capstones; i < p->work_count; i++) add_work(out, &p->works[i]);
    report_html_end(out);
}
