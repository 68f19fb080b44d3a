// What the C files of softmax share.
#ifndef SOFTMAX_PRIVATE_H
#define SOFTMAX_PRIVATE_H

#include "kz/family.h"
#include "softmax.h" // the operations' numbers

enum { BATCH, ROWS, COLUMNS };     // axes[]
enum { X, Y, MASKED_Y };           // the buffers of a forward pass; of MASKED: x, mask, y
enum { MASK = 1 };                 // in the place of Y
enum { BACK_Y, BACK_DY, BACK_DX }; // of a backward pass

KZ_DECLARE_FAMILY(softmax);
extern const kz_native_entry softmax_natives[];

static inline bool softmax_goes_back(uint32_t operation) {
    return operation == KZ_SOFTMAX_BACKWARD || operation == KZ_SOFTMAX_LOG_BACKWARD;
}

// Columns that row `row` of all batches sees when causal.
static inline uint64_t softmax_visible(uint64_t row, uint64_t rows, uint64_t columns) {
    uint64_t end = row % rows + 1 + columns;
    return end > rows ? kz_min_u64(end - rows, columns) : 0;
}

kz_status softmax_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error);

#endif
