// bench/speed: how fast the simulator itself is, in thread-instructions per second of one host core.
#ifndef BENCH_SPEED_H
#define BENCH_SPEED_H

#include "kz/kz.h"

enum { BENCH_SPEED_KERNELS = 12, BENCH_SPEED_OBSERVED = 2 };

// Thread-instructions per second: of the fastest launch, and of the median one.
typedef struct bench_speed_figure {
    double best, median;
} bench_speed_figure;

typedef struct bench_speed_row {
    const char *kernel; // "matmul 256^3, 16x16 tiles"
    uint64_t thread_instructions;
    bench_speed_figure one_core, all_cores; // all: `cores` host threads
    unsigned cores;
    bench_speed_figure observed[BENCH_SPEED_OBSERVED]; // one core with instruments listening
    bool correct;
} bench_speed_row;

// Checks and times the kernels on a simulated device; `seconds` for each. `observe`: the instruments to measure
// with too, "counters,races", each set by itself; NULL: none.
kz_status bench_speed(double seconds, const char *const observe[BENCH_SPEED_OBSERVED],
                      bench_speed_row rows[BENCH_SPEED_KERNELS], kz_error *error);

#endif
