// kz: sm 90a
// gemm 02: tiles of 128 x 256 in clusters of two
//
// Idea     large products: the more of c a block has, the fewer bytes it fetches for each product.
// Change   hgemm's 10 for every order, type, stride and count: two blocks, one above the other, fetch b's chunk once; c leaves by a
//          tensor map, or directly where its rows begin anywhere; alpha and beta are an epilogue.
// Expect   the speed of hgemm's 10; what beta reads comes in addition.
// Limit    512 x 256 of c per pair of blocks and round: small c leaves multiprocessors idle.

#include "frame.cuh"

GEMM_ALL(tile_128x256, LARGE)
