// A learner's kernel on the way to its runs: what the grader, and the tools that look inside a kernel, share.
#ifndef COURSE_KERNEL_H
#define COURSE_KERNEL_H

#include "course.h"
#include "family/lines.h"
#include "judge.h"
#include "ptx/ptx.h"
#include "toolchain/toolchain.h"

// `refused`: the error is the compiler's about the file. `warnings` gets the compiler's; may be NULL.
kz_status course_kernel_compile(const course_task *task, const char *file, bool for_debugging,
                                toolchain *tools, char **ptx, base_text *warnings, bool *refused,
                                kz_error *error);
// There must be an entry of the task's name that takes the task's parameters; else the texts say what is wrong.
bool course_kernel_fits(const course_task *task, const ptx_module *module, base_text *summary,
                        base_text *detail);
// The shape of a case's launch. `own_is_wrong`: an error is of the learner's lines.
kz_status course_kernel_launch(const course_task *task, const course_case *c, const family_lines *lines,
                               kz_launch *launch, bool *own_is_wrong, kz_error *error);
// Whether the grid is the task's, and no line of the learner's has changed it.
bool course_kernel_gives_grid(const course_task *task, const family_lines *lines);

// The byte that each buffer is filled with: the learner's line before the task's.
kz_status course_kernel_fills(const course_task *task, const family_lines *lines,
                              int fills[COURSE_PARAMETERS], kz_error *error);
// The buffers, arguments and shape of a run on this data.
void course_kernel_fill_run(const course_data *data, const int fills[COURSE_PARAMETERS],
                            const kz_launch *launch, course_judge_run *run);
// Takes a run's buffers over into the data's `got`, which it owns.
kz_status course_kernel_take(course_data *data, const course_judge_result *result, kz_error *error);

#endif
