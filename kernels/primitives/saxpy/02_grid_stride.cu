// saxpy 02: grid stride
//
// Idea     starting a block costs time; let a grid that just fills the GPU walk over the data.
// Change   each thread does elements i, i + threads in the grid, ...; the grid no longer grows with n.
// Expect   the same traffic as 01 with fewer blocks.
// Limit    y is written: the compiler may not load the next x before this y is stored, lest they overlap, so
//          a thread has one iteration's loads in flight (see 04).

#include "kz/kernel.cuh"

KZ_ENTRY(saxpy_grid_stride_saxpy_f32)(float a, const float *x, float *y, size_t n) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) y[i] = a * x[i] + y[i];
}
