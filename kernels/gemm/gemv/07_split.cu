// kz: sm 90
// gemv 07: k split over a cluster
//
// Idea     1024 rows are 64 units of 16: half of an H200's multiprocessors have nothing to do.
// Change   where units are few, a cluster of 2 to 8 blocks shares each: every block has a part of k. Their sums meet in shared memory of the
//          cluster (DSMEM), in the order of the blocks: no second launch, no atomics, the same bits in every run.
// Expect   06's time where units are enough; up to 8 times as fast where they are few and rows are long.
// Limit    two barriers of the cluster, a microsecond or so. One unit per cluster: nothing is gained by splitting more.

#include "ring.cuh"

#define GEMV_SHAPE(format, FORMAT, part, tiles, columns, depth, blocks)                                      \
    GEMV_RING_TYPES(split, format, FORMAT, part, tiles, columns, depth, blocks, true, false)
#include "shapes.def"
