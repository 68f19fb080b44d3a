// A workload under the profiler: whole programs as processes of their own, kernels inside this one. Either way it ends
// in a record, from which report/profile tells.
#ifndef WORKLOAD_PROFILE_H
#define WORKLOAD_PROFILE_H

#include "family/case.h"
#include "family/check.h"
#include "report/profile/profile.h"
#include "toolchain/toolchain.h"
#include "workload/workload.h"

typedef struct workload_profile_options {
    workload_program settings; // gpu, nvcc's flags, seed, timeout, output; `session` keeps the record there
    const char *pattern;       // the case; NULL: one of moderate size
    const char *instruments;   // of observe_options_parse; NULL: those of kz prof
} workload_profile_options;

typedef struct workload_profile {
    report_record record;
    int failure;                               // how a program ended, where that was no success
    workload_result program;                   // its session has the modules, until the profile is closed
    workload_answer answer;                    // of a task's file
    kz_image image;                            // of a variant, a guest or a task's kernel
    course_subject subject;                    // of a task's kernel
    char title[300], detail[FAMILY_CASE_NAME]; // what the user called it, and the case
    int sm;
    // What ptxas says, asked once per module.
    char *module;
    toolchain_resources *resources;
    size_t resource_count;
    void *cubin;
    size_t cubin_size;
    toolchain_spill *spills; // of the module, where there is a disassembler
    size_t spill_count;
    void **kept; // memory that reports point into
    size_t kept_count;
} workload_profile;

// Runs the workload, or reads the record that it is. Close the profile whatever is returned.
kz_status workload_profile_run(const workload *w, const workload_profile_options *options,
                               workload_profile *profile, kz_error *error);
// The same for one case of a kernel that is loaded already, on a simulated device.
kz_status workload_profile_case(const family_check_job *job, const workload_profile_options *options,
                                workload_profile *profile, kz_error *error);
void workload_profile_close(workload_profile *profile);

// What it says: of the `top` most costly kernels (0: all) whose names match `pattern` (NULL: any). That there is none is an
// error, but for a program that failed. Close the report; the profile must outlive it.
kz_status workload_profile_report(workload_profile *profile, const char *pattern, size_t top,
                                  report_prof *report, kz_error *error);
// Sources as the modules name them: from here, and from where the zoo's sources are.
report_prof_sources *workload_profile_sources(void);

#endif
