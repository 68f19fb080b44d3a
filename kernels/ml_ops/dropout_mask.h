// Dropout's mask on the CPU, for references and native variants: kz/device/philox.cuh says what it is and has the same for
// kernels. The state is a buffer of two KZ_I64: seed and offset.
#ifndef ML_OPS_DROPOUT_MASK_H
#define ML_OPS_DROPOUT_MASK_H

#include <math.h>
#include <string.h>

#include "kz/family.h"

enum { DROPOUT_ALL = 65536 }; // p = 1 in the units of `drop`

typedef struct dropout_mask {
    uint64_t seed, offset, call; // of the block
    bool made;
    uint32_t drop;
    kz_philox_block block;
} dropout_mask;

static inline dropout_mask dropout_mask_of(const void *state, uint64_t drop) {
    dropout_mask mask = {.drop = (uint32_t)drop};
    memcpy(&mask.seed, state, 8);
    memcpy(&mask.offset, (const char *)state + 8, 8);
    return mask;
}

// Neighbours ask for the same call.
static inline bool dropout_mask_keeps(dropout_mask *mask, uint64_t i) {
    uint64_t group = i / 64, within = i % 64, call = group * 8 + within % 32 / 4;
    if (!mask->made || call != mask->call) {
        mask->block = kz_philox(mask->seed, mask->offset, call);
        mask->call = call, mask->made = true;
    }
    uint32_t word = mask->block.word[within % 4];
    return (within < 32 ? word % 65536 : word / 65536) >= mask->drop;
}

// 1 / (1 - p), for p as it is after rounding.
static inline double dropout_scale(uint64_t drop) {
    return drop < DROPOUT_ALL ? 65536.0 / (double)(DROPOUT_ALL - drop) : 0.0;
}

// p in units of 1/65536; DROPOUT_ALL + 1 for what is no probability.
static inline uint64_t dropout_of(double p) {
    return p >= 0.0 && p <= 1.0 ? (uint64_t)(p * 65536.0 + 0.5) : DROPOUT_ALL + 1;
}

#endif
