// bench/baseline: earlier records, to hold new ones against.
//
// A time is worse where its whole 95% interval lies more than 5% above the earlier one's: less is what two runs on one GPU
// differ by. Counts of the simulator are exact: one more is worse.
#ifndef BENCH_BASELINE_H
#define BENCH_BASELINE_H

#include <jansson.h>

#include "base/base.h"
#include "kz/family.h"

// The records of a file, or of all *.jsonl in a folder, as an array (a new reference).
kz_status bench_baseline_read(const char *path, json_t **records, kz_error *error);

typedef enum bench_change_kind {
    BENCH_CHANGE_UNKNOWN,
    BENCH_CHANGE_NONE,
    BENCH_CHANGE_WORSE,
    BENCH_CHANGE_BETTER,
    BENCH_CHANGE_UNFAIR // other processes worked on the device by turns with one of the two: nothing is judged
} bench_change_kind;

typedef struct bench_change {
    bench_change_kind kind; // unknown: there is no such record, or one of the two has no figure
    const char *what;       // "time", or the count that changed most: "global_sectors"
    double before, now;     // seconds, or counts
    struct {
        const char *before, *now;
    } beside;                  // whom it was timed by turns with; "" for nobody
    const char *date, *commit; // of the earlier one; "" where it does not say
} bench_change;

// What became of a record's figure since the newest record of the same device, case, candidate and condition, beside
// the same processes, else beside any. The texts are the records'. The family knows former names of its
// variants; it may be NULL.
bench_change bench_baseline_compare(const json_t *records, const json_t *record, const kz_family *family);

#endif
