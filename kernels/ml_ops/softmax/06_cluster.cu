// kz: sm 90
// softmax 06: a cluster per row, in shared memory
//
// Idea     the shared memory of two to eight blocks holds a row of up to 1.6 MB.
// Change   bulk copies bring a row into rings of stages, one in each block of a cluster; blocks send each other their pairs of
//          largest and sum. A stage that the writing pass has emptied takes a part of the next row.
// Expect   each element comes from DRAM once. Of 13 stages of 16 KB a row fills 8 at most, so 80 KB and more per
//          multiprocessor are in flight at any time.
// Limit    needs sm_90. Longer rows are read twice, by eight blocks instead of one. Each element is read from shared memory twice, and takes an exponential for the sum and one for
//          the result.

#include "kz/device/row_ring.cuh"
#include "softmax.cuh"

#define ENTRY(operation, type, T, program)                                                                   \
    KZ_ENTRY_BOUNDS(softmax_cluster_##operation##_##type, KZ_ROW_RING_THREADS + 32, 1) SOFTMAX_ARGS(T) {     \
        program p(a, b, out, rows);                                                                          \
        kz_rows_cluster(p, batch *rows, columns, extra);                                                     \
    }
SOFTMAX_ALL(ENTRY)
