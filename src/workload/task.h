// A learner's file: which task it is for, and whether the tools that look inside kernels can look into it. Kernels run
// in this process; functions of the host get the grader's main around them.
#ifndef WORKLOAD_TASK_H
#define WORKLOAD_TASK_H

#include "course/inspect.h"
#include "workload/program.h"

enum { WORKLOAD_TASK_SECONDS = 60 }; // for one run of a kernel, where --timeout says nothing

typedef struct workload_task {
    course_catalogue *catalogue;
    const course_task *task; // NULL: the file is for none
    const char *file;
} workload_task;

// A .cu, .c or .txt file without a main of its own: a learner's, or nothing that can be run.
bool workload_task_may_be(const char *file);
// Whether `file` is for a task: `id` (of --task; may be NULL) says so, or a line "// kz: task ID" or its folder does
// and it has no main of its own. Close it in any case.
kz_status workload_task_open(const char *command, const char *file, const char *id, workload_task *found,
                             kz_error *error);
void workload_task_close(workload_task *found);

// Tasks that `command` cannot look into, for they ask for no CUDA, are errors that say what can.
kz_status workload_task_check(const char *command, const workload_task *found, kz_error *error);
// The error for a file that is not there. A bare name is probably typed in another folder than the file's.
kz_status workload_task_fail_missing(const char *command, const char *file, kz_error *error);

// The case that --case says, or that `choose` takes where `text` is NULL.
kz_status workload_task_case(const course_task *task, const char *text,
                             kz_status (*choose)(const course_task *, course_case *, kz_error *),
                             course_case *c, kz_error *error);

// What became of one case: `wrong` has the words where the answer is.
typedef struct workload_answer {
    bool given; // false: the call did not return, or nobody asked
    kz_error wrong;
    char name[200]; // of the case
} workload_answer;

// Runs a task of form program on one case: `program` has all but files and what stands around them. `answer` may be
// NULL: then nobody looks at it.
kz_status workload_task_run(const workload_task *found, const course_case *c, const workload_program *program,
                            workload_answer *answer, workload_result *result, kz_error *error);

#endif
