// What the files of the counter gate share.
#ifndef WORKLOAD_GATE_INSIDE_H
#define WORKLOAD_GATE_INSIDE_H

#include "workload/gate.h"
#include "workload/profile.h"

typedef struct counting {
    const workload *w;
    const kz_family *family; // NULL: of a program
    const workload_gate_options *options;
    workload_gate *gate;
    bench_counts all; // the file as it was
    char (*cases)[FAMILY_CASE_NAME];
    size_t case_count;
    const kz_plan *plan; // of the case at hand
    bool is_planned;     // the kernel at hand does one of the cases
    bool is_repeated;    // all was counted before
    json_t *reached;     // while cases are chosen: the lines of source that are executed in each
} counting;

// What becomes of the record of a kernel in a case.
typedef kz_status workload_gate_taking(counting *g, const report_record *record, const char *kernel,
                                       const char *case_name, kz_error *error);
// All cases of the guest, or of all variants that are asked for.
kz_status workload_gate_run_kernels(counting *g, workload_gate_taking *take, kz_error *error); // gate.c
// Which cases are counted: those of the file; where it is new or written as a whole, more by rule. gate_cases.c
kz_status workload_gate_choose_cases(counting *g, kz_error *error);

#endif
