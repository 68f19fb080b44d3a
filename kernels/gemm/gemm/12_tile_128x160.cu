// kz: sm 90a
// gemm 12: tiles of 128 x 160
//
// Idea     between 03 and 04: 1536 x 1536 are 120 such tiles, one round.
// Change   ping-pong as 03, five stages.
// Expect   03's speed.
// Limit    160 is no multiple of 64, in which rows of b as written come: b transposed alone.

#include "frame.cuh"

GEMM_NT(tile_128x160, MIDDLE)
