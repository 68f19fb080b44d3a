// What the C files of gemm_fused share.
#ifndef GEMM_FUSED_PRIVATE_H
#define GEMM_FUSED_PRIVATE_H

#include "gemm/epilogue.h"
#include "gemm_fused.h"
#include "kz/family.h"

enum { A, B, C, X, Y }; // the buffers, in order; an epilogue without x has no y
enum { M, N, K };       // the axes, in order

KZ_DECLARE_FAMILY(gemm_fused);
extern const kz_native_entry gemm_fused_natives[];

typedef enum fused_fold { FOLD_NONE, FOLD_SUM_ROWS, FOLD_MAX_ROWS, FOLD_SUM_COLUMNS } fused_fold;

// What extras.def says of one, for a case.
typedef struct fused_extra {
    const char *name; // NULL: there is none
    kz_role role;
    kz_type type;
    uint64_t count;
    fused_fold fold;
} fused_extra;

// What epilogues.def says of one, for a case.
enum { FUSED_STEPS = 4 };
typedef struct fused_epilogue {
    const char *name;
    kz_type out;    // c's type
    gemm_byte byte; // what its bytes are
    bool halves;    // c has n / 2 columns
    fused_extra x, y;
    gemm_step *const *steps; // of the reference; ends with NULL
} fused_epilogue;

fused_epilogue fused_epilogue_of(const kz_case *c);

// An operation is an epilogue and an order, nn or nt.
static inline bool fused_b_mn(const kz_case *c) { return c->operation % 2 == 0; }
static inline uint64_t fused_columns(const kz_case *c, const fused_epilogue *e) { // of c
    return (uint64_t)c->axes[N] / (e->halves ? 2 : 1);
}

kz_status gemm_fused_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                               double *bound, kz_error *error);

#endif
