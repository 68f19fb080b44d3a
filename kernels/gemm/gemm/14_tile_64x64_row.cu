// kz: sm 90a
// gemm 14: tiles of 64 x 64, four side by side
//
// Idea     a small c: tiles of 64 x 64 are many, but each fetches as much as it multiplies, 64 bytes per clock.
// Change   13's four blocks, for 64 rows.
// Expect   five eighths of the requests to L2 of 64 x 64 alone.
// Limit    the tensor cores wait for shared memory: 64 x 64 x 16 takes 32 clocks and 4 KB.

#include "frame.cuh"

GEMM_NN_NT(tile_64x64_row, ROW_OF_4)
