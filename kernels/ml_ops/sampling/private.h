// What the C files of sampling share.
#ifndef SAMPLING_PRIVATE_H
#define SAMPLING_PRIVATE_H

#include "kz/family.h"
#include "sampling.h"

enum { SAMPLE, GREEDY };      // the operations, in order
enum { LOGITS, TOKEN, STEP }; // the buffers, in order; greedy's STEP has no element

// The axes, in order. The last three are thousandths, of which 0 stands for off; a temperature of 0 stands for 1. A case with
// a `detail`, kz_sampling_params, has all but the first two there.
enum { ROWS, VOCABULARY, TOP_K, TOP_P, MIN_P, TEMPERATURE };
enum { SAMPLING_SEED = 2026 }; // of cases without a detail

KZ_DECLARE_FAMILY(sampling);
extern const kz_native_entry sampling_natives[];

// What a case asks for, with every filter that is off at the value that keeps all.
typedef struct sampling_filters {
    uint64_t top_k; // 0: off
    float top_p, min_p, temperature, scale;
    uint64_t seed;
} sampling_filters;
sampling_filters sampling_filters_of(const kz_case *c);

// 64 random bits of a row at a step: Philox4x32-10, its key the seed, its counter the step and above it the row.
uint64_t sampling_random(uint64_t seed, uint64_t row, uint64_t step);
// Of weights: the least that min_p keeps, 1 or more; 2^31 is the whole.
uint64_t sampling_least(float min_p);

// What a correct kernel may draw for a row: accepted[token] for each token of the vocabulary. None is where it must say -1.
kz_status sampling_judge(const kz_case *c, void *const *host, uint64_t row, bool *accepted, kz_error *error);
kz_status sampling_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                             double *bound, kz_error *error);

#endif
