// reduce_axis 05: tiles of columns, n in pieces
//
// Idea     inner > 1: neighbouring lanes must take neighbouring columns; and where the columns are too few to fill
//          the GPU, several blocks share them.
// Change   a block is a tile of up to 32 columns with 8 rows at a time, four of those in flight; n is cut into
//          pieces until the grid is full, and a second, small launch folds the pieces (columns.cuh).
// Expect   coalesced for any inner from 32 up, and the GPU is full for outer = 1 too.
// Limit    4 bytes per load (see 07). A row of less than 32 columns is a short piece: two or more rows share a
//          warp. Rows (inner = 1) come out as columns of width 1.

#include "columns.cuh"

REDUCE_AXIS_ALL(REDUCE_AXIS_COLUMNS)
REDUCE_AXIS_ALL(REDUCE_AXIS_GATHER)
