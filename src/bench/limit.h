// bench/limit: which of the device's peaks limits a case, by its arithmetic intensity, and how near a time comes.
//
// Below the ridge, where the cores could do more flops than memory brings bytes for, memory limits; above it the cores.
// The peaks are those of the device at its best size (peaks.h), unlike the copy of the case's own bytes that is measured
// beside it.
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include "bench/peaks.h"
#include "kz/family.h"

typedef struct bench_limit {
    double intensity;      // flops per byte of the least traffic; NAN where no bytes move
    double ridge;          // the intensity above which the cores limit; NAN where a peak is unknown
    const char *name;      // the peak's name: "dram_read", "fma_f32"; "" where none is known
    bool computes;         // the peak is one of flops
    bench_known_peak peak; // that one; NAN where none is known
} bench_limit;

// `peaks` may be NULL.
bench_limit bench_limit_of(const bench_peaks *peaks, const kz_work *work, kz_type type);
// The share of the peak that a run of so many seconds reaches; NAN where it is unknown.
double bench_of_peak(const bench_limit *limit, const kz_work *work, double seconds);
// The peak of what does such flops in a type, fused multiply-adds or tensor cores; NULL where there is none.
const bench_known_peak *bench_compute_peak(const bench_peaks *peaks, const kz_work *work, kz_type type);

#endif
