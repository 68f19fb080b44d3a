// bench/speed: how fast the simulator itself is, in thread-instructions per second of one host core.
#ifndef BENCH_SPEED_H
#define BENCH_SPEED_H

#include "kz/kz.h"

enum { BENCH_SPEED_KERNELS = 3 };

typedef struct bench_speed_row {
    const char *kernel; // "matmul 256^3, 16x16 tiles"
    uint64_t thread_instructions;
    double one_core, one_core_median;   // thread-instructions per second: the fastest launch, and the median
    double all_cores, all_cores_median; // the same on `cores` host threads
    unsigned cores;
    double observed, observed_median; // one core with instruments listening; 0 where none were asked for
    bool correct;
} bench_speed_row;

// Checks and times the three kernels on a simulated device; `seconds` for each measurement. `observe`: NULL,
// or the instruments to measure with too, "counters,races".
kz_status bench_speed(double seconds, const char *observe, bench_speed_row rows[BENCH_SPEED_KERNELS],
                      kz_error *error);

#endif
