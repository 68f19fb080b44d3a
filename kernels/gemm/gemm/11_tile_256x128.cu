// kz: sm 90a
// gemm 11: tiles of 256 x 128 in clusters of two
//
// Idea     02 turned: two blocks side by side fetch a's chunk once.
// Change   each consumer has 128 x 128.
// Expect   02's speed, where 256 x 256 fits better this way round.
// Limit    as 02.

#include "frame.cuh"

GEMM_NN_NT(tile_256x128, PAIR)
