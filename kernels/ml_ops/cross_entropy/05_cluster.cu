// kz: sm 90
// cross_entropy 05: a cluster per row, in shared memory
//
// Idea     the shared memory of one to eight blocks holds a row of up to 1.6 MB: 262144 classes and more.
// Change   bulk copies bring a row into rings of stages; the blocks of a cluster send each other what they folded. A stage
//          that the writing pass has emptied takes a part of the next row. 50304 halves are 99 KB: one block.
// Expect   the gradient in place reads each logit from DRAM once and writes it once, with 80 KB and more in flight per
//          multiprocessor at any time.
// Limit    needs sm_90. Two exponentials per logit, and two readings of shared memory.

#include "kz/device/row_ring.cuh"
#include "cross_entropy.cuh"

// Only the gradient reads a row twice.
#define KERNEL(type, T)                                                                                      \
    KZ_ENTRY_BOUNDS(cross_entropy_cluster_gradient_##type, KZ_ROW_RING_THREADS + 32, 1) GRADIENT_ARGS(T) {   \
        auto p = GRADIENT_PROGRAM(T);                                                                        \
        kz_rows_cluster(p, rows, classes, extra);                                                            \
    }
KERNEL(f32, float)
KERNEL(f16, kz_f16)
KERNEL(bf16, kz_bf16)
