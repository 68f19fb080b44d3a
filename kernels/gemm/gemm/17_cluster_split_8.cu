// kz: sm 90a
// gemm 17: eight blocks share a tile
//
// Idea     06 for a c of a dozen tiles.
// Change   eight blocks of a cluster have an eighth of k each.
// Expect   432 x 88 x 8840 in less time than cuBLASLt takes.
// Limit    as 06.

#include "frame.cuh"

GEMM_NN_NT(cluster_split_8, SPLIT_8)
