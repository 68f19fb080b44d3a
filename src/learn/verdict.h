// A verdict as people and programs read it, and as the progress keeps it.
#ifndef LEARN_VERDICT_H
#define LEARN_VERDICT_H

#include <stdio.h>

#include "course/course.h"
#include "report/report.h"
#include "store/store.h"

// The file that was run, a row per check, what is wrong in words, and the outcome.
void learn_verdict_print(FILE *file, const report_style *style, const course_verdict *verdict);
// The families of the zoo that go on from a task that is solved, a line each; nothing where there are none.
void learn_verdict_families(FILE *file, const report_style *style, const course_task *task);
// One object; the caller's. NULL when out of memory.
json_t *learn_verdict_json(const course_verdict *verdict);
// Where nothing could be judged: "passed" is false, "reason" is "error", and "error" says what kept it from being
// judged. `file` and `task` may be NULL.
json_t *learn_verdict_failure_json(const char *file, const char *task, const kz_error *error,
                                   int exit_status);

// attempt.c: what the store keeps of it.
void learn_verdict_attempt(const course_verdict *verdict, store_attempt *attempt);

#endif
