// The figures beside checks: one case of the family, timed beside the rival and a plain copy.
//
// It is the bench's protocol with a short rule: enough to read a ladder by, too little to argue from. Nothing
// here decides the exit code, but for a kernel that is wrong or faults at the larger size.
#ifndef WORKLOAD_CHECK_TIME_H
#define WORKLOAD_CHECK_TIME_H

#include "bench/peers.h"
#include "bench/record.h"
#include "report/check/check.h"

typedef struct workload_timer {
    bench_peers peers;
    bench_run_info run;
    uint64_t seed;
    report_progress *progress;
    size_t done, total; // of the checks, for the progress line
    bool (*interrupted)(void);
    char label[200];
} workload_timer;

// An error is a rival that cannot be opened: the race goes on without it.
kz_status workload_timer_open(workload_timer *timer, bool has_cuda, kz_error *error);
void workload_timer_close(workload_timer *timer);

// Fills the figures of the device's rows whose checks all passed, and hands the records to the report. An
// error means that the device must be opened again.
kz_status workload_time_family(workload_timer *timer, report_check *report, const kz_family *family,
                               const family_guest *guest, kz_device *device, report_check_row *rows,
                               size_t count, kz_error *error);

#endif
