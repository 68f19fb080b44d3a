// The frame of a figure; see figure.h.
#include "report/figures/inside.h"

#include <string.h>

enum { NOTE_LINE = 16 };
static const double NOTE_CHARACTER = 6.8; // pixels, in the widest of the fonts that a reader may have

// The characters of the note's next line, which fits into the width; *next is where the one after it begins.
static size_t note_line(const char *note, double width, const char **next) {
    size_t most = (size_t)((width - 2 * FIGURE_MARGIN) / NOTE_CHARACTER), length = strlen(note);
    *next = note + length;
    if (length <= most) return length;
    size_t end = most;
    while (end && note[end] != ' ') end--;
    if (!end) end = strcspn(note, " "); // a word that is too long
    *next = note + end + strspn(note + end, " ");
    return end;
}

static double note_height(const char *note, double width) {
    double lines = 0;
    while (*note) note_line(note, width, &note), lines++;
    return lines * NOTE_LINE + 12;
}

void report_figure_begin(base_text *out, const report_figure_text *text, double width, double height) {
    double y = FIGURE_TOP + height;
    report_svg_begin(out, width, y + note_height(text->note, width), text->title);
    report_svg_text(out, "title", "start", FIGURE_MARGIN, 25, "%s", text->title);
    for (const char *line = text->note, *next; *line; line = next) {
        int length = (int)note_line(line, width, &next);
        y += NOTE_LINE;
        report_svg_text(out, "dim", "start", FIGURE_MARGIN, y, "%.*s", length, line);
    }
}
