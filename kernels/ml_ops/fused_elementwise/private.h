// What the C files of fused_elementwise share.
#ifndef FUSED_ELEMENTWISE_PRIVATE_H
#define FUSED_ELEMENTWISE_PRIVATE_H

#include "fused_elementwise.h"
#include "kz/family.h"

enum { ROWS, COLUMNS, DROP }; // the axes, in order

// Where a chain's buffers are; NONE: it has no such one.
enum { NONE = KZ_FAMILY_BUFFERS };
typedef struct chain_buffers {
    uint32_t x, bias, residual, dy, state, y, dx, dbias, count;
} chain_buffers;
chain_buffers chain_buffers_of(const kz_case *c);

// a and b are the halves of x's rows.
static inline bool chain_gated(const kz_case *c) { return c->operation >= KZ_SWIGLU; }

// axes[DROP] is not a size: p in units of 1/65536, plus 1. 0 stands for p = 0.1, so that a case is known by its rows and
// columns alone.
static inline uint64_t chain_drop(const kz_case *c) {
    return c->axes[DROP] ? (uint64_t)c->axes[DROP] - 1 : 6554;
}

KZ_DECLARE_FAMILY(fused_elementwise);
extern const kz_native_entry fused_elementwise_natives[];
kz_status fused_elementwise_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                      double *bound, kz_error *error);

#endif
