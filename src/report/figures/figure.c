// The frame of a figure; see figure.h.
#include "report/figures/inside.h"

#include <string.h>

enum { NOTE_LINE = 16 };

double report_figure_note_height(const report_figure_text *text) {
    double lines = 1;
    for (const char *c = text->note; *c; c++) lines += *c == '\n';
    return lines * NOTE_LINE + 12;
}

void report_figure_begin(base_text *out, const report_figure_text *text, double width, double height) {
    double note = FIGURE_TOP + height;
    report_svg_begin(out, width, note + report_figure_note_height(text), text->title);
    report_svg_text(out, "title", "start", FIGURE_MARGIN, 25, "%s", text->title);
    for (const char *line = text->note; line;) {
        const char *end = strchr(line, '\n');
        note += NOTE_LINE;
        report_svg_text(out, "dim", "start", FIGURE_MARGIN, note, "%.*s",
                        end ? (int)(end - line) : (int)strlen(line), line);
        line = end ? end + 1 : NULL;
    }
}
