// vector_add 01: one element per thread
//
// Idea     every element is independent: give each its own thread.
// Change   the first version.
// Expect   coalesced 4-byte accesses, 128 bytes per warp and request; bound by DRAM at large n.
// Limit    8 bytes of loads in flight per thread, and index arithmetic for every addition (see 03).

#include "kz/kernel.cuh"

KZ_ENTRY(vector_add_naive_add_f32)(const float *x, const float *y, float *z, size_t n) {
    size_t i = kz_thread();
    if (i < n) z[i] = x[i] + y[i];
}
