// For the programs here: each checks itself, says what is wrong with its line, and ends with 1 then.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int failures;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                   \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

#define OK(call)                                                                                             \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_));                  \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

#define GIVES(error, call)                                                                                   \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != (error)) {                                                                             \
            printf("%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_), #error);  \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

static int finish() {
    if (!failures) printf("all right\n");
    return failures ? 1 : 0;
}
