// The kernels by which the simulator's own speed is measured (speed_kernels.c); speed.c measures.
#ifndef BENCH_SPEED_KERNELS_H
#define BENCH_SPEED_KERNELS_H

#include "bench/speed.h"

// Each takes (const float *a, const float *b, float *c, int n); a and b hold the same inputs, c zeros at first. Those of tensor cores take
// two elements of 16 bits to a word.
typedef struct bench_speed_kernel {
    const char *name, *entry;
    kz_launch launch;
    size_t inputs, outputs; // words of 4 bytes in each buffer
    int n;
    bool (*is_right)(const void *outputs); // after one launch
    uint32_t (*word)(size_t i);            // inputs; NULL: bench_speed_input
    uint64_t products;                     // as bench_speed_row has them
    bool is_tensor;                        // its code is for sm_90a alone
} bench_speed_kernel;

extern const bench_speed_kernel bench_speed_kernels[BENCH_SPEED_KERNELS];
float bench_speed_input(size_t i);

#endif
