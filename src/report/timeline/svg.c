// Timelines as pictures: a row per engine, a row per stream, a bar per operation.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figures/inside.h"
#include "report/pages/html.h"
#include "report/report.h"
#include "report/timeline/timeline.h"

enum { ROW = 26, BAR = 18, NAMES = 96, TICKS = 4 };

static void draw_row(base_text *out, const report_timeline *t, const report_svg_axis *x, double y,
                     bool by_engine, unsigned row, const char *name) {
    report_svg_text(out, "mono", "end", x->from - 8, y + BAR - 4, "%s", name);
    for (size_t i = 0; i < t->count; i++) {
        const report_timeline_span *s = &t->spans[i];
        if ((by_engine ? (unsigned)s->engine : s->stream) != row) continue;
        char class_[8];
        snprintf(class_, sizeof class_, "f%d", (int)s->engine);
        double from = report_svg_position(x, s->start), to = report_svg_position(x, s->end);
        report_svg_rect(out, class_, from, y, fmax(to - from - 0.6, 0.4),
                        BAR); // a hair's breadth between bars
    }
}

void report_timeline_svg(base_text *out, const report_timeline *t) {
    unsigned streams[REPORT_TIMELINE_STREAMS];
    size_t count = report_timeline_streams(t, streams);
    report_timeline_totals sums = report_timeline_sum(t);
    char end[REPORT_NUMBER], note[240], name[REPORT_STREAM_NAME];
    snprintf(note, sizeof note, "%s on %s: %s from start to end, %.0f%% of the copying behind a kernel.",
             t->modelled ? "By the model of time" : "Measured", t->device, report_seconds(end, t->seconds),
             sums.copied > 0 ? 100 * sums.hidden / sums.copied : 0);
    report_figure_text text = {.title = t->title, .note = note};
    double rows = (double)(DEVICE_ENGINES + count), height = rows * ROW + ROW + 24, y = FIGURE_TOP + 4;
    report_svg_axis x = {.low = 0,
                         .high = t->seconds > 0 ? t->seconds : 1,
                         .from = FIGURE_MARGIN + NAMES,
                         .to = FIGURE_WIDTH - FIGURE_MARGIN};
    report_figure_begin(out, &text, FIGURE_WIDTH, height);
    for (int i = 0; i <= TICKS; i++) {
        double value = t->seconds * i / TICKS, at = report_svg_position(&x, value);
        report_svg_line(out, "grid", at, y, at, FIGURE_TOP + height - 22);
        report_svg_text(out, "dim",
                        i == 0       ? "start"
                        : i == TICKS ? "end"
                                     : "middle",
                        at, FIGURE_TOP + height - 8, "%s", i ? report_seconds(end, value) : "0");
    }
    for (int e = 0; e < DEVICE_ENGINES; e++, y += ROW)
        draw_row(out, t, &x, y, true, (unsigned)e, device_engine_name((device_engine)e));
    y += ROW / 2;
    for (size_t i = 0; i < count; i++, y += ROW) {
        report_timeline_name_stream(t, streams[i], name);
        draw_row(out, t, &x, y, false, streams[i], name);
    }
    report_svg_end(out);
}

static void write_rows(base_text *out, const report_timeline *t) {
    char start[REPORT_NUMBER], took[REPORT_NUMBER], bytes[REPORT_NUMBER];
    base_text_add(out,
                  "<table><tr><th>operation</th><th>engine</th><th>stream</th><th>bytes</th><th>from</th>"
                  "<th>took</th></tr>\n");
    for (size_t i = 0; i < t->count; i++) {
        const report_timeline_span *s = &t->spans[i];
        base_text_add(out, "<tr><td>");
        report_html_text(out, s->name);
        base_text_add(out, "</td><td>%s</td><td>%u</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
                      device_engine_name(s->engine), s->stream,
                      s->bytes ? report_bytes(bytes, (double)s->bytes) : "", report_seconds(start, s->start),
                      report_seconds(took, s->end - s->start));
    }
    base_text_add(out, "</table>\n");
}

void report_timeline_html(base_text *out, const report_timeline *t) {
    char title[200];
    snprintf(title, sizeof title, "Timeline of %s", t->title);
    report_html_begin(out, title, "");
    base_text_add(out, "<h1>");
    report_html_text(out, title);
    base_text_add(out, "</h1>\n");
    report_timeline_svg(out, t);
    write_rows(out, t);
    report_html_end(out);
}
