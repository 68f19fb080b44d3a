// The direction numbers and constants of all dimensions, for kernels that make Sobol's sequences themselves. They are the
// library's own for as long as the program runs, and made when first asked for.
#include <pthread.h>
#include <stdlib.h>

#include "curand.h"

typedef struct tables {
    uint32_t (*directions32)[32], *constants32;
    uint64_t (*directions64)[SOBOL_BITS], *constants64;
} tables;

static bool make(tables *t, bool scrambled) {
    uint32_t *polynomials = sobol_polynomials(SOBOL_DIMENSIONS);
    t->directions32 = malloc(SOBOL_DIMENSIONS * sizeof *t->directions32);
    t->directions64 = malloc(SOBOL_DIMENSIONS * sizeof *t->directions64);
    t->constants32 = malloc(SOBOL_DIMENSIONS * sizeof *t->constants32);
    t->constants64 = malloc(SOBOL_DIMENSIONS * sizeof *t->constants64);
    bool right = polynomials && t->directions32 && t->directions64 && t->constants32 && t->constants64;
    for (unsigned d = 0; right && d < SOBOL_DIMENSIONS; d++) {
        sobol_directions(polynomials, d, scrambled, t->directions64[d]);
        for (unsigned i = 0; i < 32; i++) t->directions32[d][i] = (uint32_t)(t->directions64[d][i] >> 32);
        t->constants64[d] = sobol_constant(d);
        t->constants32[d] = (uint32_t)(t->constants64[d] >> 32);
    }
    free(polynomials);
    return right;
}

static tables plain, scrambled;
static bool have_plain, have_scrambled;
static void make_plain(void) { have_plain = make(&plain, false); }
static void make_scrambled(void) { have_scrambled = make(&scrambled, true); }

// NULL when out of memory.
static const tables *find(bool is_scrambled) {
    static pthread_once_t plain_once = PTHREAD_ONCE_INIT, scrambled_once = PTHREAD_ONCE_INIT;
    if (is_scrambled) {
        pthread_once(&scrambled_once, make_scrambled);
        return have_scrambled ? &scrambled : NULL;
    }
    pthread_once(&plain_once, make_plain);
    return have_plain ? &plain : NULL;
}

// curandDirectionVectorSet_t.
enum { JOE_KUO_32 = 101, SCRAMBLED_32, JOE_KUO_64, SCRAMBLED_64 };

CURAND_FUNCTION(curandGetDirectionVectors32, uint32_t (**vectors)[32], int set) {
    if (!vectors || (set != JOE_KUO_32 && set != SCRAMBLED_32)) return CURAND_OUT_OF_RANGE;
    const tables *t = find(set == SCRAMBLED_32);
    if (t) *vectors = t->directions32;
    return t ? CURAND_SUCCESS : CURAND_ALLOCATION_FAILED;
}

CURAND_FUNCTION(curandGetDirectionVectors64, uint64_t (**vectors)[SOBOL_BITS], int set) {
    if (!vectors || (set != JOE_KUO_64 && set != SCRAMBLED_64)) return CURAND_OUT_OF_RANGE;
    const tables *t = find(set == SCRAMBLED_64);
    if (t) *vectors = t->directions64;
    return t ? CURAND_SUCCESS : CURAND_ALLOCATION_FAILED;
}

CURAND_FUNCTION(curandGetScrambleConstants32, uint32_t **constants) {
    const tables *t = constants ? find(true) : NULL;
    if (t) *constants = t->constants32;
    return t ? CURAND_SUCCESS : constants ? CURAND_ALLOCATION_FAILED : CURAND_OUT_OF_RANGE;
}

CURAND_FUNCTION(curandGetScrambleConstants64, uint64_t **constants) {
    const tables *t = constants ? find(true) : NULL;
    if (t) *constants = t->constants64;
    return t ? CURAND_SUCCESS : constants ? CURAND_ALLOCATION_FAILED : CURAND_OUT_OF_RANGE;
}
