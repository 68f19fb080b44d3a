// The row of one gate: a figure that was counted, against what the task asks for.
#ifndef COURSE_GATE_H
#define COURSE_GATE_H

#include "course.h"
#include "report/record/record.h"

// `counted` says by what and under which assumptions ("by cachegrind, ..."). An error is a broken expression.
kz_status course_gate_add(course_verdict *verdict, const course_gate *gate, double value, const char *counted,
                          kz_error *error);
// The row of a gate that could not be looked at: why, and what to do about it.
void course_gate_skip(course_verdict *verdict, const course_gate *gate, const char *summary,
                      const char *detail);
// Whether kernels are held to it in every task.
bool course_gate_is_of_all(const char *metric);
// Rows where the instructions, or the memory requests, of a run on this case had few active lanes: a kernel that works one
// element after the other misses hardly any other gate. Nothing where the task gates on that metric itself.
kz_status course_gate_check_lanes(course_verdict *verdict, const course_case *at, const report_record *record,
                                  kz_error *error);
// The seed of runs that are counted: of no case, whose answer a submission may have kept.
uint64_t course_gate_seed(uint64_t fresh_seed);
bool course_gate_same_case(const course_task *task, const course_case *a, const course_case *b);

#endif
