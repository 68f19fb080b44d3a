// What the labelled programs share. A case is a label, its kernels and CASE(name), which runs them:
//
//   // right: WHAT            nothing but notes may be found
//   // wrong: KIND: WHAT      a finding of this kind, or of one of several (a|b), on a line that ends in "// here"
//   // warned: KIND: WHAT     works on hardware without a promise: a warning on such a line, and no error
//
// A wrong case without "// here" has its mistake in host code, whose lines are not known. A right case checks its
// answer. The first argument of the program is the case's name; ./score reads labels and runs all.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

struct labelled_case {
    const char *name;
    void (*run)();
    labelled_case *next;
    static labelled_case *&first() {
        static labelled_case *list = nullptr;
        return list;
    }
    labelled_case(const char *name, void (*run)()) : name(name), run(run), next(first()) { first() = this; }
};

#define CASE(name)                                                                                           \
    static void run_##name();                                                                                \
    static labelled_case case_##name(#name, run_##name);                                                     \
    static void run_##name()

#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) std::printf("%d: not so: %s\n", __LINE__, #condition), std::exit(9);               \
    } while (0)

// Device memory: undefined, of zeros, and of 0 1 2 ...
static inline int *room(size_t n) {
    void *memory = nullptr;
    cudaMalloc(&memory, n * sizeof(int));
    return (int *)memory;
}

static inline int *zeros(size_t n) {
    int *memory = room(n);
    cudaMemset(memory, 0, n * sizeof(int));
    return memory;
}

static inline int *counting(size_t n) {
    int *memory = room(n), *host = (int *)std::malloc(n * sizeof(int));
    for (size_t i = 0; i < n; i++) host[i] = (int)i;
    cudaMemcpy(memory, host, n * sizeof(int), cudaMemcpyHostToDevice);
    std::free(host);
    return memory;
}

// Element i of device memory, when all that was launched is done.
static inline int at(const int *memory, size_t i) {
    int value = -1;
    cudaDeviceSynchronize();
    cudaMemcpy(&value, memory + i, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

// The body of each main.
static inline int run_case(int argc, char **argv) {
    for (labelled_case *one = labelled_case::first(); one; one = one->next)
        if (argc > 1 && std::strcmp(one->name, argv[1]) == 0) return one->run(), cudaDeviceSynchronize(), 0;
    std::printf("no such case\n");
    return 8;
}
