// What the C files of fused_mlp share.
#ifndef FUSED_MLP_PRIVATE_H
#define FUSED_MLP_PRIVATE_H

#include "fused_mlp.h"
#include "gemm/epilogue.h"
#include "kz/family.h"

enum { TOKENS, MODEL, HIDDEN }; // the axes, in order

// Where the buffers are; without biases there are fewer.
typedef struct mlp_buffers {
    uint32_t x, w1, b1, w2, b2, y, count;
} mlp_buffers;

static inline bool mlp_gated(const kz_case *c) { return c->operation == KZ_FUSED_MLP_SWIGLU; }
static inline mlp_buffers mlp_buffers_of(const kz_case *c) {
    return mlp_gated(c) ? (mlp_buffers){0, 1, 0, 2, 0, 3, 4} : (mlp_buffers){0, 1, 2, 3, 4, 5, 6};
}
// Columns of the first product: gate and value by turns.
static inline uint64_t mlp_columns(const kz_case *c) {
    return (uint64_t)c->axes[HIDDEN] * (mlp_gated(c) ? 2 : 1);
}
// What becomes of its sums; ends with NULL.
gemm_step *const *mlp_steps(const kz_case *c);

KZ_DECLARE_FAMILY(fused_mlp);
extern const kz_native_entry fused_mlp_natives[];
kz_status fused_mlp_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error);

#endif
