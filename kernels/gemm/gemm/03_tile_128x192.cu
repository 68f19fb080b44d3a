// kz: sm 90a
// gemm 03: tiles of 128 x 192, by turns
//
// Idea     where 128 x 256 fills its last round badly, another width may fill it well.
// Change   02 with three quarters of the width, no clusters, and a tile for each consumer: one multiplies while the other stores.
// Expect   more bytes per product, and no wait for the store.
// Limit    as 02.

#include "frame.cuh"

GEMM_ALL(tile_128x192, WIDE)
