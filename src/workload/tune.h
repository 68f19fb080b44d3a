// The ladder of each family, measured on a GPU, and which variant to take: rows of its choice.csv or, where a family has a
// model of its shapes, of its measured.csv.
#ifndef WORKLOAD_TUNE_H
#define WORKLOAD_TUNE_H

#include "bench/record.h"
#include "report/report.h"
#include "workload/suite.h"
#include "workload/workload.h"

typedef struct workload_tune_options {
    const char *device;    // NULL: the first GPU
    const char *pattern;   // the cases; NULL: all worth timing
    workload_suite *suite; // its cases instead; NULL: none
    double time;           // seconds for a candidate; 0: as the rule of a suite says
    bool dry_run;          // writes no choice.csv
    bool (*interrupted)(void);
    void (*complain)(const kz_error *error, const char *consequence); // of a case that does not fit
} workload_tune_options;

// What is known of a family when all its cases are measured; it is shown by the caller.
typedef struct workload_tuned {
    const kz_family *family;
    const report_table *table; // its cases: report_tune_print
    const char *rows;          // of choice.csv, or of measured.csv
    char path[300];            // of that file; "" where it is not written
    bool changed;              // it said something else before
} workload_tuned;

// Opens the device, and refuses one that no row could be about. Close it whatever is returned.
typedef struct workload_tune workload_tune;
kz_status workload_tune_open(const workload *w, const workload_tune_options *options, workload_tune **tune,
                             kz_error *error);
// `records` is the path of the records; NULL: none are kept. `done` gets each family. Of an interrupted family
// choice.csv is left as it was: half a table would choose from half the sizes. Rows of measured.csv are written as they come.
kz_status workload_tune_run(workload_tune *tune, const char *records,
                            void (*done)(const workload_tuned *family), kz_error *error);
void workload_tune_close(workload_tune *tune);

#endif
