// kz: sm 90a
// gemm 05: tiles of 64 x 128
//
// Idea     a c of 1024 x 1024 is 32 tiles of 02, and the GPU has 132 multiprocessors.
// Change   one consumer, 64 x 128, eight stages.
// Expect   128 tiles, a round.
// Limit    25% slower per product than 02.

#include "frame.cuh"

GEMM_ALL(tile_64x128, NARROW)
