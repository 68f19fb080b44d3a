// y = a * x + y for n floats. x and y are device memory; the work is enqueued in `stream`.
#ifndef SAXPY_H
#define SAXPY_H

#include <cstddef>

#include <cuda_runtime.h>

cudaError_t saxpy(size_t n, float a, const float *x, float *y, cudaStream_t stream);

#endif
