// kz: sm 90a
// gemm 15: tiles of 64 x 64, four one above the other
//
// Idea     14 turned, for a c that is higher than wide.
// Change   four blocks share b's chunk.
// Expect   as 14.
// Limit    as 14.

#include "frame.cuh"

GEMM_NT(tile_64x64_column, COLUMN_OF_4)
