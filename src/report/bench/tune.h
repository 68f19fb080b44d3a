// What kz tune shows of one family: a row per case with its choice, then the rows for choice.csv.
#ifndef REPORT_BENCH_TUNE_H
#define REPORT_BENCH_TUNE_H

#include "bench/bench.h"
#include "report/report.h"

report_table *report_tune_open(void); // NULL when out of memory; report_table_close it
// `winner` is the result that is chosen for the case.
void report_tune_add(report_table *table, const bench_outcome *outcome, size_t winner);
// `rows`: lines of choice.csv.
void report_tune_print(FILE *file, const report_table *table, const char *family, const char *rows);

#endif
