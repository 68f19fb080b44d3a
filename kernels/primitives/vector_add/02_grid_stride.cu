// vector_add 02: grid stride
//
// Idea     starting a block costs time; let a grid that just fills the GPU walk over the data.
// Change   each thread adds elements i, i + threads in the grid, ...; the grid no longer grows with n.
// Expect   the same traffic as 01, fewer blocks; the index arithmetic is paid once per element still.
// Limit    the loop's loads wait for one another's addresses and bounds: few are in flight (see 03, 04).

#include "kz/kernel.cuh"

KZ_ENTRY(vector_add_grid_stride_add_f32)(const float *x, const float *y, float *z, size_t n) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) z[i] = x[i] + y[i];
}
