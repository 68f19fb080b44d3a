// bench/micro: the ceilings and latencies of a device, each by a small kernel that does one thing.
//
// What is measured is a list of points, in groups (micro.def). Every kernel leaves something that only the whole of
// its work gives, and it is checked: a point that is wrong has no value. Rates come from device events, cycles from
// the multiprocessor's own clock, launches and copies from and to the host from the host's clock. On the simulator
// the same kernels run on little data: they are checked and counted, and no time is made up.
#ifndef BENCH_MICRO_H
#define BENCH_MICRO_H

#include "bench/health.h"
#include "bench/stats.h"
#include "kz/kz.h"

typedef enum bench_micro_group {
#define MICRO_GROUP(name, x, y, about) BENCH_MICRO_##name,
#include "bench/micro.def"
#undef MICRO_GROUP
    BENCH_MICRO_GROUPS
} bench_micro_group;

const char *bench_micro_group_name(bench_micro_group group);  // "bandwidth"
const char *bench_micro_group_about(bench_micro_group group); // one line
// What x (0) and y (1) of the group's points are, "bytes"; NULL where they are nothing.
const char *bench_micro_group_axis(bench_micro_group group, int axis);
// False where there is no such group.
bool bench_micro_group_find(const char *name, bench_micro_group *group);

enum { BENCH_MICRO_NAME = 32, BENCH_MICRO_UNIT = 12, BENCH_MICRO_SAMPLES = 40 };

typedef struct bench_micro_point {
    bench_micro_group group;
    char name[BENCH_MICRO_NAME]; // "dram_read"
    double x, y;                 // what was varied; NAN where nothing was
    char unit[BENCH_MICRO_UNIT]; // "B/s", "FLOP/s", "op/s", "cycles", "s", "/cycle", "Hz"
    double nominal;              // in that unit; NAN where there is none
    double value;                // the median; NAN where there is none: wrong, not measured, or no clock
    size_t count;
    double samples[BENCH_MICRO_SAMPLES]; // in that unit
    kz_status status;                    // KZ_OK, KZ_WRONG, KZ_UNSUPPORTED, or what stopped it
    kz_error error;
    kz_counters
        counters; // simulator: of what is measured, without what comes before and after it in the kernel
} bench_micro_point;

typedef struct bench_micro_request {
    kz_device *device;
    bool groups[BENCH_MICRO_GROUPS];
    bool (*interrupted)(void); // may be NULL
    // Each point as it is there; an error of it ends the run. May not be NULL.
    kz_status (*done)(const bench_micro_point *point, void *context, kz_error *error);
    void *context;
} bench_micro_request;

// A point that fails is a point with a status; only what leaves the device in no state to go on is an error of the
// call. KZ_UNSUPPORTED on a device without PTX.
kz_status bench_micro_run(const bench_micro_request *request, kz_error *error);

#endif
