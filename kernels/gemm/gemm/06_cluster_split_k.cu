// kz: sm 90a
// gemm 06: four blocks share a tile
//
// Idea     a small c with long sums has few tiles, each with much to do.
// Change   four blocks of a cluster have a quarter of k each, exchange their sums through shared memory, and store a quarter of
//          the tile each.
// Expect   four times the multiprocessors, for two barriers of a cluster.
// Limit    the grid has a cluster for every tile: none stays.

#include "frame.cuh"

GEMM_ALL(cluster_split_k, SPLIT)
