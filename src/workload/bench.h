// The variants of a workload beside each other and their rivals, case by case: timed where there is a clock, else counted.
#ifndef WORKLOAD_BENCH_H
#define WORKLOAD_BENCH_H

#include "bench/resume.h"
#include "report/bench/run.h"
#include "workload/suite.h"
#include "workload/supervise.h"
#include "workload/workload.h"

typedef struct workload_bench_options {
    const char *const *devices; // none: the first GPU, else the simulator
    size_t device_count;
    const char *const *rivals; // see bench_peers_open_named
    size_t rival_count;
    const char *pattern;   // the cases; NULL: those for timing that the device does in reasonable time
    workload_suite *suite; // its cases instead; NULL: none
    bool trial;            // unchecked: no figures either
    bool quick;            // few samples, and of each family few sizes: no figures, but it runs
    const bench_condition *conditions; // see bench_request; none: as the suite says
    size_t condition_count;
    bool assembles;             // ptxas may be asked what the device does not know of a kernel
    const bench_resume *resume; // what it has is not measured again; may be NULL
    bool retry;                 // but where a candidate crashed, hung, failed or was wrong
    uint64_t seed;              // of the inputs
    double time,
        budget;     // seconds for a candidate, and after which no case begins; 0: as the rule says, and none
    double start;   // of the budget, by base_seconds
    double timeout; // seconds without a sign of life after which a candidate hangs; 0: as the phase says
    bool (*interrupted)(void);
    void (*complain)(const kz_error *error,
                     const char *consequence); // what goes wrong on the way; the second may be NULL
    void (*note)(const char *text);
} workload_bench_options;

// Whether it may run in this process: nothing that could take it down, or none that has a clock.
bool workload_bench_is_safe(const workload_bench_options *options);

// Opens devices and rivals, and goes on where the page says that an earlier process ended. Close it whatever is returned.
typedef struct workload_bench workload_bench;
kz_status workload_bench_open(const workload *w, const workload_bench_options *options, workload_page *page,
                              workload_bench **bench, kz_error *error);
// The report was begun by the caller: the run's command and commit, where records go. It gets every case.
kz_status workload_bench_run(workload_bench *bench, report_bench *report, kz_error *error);
void workload_bench_close(workload_bench *bench);

// ---- inside: what to measure (bench_cases.c) --------------------------------------------------------------

// The cases for one device, each once; NULL: for any. Free them whatever is returned.
kz_status workload_bench_select(const workload *w, const workload_bench_options *options,
                                const kz_device_info *device, workload_bench_cases *cases, kz_error *error);

#endif
