// report/markdown: a page of Markdown as a terminal shows it.
//
// What our own pages use, and no more: headings, paragraphs, lists, quotes, fenced and indented code, tables,
// rules, `code`, *emphasis*, **strength**, links. Paragraphs are wrapped; code is left as it is.
#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include "report/report.h"

enum { REPORT_READING_WIDTH = 96 }; // lines longer than this are tiring to read

// Prints `markdown`, each line `indent` columns in. Without colour, the marks that carry a meaning (backquotes,
// asterisks of emphasis) stay; without UTF-8, signs are spelt in ASCII.
void report_markdown_print(FILE *file, const report_style *style, const char *markdown, int indent);

// What is said of a link's or an image's address, in brackets behind its words: `out` stays empty where nothing
// is. Without one, the address itself.
typedef struct report_links {
    void (*say)(void *context, const char *address, bool is_image, base_text *out);
    void *context;
} report_links;
void report_markdown_print_linked(FILE *file, const report_style *style, const char *markdown, int indent,
                                  const report_links *links);

// One paragraph of plain text (no Markdown), wrapped: the first line begins where the cursor is, at column
// `column`; the others are `indent` columns in. Ends with a newline.
void report_wrap(FILE *file, const report_style *style, const char *text, int column, int indent);

#endif
