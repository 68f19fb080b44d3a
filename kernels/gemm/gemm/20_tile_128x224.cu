// kz: sm 90a
// gemm 20: tiles of 128 x 224
//
// Idea     768 x 14336 is 6 x 56 tiles of 128 x 256: 2.55 rounds. With 224 columns it is 6 x 64, 2.91.
// Change   02 with 224 columns.
// Expect   02's speed where 256 columns leave the last round half empty.
// Limit    b transposed alone: slabs of 64 do not divide 224.

#include "frame.cuh"

GEMM_NT(tile_128x224, BROAD)
