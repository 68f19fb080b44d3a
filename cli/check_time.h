// The figures of kz check: one case of the family, timed beside the rival and a plain copy.
//
// It is the bench's protocol with a short rule: enough to read a ladder by, too little to argue from. Nothing
// here decides the exit code, but for a kernel that is wrong or faults at the larger size.
#ifndef CLI_CHECK_TIME_H
#define CLI_CHECK_TIME_H

#include "bench/peers.h"
#include "bench/record.h"
#include "check_report.h"

typedef struct check_timer {
    bench_peers peers;
    bench_run_info run;
    uint64_t seed;
    report_progress *progress;
    size_t done, total; // of the checks, for the progress line
    char label[200];
} check_timer;

// A rival that cannot be opened is said on stderr, and the race goes on without it.
void check_timer_open(check_timer *timer, bool has_cuda);
void check_timer_close(check_timer *timer);

// Fills the figures of the device's rows whose checks all passed, and hands the records to the report. An
// error means that the device must be opened again.
kz_status check_time_family(check_timer *timer, check_report *report, const kz_family *family,
                            const family_guest *guest, kz_device *device, check_row *rows, size_t count,
                            kz_error *error);

#endif
