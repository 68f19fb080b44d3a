// The table of a model's parameters, for the cases of adamw and grad_norm: one flat buffer of n elements, split into tensors.
// The first two axes are n and tensors, the third says how the buffer is split.
#ifndef ML_OPS_PARAMETERS_H
#define ML_OPS_PARAMETERS_H

#include "kz/family.h"
#include "kz/parameters.h"

enum { PARAMETERS_N, PARAMETERS_TENSORS, PARAMETERS_SPLIT }; // axes
// EQUAL: as long as each other, but for the remainder. SKEWED: the s-th ends at n (s / tensors)^4, so the first are of an
// element or none and the last has most. Lengths are any, so tensors begin at any element.
enum { PARAMETERS_EQUAL, PARAMETERS_SKEWED, PARAMETERS_SPLITS };

enum { PARAMETERS_WORDS = sizeof(kz_parameter) / sizeof(int64_t) }; // the table is a buffer of I64

// KZ_INVALID, as the call of that name says it, where n elements in so many tensors cannot have so many chunks.
kz_status parameters_check(const char *call, uint64_t n, uint64_t tensors, uint64_t chunks, kz_error *error);

uint64_t parameters_first(const kz_case *c, uint64_t tensor); // n for the last one's successor
uint64_t parameters_chunk_count(const kz_case *c);
// Elements [first, first + count) of the table, whose arrays have elements of these sizes, and of the list of chunks.
typedef struct parameters_sizes {
    size_t weights, gradients, copy; // m and v as weights
} parameters_sizes;
void parameters_fill_table(const kz_case *c, parameters_sizes sizes, uint64_t first, uint64_t count,
                           int64_t *host);
void parameters_fill_chunks(const kz_case *c, uint64_t first, uint64_t count, int64_t *host);

#endif
