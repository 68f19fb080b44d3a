// What kz bench says and keeps of a run: each case as it comes, then the sum.
#ifndef REPORT_BENCH_RUN_H
#define REPORT_BENCH_RUN_H

#include "bench/peers.h"
#include "bench/record.h"
#include "report/bench/metrics.h"
#include "report/bench/table.h"

// The rivals that had a row, or of which was said why they are absent.
typedef struct report_rivals {
    size_t count;
    char names[BENCH_RIVALS + BENCH_PEERS + BENCH_REMOTES][24];
    bool judged[BENCH_RIVALS + BENCH_PEERS + BENCH_REMOTES]; // it has a figure, or is counted as absent
} report_rivals;

typedef struct report_bench {
    FILE *file;                // words for people
    bench_run_info run;        // of the device at hand
    const char *path;          // of the records; "folder/" gets a file per family; NULL: none are kept
    bool to_stdout;            // records go there too; then `file` is another
    unsigned metrics;          // the groups that are shown beside the figures (metrics.h)
    const char *const *rivals; // asked for by name: nothing is said of others; no names: all
    size_t rival_count;
    json_t *baseline; // earlier records to compare with, owned; NULL: none
    struct {
        size_t same, worse, better, unknown, unfair;
    } since; // of the candidates' figures
    report_bench_tally tally;
    report_rivals met;
    size_t absent;        // rivals that were asked for by name and have no figure, whatever the reason
    const char *guest_of; // the family whose place a guest took; NULL without one
    kz_error write_error; // the first; no record is kept after it
} report_bench;

// What a report has counted so far, in one piece of memory: it outlives the process that made it.
typedef struct report_bench_counts {
    report_bench_tally tally; // without its text
    char shortfalls[16384];
    struct {
        size_t same, worse, better, unknown, unfair;
    } since;
    report_rivals met;
    size_t absent;
    kz_error write_error;
} report_bench_counts;
void report_bench_save(const report_bench *report, report_bench_counts *counts);
void report_bench_restore(report_bench *report, const report_bench_counts *counts);

// One case is done.
void report_bench_case(report_bench *report, const bench_request *request, const bench_outcome *outcome,
                       const bench_targets *targets, const bench_peers *peers);
// All cases are done: counts the rivals that were asked for by name and have no figure, and says why of those without a row. `earlier` ran in a piece of
// the run before this one, by name; NULL: none.
void report_bench_idle_rivals(report_bench *report, const bench_peers *peers, const json_t *earlier);
// Whether there are earlier records, and no figure of this run had one to be compared with.
bool report_bench_compared_nothing(const report_bench *report);
// All is done.
void report_bench_end(const report_bench *report, double seconds);
void report_bench_free(report_bench *report);

// On stderr, where other processes compute on the run's device.
void report_bench_warn_of_others(const bench_run_info *run);

#endif
