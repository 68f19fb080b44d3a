// bench/parallel: a range of elements, split over the host's cores. Inputs and comparisons of 2^29 elements
// would otherwise take longer than what is measured.
#ifndef BENCH_PARALLEL_H
#define BENCH_PARALLEL_H

#include <stdint.h>

// Calls work(context, part, first, count) once for each of at most `parts` pieces of [0, total), on as many
// threads; returns how many pieces there were. Where a thread cannot be had, the caller's does its work.
typedef void (*bench_work)(void *context, unsigned part, uint64_t first, uint64_t count);
enum { BENCH_PARTS = 64 };
unsigned bench_parallel(uint64_t total, unsigned parts, bench_work work, void *context);
unsigned bench_host_cores(void); // at most BENCH_PARTS

#endif
