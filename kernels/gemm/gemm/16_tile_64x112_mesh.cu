// kz: sm 90a
// gemm 16: tiles of 64 x 112, two by four
//
// Idea     eight blocks that share both operands: each fetches an eighth of 128 x 448.
// Change   clusters of two rows and four columns of tiles.
// Expect   a third of the requests to L2; rows that begin between lines of 128 bytes take two each.
// Limit    all eight wait for the slowest.

#include "frame.cuh"

GEMM_NT(tile_64x112_mesh, MESH)
