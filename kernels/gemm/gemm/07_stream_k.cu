// kz: sm 90a
// gemm 07: tiles cut along k
//
// Idea     the last round of 02 is seldom full.
// Change   tiles that fill no round, and those of one full round with them, are cut into equal shares of chunks; who has a tile's
//          first chunk adds what the others put into the workspace.
// Expect   all end together.
// Limit    partial sums go through L2.

#include "frame.cuh"

GEMM_ALL(stream_k, STREAM)
