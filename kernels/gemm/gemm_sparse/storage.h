// gemm_sparse: where the metadata of a group is, for the host and the kernel alike (gemm_sparse.h says it in words).
#ifndef GEMM_SPARSE_STORAGE_H
#define GEMM_SPARSE_STORAGE_H

#define GEMM_SPARSE_DEPTH  64 // of k, in a step
#define GEMM_SPARSE_GROUPS 16 // of a row, in a step
#define GEMM_SPARSE_KEPT   32 // elements of a row, of a step
#define GEMM_SPARSE_ROWS   64 // that share their words
#define GEMM_SPARSE_WORDS  128

// `group` is counted from the row's beginning.
#define GEMM_SPARSE_WORD(row, group, steps)                                                                  \
    (((row) / GEMM_SPARSE_ROWS * (steps) + (group) / GEMM_SPARSE_GROUPS) * GEMM_SPARSE_WORDS +               \
     (row) % 64 / 16 * 32 + (row) % 8 * 4 + (group) % GEMM_SPARSE_GROUPS / 4)
#define GEMM_SPARSE_BIT(row, group) ((row) / 8 % 2 * 16 + (group) % 4 * 4)

#endif
