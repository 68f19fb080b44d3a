// Paragraphs on a terminal.
#include <string.h>

#include "report/profile/show.h"

enum { MOST_WIDTH = 110 };

int report_prof_page_width(const report_style *style) {
    int width = style->width - 1;
    return width < MOST_WIDTH ? width : MOST_WIDTH;
}

// Words of `text`, wrapped; further lines begin under the first.
void report_prof_print_wrapped(FILE *file, const report_style *style, report_tone tone, int indent,
                               const char *text) {
    int column = indent, width = report_prof_page_width(style);
    for (const char *at = text; *at;) {
        size_t blanks = strspn(at, " "), length = strcspn(at + blanks, " ");
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)length, at + blanks);
        int size = (int)report_width(word);
        if (column > indent && column + 1 + size > width) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', file);
            column++;
        }
        report_print(file, style, tone, "%s", word);
        column += size;
        at += blanks + length;
    }
    fputc('\n', file);
}
