// grad_norm 01: naive
//
// Idea     a thread per element.
// Change   the first version.
// Expect   each sector is read once and written once.
// Limit    a thread has one load in flight.

#include "kz/kernel.cuh"

KZ_ENTRY(grad_norm_naive_grad_norm_f32)(const float *x, float *y, size_t n) {
    size_t i = kz_thread();
    if (i < n) y[i] = x[i];
}
