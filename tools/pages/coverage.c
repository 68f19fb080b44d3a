// docs/coverage.md: what the course teaches where; and whether all that it points to is there.
#include <stdio.h>

#include "course/course.h"
#include "pages.h"

kz_status pages_coverage(pages_writer *w, const char *const *words, size_t count, kz_error *error) {
    static const char *const verbs[] = {
#define CLI_VERB(name, text) #name,
#include "cli/verbs.def"
#undef CLI_VERB
        NULL};
    course_catalogue *catalogue = NULL;
    base_text page = {0}, problems = {0};
    kz_status status = course_open("course", &catalogue, error);
    if (status) return status;
    course_write_coverage(catalogue, &page);
    if (w->check) status = course_review(catalogue, verbs, "docs", &problems, error);
    if (problems.data) fprintf(stderr, "%s", problems.data);
    if (!status) status = pages_put(w, "docs/coverage.md", &page, error);
    base_text_free(&page);
    base_text_free(&problems);
    course_close(catalogue);
    return status;
}
