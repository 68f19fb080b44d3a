// The types of cuRAND that our small one needs, with the values that programs are compiled with; its own header is not on
// every machine that has a CUDA compiler.
#ifndef CUDART_CURAND_CURAND_H
#define CUDART_CURAND_CURAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum curand_status {
    CURAND_SUCCESS = 0,
    CURAND_NOT_INITIALIZED = 101,
    CURAND_ALLOCATION_FAILED = 102,
    CURAND_TYPE_ERROR = 103,
    CURAND_OUT_OF_RANGE = 104,
    CURAND_LENGTH_NOT_MULTIPLE = 105,
    CURAND_LAUNCH_FAILURE = 201,
} curand_status;

#define CURAND_FUNCTION(name, ...)                                                                           \
    curand_status name(__VA_ARGS__);                                                                         \
    curand_status name(__VA_ARGS__)

typedef enum curand_kind { WORDS, LONG_WORDS, UNIFORM, NORMAL, LOG_NORMAL, POISSON } curand_kind;

// What is generated, and from where in the sequence.
typedef struct curand_task {
    curand_kind kind;
    bool wide; // doubles
    uint64_t seed, offset;
    double mean, deviation;
    size_t count;
    // Quasi-random: `count` is as many points of each dimension, one dimension after the other.
    unsigned dimensions; // 0: pseudo-random
    bool scrambled, of_64_bits;
} curand_task;

void curand_philox(uint64_t seed, uint64_t counter, uint32_t out[4]);
// A number of Poisson's distribution from a uniform one in (0, 1) and a normal one.
uint32_t curand_poisson(double lambda, double uniform, double normal);

// ---- Sobol' sequences (sobol.c) --------------------------------------------------------------------------

enum { SOBOL_DIMENSIONS = 20000, SOBOL_BITS = 64 };

// The direction numbers of a dimension, from 0, as fractions of 64 bits; those of 32 bits are the upper halves of the
// first 32. `polynomials` has what sobol_polynomials made.
void sobol_directions(const uint32_t *polynomials, unsigned dimension, bool scrambled,
                      uint64_t directions[SOBOL_BITS]);
// The primitive polynomials of the first dimensions; malloc'ed, NULL when out of memory.
uint32_t *sobol_polynomials(unsigned dimensions);
uint64_t sobol_constant(unsigned dimension); // what scrambled points are XORed with

// All numbers of a task, into memory of the host. False when out of memory.
bool curand_fill_quasi(const curand_task *task, void *to);

#endif
