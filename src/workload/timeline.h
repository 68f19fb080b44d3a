// What ran when: of kernels by the trace of their plan, of a program by what its runtime has recorded.
#ifndef WORKLOAD_TIMELINE_H
#define WORKLOAD_TIMELINE_H

#include "report/timeline/timeline.h"
#include "workload/workload.h"

typedef struct workload_timeline_options {
    workload_program settings; // gpu, nvcc's flags, timeout, output
    const char *device;        // where kernels run; NULL: a simulated GPU
    const char *pattern;       // the case; NULL: one of moderate size
} workload_timeline_options;

// Free the timeline. `result` is of a program, `answer` of a task's file.
kz_status workload_timeline(const workload *w, const workload_timeline_options *options, report_timeline *t,
                            workload_result *result, workload_answer *answer, kz_error *error);

#endif
