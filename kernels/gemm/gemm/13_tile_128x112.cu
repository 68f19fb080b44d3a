// kz: sm 90a
// gemm 13: tiles of 128 x 112, four side by side
//
// Idea     up to 128 rows of a and a wide b: each block needs all of a. Fetched by each, a is most of what L2 delivers.
// Change   four blocks of a cluster fetch a quarter of a's chunk each, for all four.
// Expect   the speed at which b is read.
// Limit    as 12.

#include "frame.cuh"

GEMM_NT(tile_128x112, BAND)
