// The row of one gate: a figure that was counted, against what the task asks for.
#ifndef COURSE_GATE_H
#define COURSE_GATE_H

#include "course.h"

// `counted` says by what and under which assumptions ("by cachegrind, ..."). An error is a broken expression.
kz_status course_gate_add(course_verdict *verdict, const course_gate *gate, double value, const char *counted,
                          kz_error *error);
// The row of a gate that could not be looked at: why, and what to do about it.
void course_gate_skip(course_verdict *verdict, const course_gate *gate, const char *summary,
                      const char *detail);
bool course_gate_same_case(const course_task *task, const course_case *a, const course_case *b);

#endif
