// A workload under the sanitizer: a whole program as a process of its own, or kernels of the zoo, guests and learners'
// files inside this one. Every run ends in a record, and everything is said from records.
#ifndef WORKLOAD_SANITIZE_H
#define WORKLOAD_SANITIZE_H

#include "report/findings/findings.h"
#include "report/report.h"
#include "workload/workload.h"

enum { WORKLOAD_SEEDS = 64 };

typedef struct workload_sanitize_options {
    workload_program
        settings; // gpu, nvcc's flags, timeout, output of the first run; `observe` names the detectors.
                  // Whoever interrupts says so in the findings: which signal it was, and after how long
    const char *pattern; // the case or a glob; NULL: all of them
    uint64_t seeds[WORKLOAD_SEEDS];
    size_t seed_count; // one run of each
    bool compare;      // whether the results depend on the schedule
} workload_sanitize_options;

typedef struct workload_sanitize {
    report_findings findings; // opened by the caller, with what is to be ignored
    bool has_run;             // a program has: its warnings were shown
    int exit_code;            // of a program that ended badly; 0 else
    report_progress progress;
} workload_sanitize;

kz_status workload_sanitize_run(const workload *w, const workload_sanitize_options *options,
                                workload_sanitize *run, kz_error *error);

// ---- inside ---------------------------------------------------------------------------------------------

typedef struct workload_sanitizer { // a run under way
    const workload *w;
    const workload_sanitize_options *options;
    workload_sanitize *run;
} workload_sanitizer;

// Runs `once` with each seed, and takes the findings of each record under the name.
typedef kz_status (*workload_sanitize_once)(void *context, uint64_t seed, size_t which, report_record *record,
                                            kz_error *error);
kz_status workload_sanitize_seeds(const workload_sanitizer *s, const char *name, workload_sanitize_once once,
                                  void *context, kz_error *error);
bool workload_sanitize_stops(const workload_sanitizer *s); // the user has had enough
// A program, or a task's host function on one case: the output of the first run alone is shown.
kz_status workload_sanitize_program(const workload_sanitizer *s, const course_case *c, kz_error *error);
kz_status workload_sanitize_task(const workload_sanitizer *s,
                                 kz_error *error); // every case, or that of the pattern
kz_status workload_sanitize_zoo(const workload_sanitizer *s,
                                kz_error *error); // kernels of the zoo, and guests

#endif
