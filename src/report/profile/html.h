// Pieces of the HTML pages: the frame, escaped text, and the roofline as SVG.
#ifndef REPORT_PROF_HTML_H
#define REPORT_PROF_HTML_H

#include "report/profile/profile.h"

void report_prof_html_begin(base_text *out, const char *title);
void report_prof_html_end(base_text *out);
void report_prof_html_text(base_text *out, const char *text); // escaped
void report_prof_html_bytes(base_text *out, const char *text, size_t length);
// One kernel: verdict, resources, roofline, facts, lines, source. `id` makes its anchors unique.
void report_prof_html_kernel(base_text *out, const report_prof *report, const report_prof_kernel *kernel,
                             report_prof_sources *sources, const char *id);
void report_prof_roofline_svg(base_text *out, const report_prof *report, const report_prof_kernel *kernel);

#endif
