// Every kernel of a workload on every case and device, compared with the reference; where there is a clock, one case of
// each family is timed in passing.
#ifndef WORKLOAD_CHECK_H
#define WORKLOAD_CHECK_H

#include "report/check/check.h"
#include "workload/workload.h"

typedef struct workload_check_options {
    const char *const *devices; // none: see workload_open_devices
    size_t device_count;
    const char *pattern; // the cases; NULL: all for checking
    uint64_t seed;       // of the inputs
    bool huge, no_time;
    bool (*interrupted)(void);
    void (*complain)(const kz_error *error,
                     const char *consequence); // what goes wrong on the way; the second may be NULL
} workload_check_options;

// Opens the devices, and fails where nothing of the workload is for them. Close it whatever is returned.
typedef struct workload_check workload_check;
kz_status workload_check_open(const workload *w, const workload_check_options *options,
                              workload_check **check, kz_error *error);
// The report was begun by the caller: style, files. It gets every case.
kz_status workload_check_run(workload_check *check, report_check *report, kz_error *error);
void workload_check_close(workload_check *check);

#endif
