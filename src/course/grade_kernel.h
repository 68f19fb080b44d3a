// A kernel's grading, inside: what grade_kernel.c prepares and speed.c goes on with.
#ifndef COURSE_GRADE_KERNEL_H
#define COURSE_GRADE_KERNEL_H

#include "kernel.h"

enum { COURSE_KERNEL_RUNS = COURSE_JUDGE_RUNS, COURSE_KERNEL_GATES = 64 };

// What the grader keeps beside a run of the job.
typedef struct course_kernel_run {
    size_t data; // its index
    uint64_t schedule;
    uint64_t count; // of a wrong one: elements of the output that is
    bool is_gate, is_wrong;
    bool is_factor, is_near;                  // of a wrong one: see family_comparison
    bool has_race, has_undefined, is_orderly; // of a wrong one, as the instruments say
    char name[240];                           // "n=1025, seed 7"
} course_kernel_run;

typedef struct course_kernel_grading {
    const course_grade_job *job;
    uint64_t public_seed;
    toolchain tools;
    char *ptx;
    ptx_module *module;
    family_lines lines; // the learner's launch lines
    bool own_launch_is_wrong;
    base_text warnings;    // the compiler's
    base_text other_types; // parameters that are declared with another type than the signature's
    int fills[COURSE_PARAMETERS];
    char instruments[64], gate_instruments[96]; // of cases, of gates
    course_reference *reference;
    course_data data[COURSE_KERNEL_RUNS];
    kz_launch launches[COURSE_KERNEL_RUNS]; // of each data
    size_t data_count;
    course_judge_run runs[COURSE_KERNEL_RUNS];
    course_kernel_run own[COURSE_KERNEL_RUNS];
    size_t job_count;
    size_t case_runs;       // the first so many are of cases, the rest of gates
    const char *row_suffix; // what rows end with: " on the GPU", or ""
    size_t gate_runs[COURSE_KERNEL_GATES];
    size_t lanes_run; // of a task without gates: the run whose lanes are counted; 0: none
} course_kernel_grading;

kz_status course_kernel_run_child(const course_kernel_grading *g, const course_judge_job *job, double seconds,
                                  course_judge_answer *answer, sandbox_result *ended, kz_error *error);

// Rows for what a child sent: kernel_judge.c.
kz_status course_kernel_judge(course_kernel_grading *g, const course_judge_answer *answer,
                              const sandbox_result *ended, course_verdict *verdict, kz_error *error);

// The speed gate: speed.c.
kz_status course_kernel_speed(course_kernel_grading *g, bool on_gpu, course_verdict *verdict,
                              kz_error *error);

#endif
