// What kz bench shows of one case: a table of its candidates, fastest figures beside their rivals.
#ifndef REPORT_BENCH_TABLE_H
#define REPORT_BENCH_TABLE_H

#include "bench/bench.h"
#include "bench/target.h"
#include "report/report.h"

typedef struct report_bench_tally {
    size_t cases, timed;  // candidates timed
    size_t wrong, failed; // candidates of ours and guests
    kz_status failure;    // of the first of them that failed
    size_t
        rivals_amiss; // rivals that are wrong or failed: rows that say so, and no fault of what is measured
    size_t unsettled; // cases whose best did not converge
    size_t over;      // cases with one above the peak
    size_t met, missed, open; // targets, judged for the best of each case; open: could not be measured
    base_text shortfalls;     // a line for each case that missed its target or did not settle
} report_bench_tally;

// Prints the case and counts it.
void report_bench_print(FILE *file, const report_style *style, const kz_family *family, const kz_case *c,
                        const kz_device_info *device, const bench_outcome *outcome,
                        const bench_targets *targets, report_bench_tally *tally);

// Whether more conditions were measured than single runs and graphs of them: then each is a column.
bool report_bench_has_several(const bench_outcome *outcome);

enum { REPORT_BENCH_NAME = 100 };
// "03_vector", "cub DeviceReduce"
const char *report_bench_name(const bench_candidate *candidate, char text[REPORT_BENCH_NAME]);

// ---- inside: several conditions beside each other (conditions.c) ---------------------------------------------

// `ours` is the result that stands for us, or -1.
void report_bench_print_conditions(FILE *file, const report_style *style, const bench_outcome *outcome,
                                   int ours);
// Clocks and power of the fastest, where the condition is a sustained one.
void report_bench_print_clocks(FILE *file, const report_style *style, const bench_outcome *outcome,
                               size_t condition);

#endif
