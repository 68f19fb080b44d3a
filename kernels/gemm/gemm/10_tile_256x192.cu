// kz: sm 90a
// gemm 10: tiles of 256 x 192
//
// Idea     the GPU draws all the power that it may: the fewer bytes a product moves, the higher its clock.
// Change   each consumer has 128 x 192 of c: 192 registers of sums. A chunk of 56 KB serves 1.5 times the products of one of 02.
// Expect   the fastest from 16384 x 16384 on, where rounds are many.
// Limit    three stages; and a round is 256 x 192 for every multiprocessor.

#include "frame.cuh"

GEMM_NN_NT(tile_256x192, TALL)
