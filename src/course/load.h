// course, inside: loading one task.toml into a course_task. The parts share the document, whose first failure
// stays: each does nothing after it.
#ifndef COURSE_LOAD_H
#define COURSE_LOAD_H

#include "course/course.h"
#include "course/toml.h"

// signature.c: function, parameters, axes. Whole-number scalars become axes unless `scalars` (may be NULL) has
// them.
void course_load_signature(course_toml *toml, course_toml_value *scalars, course_task *task);

// task_data.c: [buffers], [scalars], [data], [reference], [bound].
void course_load_buffers(course_toml *toml, course_task *task);
// task_cases.c: [[case]], [[gate]], [speed], [launch]; every expression is tried on every case.
void course_load_cases(course_toml *toml, course_task *task);
void course_load_gates(course_toml *toml, course_task *task);
void course_load_speed(course_toml *toml, course_task *task);
void course_load_launch(course_toml *toml, course_task *task);
// task_answers.c: [given], [[answer]], [[command]].
void course_load_answers(course_toml *toml, course_task *task);

// The value of an expression over the case's axes; `block` where not 0. Fails at `at`.
double course_load_evaluate(course_toml *toml, const course_toml_value *at, const course_task *task,
                            const course_case *c, const char *expression, double block);
// The parameter of that name; NULL and a failure at the key of `at`, with the nearest of its kind.
course_parameter *course_load_parameter(course_toml *toml, const course_toml_value *at, course_task *task);
bool course_is_identifier(const char *text);
bool course_is_id(const char *text); // of tasks and topics: "vector-add"
// Whether a regular expression compiles; fails at `at`.
bool course_load_pattern(course_toml *toml, const course_toml_value *at, const char *pattern, size_t groups);
bool course_is_one_of(const char *word, const char *const *words); // ends with NULL
bool course_is_case_data(const char *word); // "nan": what a case may say for all inputs

// markers.c: the learner's file, or the solution without its marks, made from the solution's text. `name` is for
// messages. malloc'ed.
kz_status course_split_marks(const char *name, const char *text, bool starter, char **out, kz_error *error);

#endif
