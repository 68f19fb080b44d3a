// course, inside: copies a folder of course/template, with words put in.
#ifndef COURSE_TEMPLATE_H
#define COURSE_TEMPLATE_H

#include "course/course.h"

typedef struct course_template_word {
    const char *mark, *text; // "@NAME@"; the list ends with a NULL mark
} course_template_word;

// `name` is a folder below template/ of the course that course_find finds. Marks are replaced in contents and in
// file names.
kz_status course_template_copy(const char *name, const char *to, const course_template_word *words,
                               kz_error *error);

#endif
