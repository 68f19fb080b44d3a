// kz: sm 90a
// gemm 21: tiles of 192 x 192
//
// Idea     3072 x 3072 is 256 such tiles, two rounds of 132 less eight; of 128 x 192 it takes three.
// Change   three consumers, 64 x 192 each: 160 registers for each of their threads, of which 96 are sums.
// Expect   02's speed, with a sixth fewer bytes for each product.
// Limit    three stages of 48 KB.

#include "frame.cuh"

GEMM_NN_NT(tile_192x192, SQUARE)
