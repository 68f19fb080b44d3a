// bench/speed: how fast the simulator itself is, in thread-instructions, or products of tensor cores, per second.
#ifndef BENCH_SPEED_H
#define BENCH_SPEED_H

#include "kz/kz.h"

enum { BENCH_SPEED_KERNELS = 17, BENCH_SPEED_OBSERVED = 2 };

// Per second, of the fastest launch and of the median one: thread-instructions, or products of a warp's tensor cores.
typedef struct bench_speed_figure {
    double best, median;
} bench_speed_figure;

typedef struct bench_speed_row {
    const char *kernel; // "matmul 256^3, 16x16 tiles"
    uint64_t thread_instructions;
    uint64_t products; // the work of so many m16n8k16; 0 where instructions are what is measured
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
