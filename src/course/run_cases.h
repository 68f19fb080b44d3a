// Runs a harness's executable on cases and says in words what went wrong: shared by the kinds c and program.
#ifndef COURSE_RUN_CASES_H
#define COURSE_RUN_CASES_H

#include "harness.h"

typedef struct course_runner {
    const course_grade_job *job;
    course_verdict *verdict;
    course_reference *reference;
    const char *folder;             // the run's working directory, which it may write
    const char *executable;         // lies elsewhere, and is shown to it; NULL: in the folder
    const char *const *argv;        // the executable, and what stands before it; ends with NULL
    const char *const *environment; // ends with NULL
    const char *const *explaining;  // of a second run of what failed, which may fork and decides nothing: a
                                    // sanitizer asks another program for lines; NULL: the first has them
    double seconds;                 // for one process
    uint64_t memory;                // 0: no limit
    bool may_fork, uses_gpu, signals_threads; // as a sandbox_process has them
    // Reads reports of sanitizers and the like about the last run, and adds a row; false where there is nothing.
    // With `only_faults` it leaves what is no fault for later: results come in between. May be NULL.
    bool (*explain)(const struct course_runner *runner, const course_data *data, const char *where,
                    const sandbox_result *result, bool only_faults);
    // Whether right results were come by in the right way: of the calls of the last run, which are `data`; adds a row and
    // is true where they were not. May be NULL.
    bool (*check_work)(const struct course_runner *runner, const course_data *data, size_t count,
                       const char *where, const sandbox_result *result);
    void *context;
    uint64_t seed;    // of course_run_one's data; 0: the fresh one
    size_t log_bytes; // as a sandbox_process has it
    const char *row;  // the name of the row that says that all is right; NULL: "results"
    bool together;    // all cases in one process first: right there is right
} course_runner;

// One process for these jobs. Errors are the grader's; how it went is in jobs and result. Free the result's texts.
kz_status course_run_jobs(const course_runner *runner, course_harness_job *jobs, size_t count,
                          sandbox_result *result, kz_error *error);
// One job on `c`. `data` is to be closed in any case.
kz_status course_run_one(const course_runner *runner, const course_case *c, uint32_t calls, uint32_t flags,
                         course_data *data, course_harness_job *job, sandbox_result *result, kz_error *error);
// Every case on the public and on the fresh seed, each in a process of its own, until one fails: a row "results". With
// `together` only where they are not all right in a single one.
kz_status course_run_cases(const course_runner *runner, kz_error *error);

// The row about a job whose result is wrong or that wrote beside its buffers; `bad` where one was added. Runs that
// are counted or timed are judged too: who does nothing there is fast.
kz_status course_add_result(const course_runner *runner, const course_harness_job *job, const char *where,
                            const sandbox_result *result, bool *bad, kz_error *error);

// The row about a run that did not answer: crash, exit, endless loop. True where it was added.
bool course_add_end(const course_runner *runner, const course_data *data, const char *where, bool answered,
                    const sandbox_result *result);
// The row about one that answered, and that the sanitizers or a nonzero exit code speak against all the same. True where it
// was added.
bool course_add_exit(const course_runner *runner, bool leaks, const char *where,
                     const sandbox_result *result);

enum { COURSE_SANITIZER_EXIT = 99 }; // what the sanitizers are told to end with

#endif
