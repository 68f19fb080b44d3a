// bench/record: what was measured, as JSON: one object per line, one line per candidate and condition.
//
// SI base units; what is unknown is null, never 0. A record has statistics, and raw samples only where a run was asked
// to keep them. docs of the fields: results/README.md.
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include <jansson.h>

#include "bench/bench.h"
#include "bench/target.h"

enum { BENCH_SCHEMA = 1 };

// What all records of one run of the command share.
typedef struct bench_run_info {
    char id[40];         // "20261115T031500Z-4711-9f2c"
    const char *command; // the command line
    const char *commit;  // of the code, "-dirty" where it was changed; NULL where unknown
    const char *driver, *uuid;
    int other_processes; // -1 where unknown
    struct {
        const char *name, *digest; // of what is measured; NULL: no suite was named
    } suite;
    bool samples; // records keep the raw samples too
    bool quick;   // few samples, or unchecked ones: nothing that could be compared
    bool trial;   // unchecked
    kz_device_info device;
} bench_run_info;

// A new run of the build's commit; where the build knows none, of this one. No device is known yet.
bench_run_info bench_run_begin(const char *command, const char *commit);
// Its device, as the monitor (may be NULL) knows it: driver, uuid, who else computes there.
void bench_run_take_device(bench_run_info *run, const kz_device_info *device, const bench_monitor *monitor);
// The commit this was built from, "9f2c1d…[-dirty]"; NULL where the build knew none.
const char *bench_commit(void);
// Refuses what somebody calls the commit of a build that knows its own (may be NULL) and is of another.
kz_status bench_commit_check(const char *commit, const char *own, kz_error *error);

// What every record begins with: schema, run, code, environment and device, with these peaks (taken over; may be
// NULL). A new reference, or NULL when out of memory.
json_t *bench_record_head(const bench_run_info *run, json_t *peaks);
json_t *bench_number(double value); // six digits; null where it is not finite
// Adds what is told by samples alone: outer percentiles, and a digest of the samples in the order taken (FNV-1a over
// the doubles, least byte first, each rounded to the six digits that are written). False when out of memory.
bool bench_record_add_statistics(json_t *statistics, const double *samples, const bench_summary *summary);
json_t *bench_code_object(const bench_code *code);          // null where there is no kernel
json_t *bench_facts_object(const bench_facts *facts);       // null where its lines are unknown
json_t *bench_counters_object(const kz_counters *counters); // null where they are not valid
// Appends a record as one whole synced line, and takes it over; NULL is KZ_NO_MEMORY.
kz_status bench_record_write(const char *path, json_t *record, kz_error *error);

// A new reference, or NULL when out of memory. The condition is ignored for an outcome that was not timed.
json_t *bench_record(const bench_run_info *run, const bench_request *request, const bench_outcome *outcome,
                     size_t result, size_t condition, const bench_target_verdict *target);

// Appends the outcome's records (all candidates, all conditions) to `path`, each a whole synced line.
kz_status bench_record_append(const char *path, const bench_run_info *run, const bench_request *request,
                              const bench_outcome *outcome, const bench_targets *targets, kz_error *error);

#endif
