// kz: sm 90a
// gemm 04: tiles of 128 x 128, by turns
//
// Idea     half of 02's tile: half the loss in the last round.
// Change   03 with 128 columns and six stages.
// Expect   5% slower than 02 where both fill their rounds.
// Limit    a chunk of 64 along k is 32 KB for 2 MFLOP: L2 is near its limit.

#include "frame.cuh"

GEMM_ALL(tile_128x128, SMALL)
