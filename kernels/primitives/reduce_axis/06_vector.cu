// reduce_axis 06: many bytes in flight
//
// Idea     04 has 16 bytes per lane on their way, then waits. Only bytes in flight keep DRAM busy.
// Change   four packs per lane before the first is folded: of four rows where a row is a pack per lane, of the same
//          row where it is longer. Rows that begin anywhere are read by packs as well: the one that two rows share
//          is loaded by both (rows.cuh). The results of four rows leave as one store of the warp.
// Expect   peak DRAM bandwidth for 16 to some thousands of elements in a row.
// Limit    a warp per row is the most: a few long rows leave the GPU idle. Rows alone: inner = 1 (see 07 for both).

#include "rows.cuh"

REDUCE_AXIS_FEW(REDUCE_AXIS_SHORT)
REDUCE_AXIS_FEW(REDUCE_AXIS_LONG)
