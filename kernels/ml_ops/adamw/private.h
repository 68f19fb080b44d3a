// What the C files of adamw share.
#ifndef ADAMW_PRIVATE_H
#define ADAMW_PRIVATE_H

#include "adamw.h"
#include "kz/family.h"
#include "ml_ops/parameters.h"

// The buffers, in order; COPY for update_master alone.
enum { WEIGHTS, GRADIENTS, M, V, TABLE, LIST, NOW, SCALE, SKIP, COPY };
// The axes, in order: those of ml_ops/parameters.h, then these. CHUNKS is no size that a case is named for: a public operation's
// list has so many entries, and 0 asks for those of the split.
enum { STEP = PARAMETERS_SPLIT + 1, CONTROL, CHUNKS };
// The scale is 1; it is another; it is another, and the step is skipped. A public operation takes scale and flag as
// they are given, 0 or not, and the rate and the step by value or by address.
enum { CONTROL_NONE, CONTROL_SCALE, CONTROL_SKIP, CONTROL_PUBLIC };

KZ_DECLARE_FAMILY(adamw);
extern const kz_native_entry adamw_natives[];

// The entries' arguments, in order.
enum {
    ARG_WEIGHTS,
    ARG_GRADIENTS,
    ARG_M,
    ARG_V,
    ARG_COPY,
    ARG_TABLE,
    ARG_LIST,
    ARG_NOW,
    ARG_SCALE,
    ARG_SKIP,
    ARG_N,
    ARG_TENSORS,
    ARG_CHUNKS,
    ARG_BETA1,
    ARG_BETA2,
    ARG_EPSILON,
    ARG_REST1,
    ARG_REST2,
    ARG_LOG_BETA1,
    ARG_LOG_BETA2,
    ARG_SEED,
    ADAMW_ARGS
};

typedef struct adamw_types {
    kz_type weights, gradients; // moments as weights, a copy as gradients
    bool copy;
} adamw_types;
static inline adamw_types adamw_types_of(const kz_case *c) {
    bool master = c->operation == KZ_ADAMW_UPDATE_MASTER;
    return (adamw_types){master ? KZ_F32 : c->type, c->type, master};
}
static inline parameters_sizes adamw_sizes(adamw_types types) {
    return (parameters_sizes){kz_type_size(types.weights), kz_type_size(types.gradients),
                              kz_type_size(types.gradients)};
}
kz_adamw_options adamw_options_of(const kz_case *c);
static inline bool adamw_draws(const kz_case *c) { return c->operation == KZ_ADAMW_UPDATE_STOCHASTIC; }

// 16 bits for each result of an element.
typedef struct adamw_bits {
    uint32_t weight, m, v;
} adamw_bits;
static inline adamw_bits adamw_draw(uint64_t seed, uint32_t step, uint64_t index) {
    kz_philox_block call = kz_philox(seed, step, index / 2);
    unsigned shift = index % 2 * 16;
    return (adamw_bits){call.word[0] >> shift & 0xffff, call.word[1] >> shift & 0xffff,
                        call.word[2] >> shift & 0xffff};
}

kz_status adamw_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error);

#endif
