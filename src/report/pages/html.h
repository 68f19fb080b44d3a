// Pieces of every HTML page: the frame and escaped text. A page is one file and needs nothing else.
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/base.h"

void report_html_begin(base_text *out, const char *title,
                       const char *more_style); // "" where there is no more
void report_html_end(base_text *out);
void report_html_text(base_text *out, const char *text); // escaped; newlines become spaces
void report_html_bytes(base_text *out, const char *text, size_t length);
void report_html_lines(base_text *out, const char *text); // escaped; newlines stay

#endif
