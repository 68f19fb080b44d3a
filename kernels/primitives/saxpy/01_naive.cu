// saxpy 01: one element per thread
//
// Idea     every element is independent: give each its own thread.
// Change   the first version; one fused multiply-add per element.
// Expect   coalesced 4-byte accesses, 128 bytes per warp and request; bound by DRAM at large n.
// Limit    each thread has 8 bytes of loads in flight (see 03).

#include "kz/kernel.cuh"

KZ_ENTRY(saxpy_naive_saxpy_f32)(float a, const float *x, float *y, size_t n) {
    size_t i = kz_thread();
    if (i < n) y[i] = a * x[i] + y[i];
}
