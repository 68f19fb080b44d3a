// What else kz bench tells of a case: tables of metrics, by groups (metrics.def).
#ifndef REPORT_BENCH_METRICS_H
#define REPORT_BENCH_METRICS_H

#include "bench/bench.h"
#include "report/report.h"

typedef enum report_metric_group {
#define METRIC_GROUP(name, meaning) REPORT_METRIC_##name,
#include "report/bench/metrics.def"
    REPORT_METRIC_GROUPS
} report_metric_group;

// The groups named, as bits 1 << group: "time,memory", "all"; several lists add up. KZ_INVALID for what is none.
kz_status report_metrics_parse(const char *const *lists, size_t count, unsigned *groups, kz_error *error);

// A table for each group, of all candidates; those that have nothing to say are left out, and so is a group of which
// nothing is known. Times are those of the figure.
void report_metrics_print(FILE *file, const report_style *style, const bench_outcome *outcome,
                          unsigned groups);

// An error as tables say it: "0", "1.2e-05"; "-" for NAN.
const char *report_error(char text[REPORT_NUMBER], double error);
// The greatest of a result; "-" where nothing was checked.
const char *report_error_of(char text[REPORT_NUMBER], const bench_result *result);

#endif
