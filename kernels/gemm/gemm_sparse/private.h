// What the C files of gemm_sparse share.
#ifndef GEMM_SPARSE_PRIVATE_H
#define GEMM_SPARSE_PRIVATE_H

#include "gemm_sparse.h"
#include "kz/family.h"
#include "storage.h"

enum { VALUES, METADATA, B, C }; // the buffers, in order
enum { M, N, K };                // the axes, in order

KZ_DECLARE_FAMILY(gemm_sparse);
extern const kz_native_entry gemm_sparse_natives[];

// ---- a as it is stored (packing.c) ------------------------------------------------------------------

static inline uint64_t gemm_sparse_steps(uint64_t k) { return kz_ceil_div(k, GEMM_SPARSE_DEPTH); }
// The two elements of a group that are kept: places along k, the first one below.
typedef struct gemm_sparse_pair {
    uint64_t first, second;
} gemm_sparse_pair;
gemm_sparse_pair gemm_sparse_find(const uint32_t *metadata, uint64_t row, uint64_t group, uint64_t steps);

// ---- inputs and answers (reference.c) -----------------------------------------------------------------

bool gemm_sparse_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                      void *host);
kz_status gemm_sparse_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                double *bound, kz_error *error);

#endif
