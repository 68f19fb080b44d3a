// CHECK(call): stops with the file, the line and CUDA's own words where a call fails. After a launch:
// CHECK(cudaGetLastError()) for the launch itself, and the next call that waits tells what the kernel did.
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t check_code = (call);                                                                     \
        if (check_code != cudaSuccess) {                                                                     \
            std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call,                          \
                         cudaGetErrorString(check_code), cudaGetErrorName(check_code));                      \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

#endif
