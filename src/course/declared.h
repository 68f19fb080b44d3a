// What types the submission's own declaration gives the parameters, as far as its text tells.
#ifndef COURSE_DECLARED_H
#define COURSE_DECLARED_H

#include "course.h"

// A line for each parameter whose declared type is surely another one than the signature's: "x is declared double *,
// and the grader gives const float *". PTX knows sizes alone, so this is read from the source, and nothing is said
// where that leaves a doubt: types of one's own, macros, templates, vectors, bytes, a sign more or less.
void course_declared_types(const course_task *task, const char *source, base_text *lines);

#endif
