// sampling 04: a cluster per row
//
// Idea     a step of a decoder has few rows of many logits: several multiprocessors must read one row for the memory to be busy.
// Change   8 blocks share a row. Each keeps its slice in shared memory, 32 KB of 131072 halves; what a block measured it writes
//          into the other blocks' shared memory, and a cluster barrier ends each trial.
// Expect   16 rows keep 128 multiprocessors busy, and every logit is read once from DRAM, by nobody but its block.
// Limit    sm_90. A cluster barrier for each trial, 10 to 40 of them; with more rows than multiprocessors 03 waits less.
// kz: sm 90

#include "search.cuh"

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY_BOUNDS(sampling_cluster_sample_##type, SAMPLING_CLUSTER_THREADS, 1)                             \
    (SAMPLE_PARAMETERS(T), size_t fits) {                                                                    \
        extern __shared__ uint4 copy[];                                                                      \
        size_t row = blockIdx.x / SAMPLING_CLUSTER;                                                          \
        sample<T, SAMPLING_CLUSTER>(logits + row * vocabulary, (unsigned)vocabulary,                         \
                                    make_filters(top_k, vocabulary, top_share, least, scale),                \
                                    random_bits(seed, row, (unsigned long long)*step), &token[row],          \
                                    fits ? (unsigned char *)copy : NULL);                                    \
    }                                                                                                        \
    KZ_ENTRY_BOUNDS(sampling_cluster_greedy_##type, SAMPLING_CLUSTER_THREADS, 1)(GREEDY_PARAMETERS(T)) {     \
        __shared__ team_room exchange;                                                                       \
        size_t row = blockIdx.x / SAMPLING_CLUSTER;                                                          \
        take_greatest<T, SAMPLING_CLUSTER>(logits + row * vocabulary, (unsigned)vocabulary, &token[row],     \
                                           open_team<SAMPLING_CLUSTER>(&exchange));                          \
    }
SAMPLING_TYPES(ENTRY)
