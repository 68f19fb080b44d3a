// Tuning constants of attention_backward, for kernels and plans.
#ifndef ATTENTION_BACKWARD_TUNE_H
#define ATTENTION_BACKWARD_TUNE_H

// 02 and 03: X(dimension up to, keys of a tile, queries of a tile). Four rows of floats for each and two matrices of pairs stay
// within the 64 KB that a block has on sm_75; not searched, no GPU has timed them yet.
#define RECOMPUTE_THREADS 256
#define RECOMPUTE_TILES(X, ...)                                                                              \
    X(32, 32, 32, __VA_ARGS__)                                                                               \
    X(64, 32, 32, __VA_ARGS__) X(128, 16, 16, __VA_ARGS__) X(256, 16, 8, __VA_ARGS__)
#define RECOMPUTE_SHARED_BYTES(dimension, keys, queries)                                                     \
    (4 * (2 * ((keys) + (queries)) * ((dimension) + 1) + 2 * (queries) * ((keys) + 1) + 2 * (queries)))

#endif
