// The lab notebook's pages as text: pure functions.
#ifndef LEARN_NOTEBOOK_PAGE_H
#define LEARN_NOTEBOOK_PAGE_H

#include "base/base.h"

// The section between the marks is ours, every other byte the learner's. Gives the page with `section` in the
// place of the last marked section; where the page has none (any more), it comes at the end. `page` NULL: a
// new page for `day`, with questions.
void learn_notebook_merge(const char *page, const char *day, const char *section, base_text *out);

void learn_notebook_insight(const char *title, const char *day, base_text *out);
void learn_notebook_microbench(const char *name, const char *day, const char *device, base_text *out);

// A file's name from a title: "Padding beats swizzling?" is "padding-beats-swizzling". False where nothing is
// left.
bool learn_notebook_slug(const char *title, char *slug, size_t size);

#endif
