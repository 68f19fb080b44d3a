// The counter gate: what the simulator counts of a workload, beside the counts that are kept of it.
//
// One gate is of one family of the zoo, of one guest or of one program, and has one file of counts (bench/counts.h): a
// family's is kernels/<group>/<family>/counters.csv in the folder of the sources, another's lies beside its source. The
// file is also the list of cases that are counted. Counts that are written, or that differ, are taken twice: where two runs
// count differently, nothing can be compared (KZ_INVALID).
#ifndef WORKLOAD_GATE_H
#define WORKLOAD_GATE_H

#include "bench/counts.h"
#include "workload/workload.h"

typedef struct workload_gate_options {
    workload_program settings; // gpu (NULL: that of the file), nvcc's flags, timeout, output
    const char *pattern;       // of cases; NULL: those of the file, or by rule for a file that is new
    const char *against;       // the file; NULL: where it lies
    bool write;                // what was counted becomes the file's
    bool (*interrupted)(void); // may be NULL
} workload_gate_options;

typedef struct workload_gate {
    char subject[300]; // "reduce", "my.cu"
    char path[WORKLOAD_PATH];
    bench_counts before, now; // of what was asked for; `before` is empty where there was no file
    bool has_file, written;
    bool other_compiler; // the file's counts are of other PTX: nothing was compared
    bench_counts_change *changes;
    size_t change_count;
    size_t verdicts[BENCH_COUNTS_VERDICTS];
    bench_counts kept;               // rows of the file that were not asked for
    const kz_variant *uncounted[64]; // variants that do none of the file's cases
    size_t uncounted_count;
} workload_gate;

// Counts and compares; `family` is one of those that `w` names of the zoo, else NULL. Close the gate whatever is returned.
kz_status workload_gate_run(const workload *w, const kz_family *family, const workload_gate_options *options,
                            workload_gate *gate, kz_error *error);
void workload_gate_close(workload_gate *gate);

#endif
