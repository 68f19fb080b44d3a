// What the programs with seeded bugs share.
//
// A program takes the number of a bug; without one, or with 0, it is right. Its heading names every bug,
// "// bug N KIND: what", and the lines that a finding must name end in "// <- N". Kernels are templates over the
// bug, so that each is compiled as if it were the only one. BUGS is how many there are.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static int which; // the bug

#define BUG(n) (bug == (n))
#define AMONG(n) ((n) <= BUGS ? (n) : 0)
#define PICK(kernel)                                                                                         \
    (which == 1   ? kernel<AMONG(1)>                                                                         \
     : which == 2 ? kernel<AMONG(2)>                                                                         \
     : which == 3 ? kernel<AMONG(3)>                                                                         \
     : which == 4 ? kernel<AMONG(4)>                                                                         \
     : which == 5 ? kernel<AMONG(5)>                                                                         \
     : which == 6 ? kernel<AMONG(6)>                                                                         \
     : which == 7 ? kernel<AMONG(7)>                                                                         \
     : which == 8 ? kernel<AMONG(8)>                                                                         \
                  : kernel<0>)

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                      \
            std::exit(3);                                                                                    \
        }                                                                                                    \
    } while (0)

static inline void begin(int argc, char **argv) { which = argc > 1 ? std::atoi(argv[1]) : 0; }

// Device memory for n elements, filled from `from` or, without it, not at all.
template <class T> static T *device(size_t n, const T *from = nullptr) {
    T *memory;
    CHECK(cudaMalloc(&memory, n * sizeof(T)));
    if (from) CHECK(cudaMemcpy(memory, from, n * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

template <class T> static T *zeros(size_t n) {
    T *memory = device<T>(n);
    CHECK(cudaMemset(memory, 0, n * sizeof(T)));
    return memory;
}

template <class T> static void fetch(T *to, const T *from, size_t n) {
    CHECK(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost));
}

static inline void launched() {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

static inline int finish(bool right) {
    std::printf(right ? "right\n" : "wrong\n");
    return 0;
}
