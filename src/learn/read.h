// The pages beside the course: what the machine is, what the tools say. On the terminal, by name.
#ifndef LEARN_READ_H
#define LEARN_READ_H

#include <stdio.h>

#include "course/course.h"
#include "report/report.h"

// Shows the page that was typed, "PAGE[#SECTION]"; "" lists them. Needs the course, and no learner.
kz_status learn_read(const char *word, kz_error *error);

// How a learner types the page "concepts/performance": "performance".
const char *learn_read_name(const char *page);

typedef struct learn_pages learn_pages;
kz_status learn_pages_open(const char *course, learn_pages **pages, kz_error *error);
void learn_pages_close(learn_pages *pages);
// The name of page `index` as one types it, and what the page answers; NULL past the last.
const char *learn_pages_get(const learn_pages *pages, size_t index, const char **about);
// One line each; those in `beside` (a step's `reads`, may be NULL) are marked.
void learn_pages_list(const learn_pages *pages, const char *const *beside, FILE *file,
                      const report_style *style);
// A page as the terminal shows it, malloc'ed. `word` is what somebody typed: "execution_model", "exec",
// "docs/concepts/performance.md", "memory_hierarchy#coalescing", a number in the list.
kz_status learn_pages_text(const learn_pages *pages, const char *word, const report_style *style, char **text,
                           size_t *size, kz_error *error);

#endif
