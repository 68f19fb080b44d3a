// sampling 03: one launch, and a search instead of a sort
//
// Idea     top-k and top-p ask for one number each: the logit from which on tokens are kept. A bisection finds it by measuring
//          what lies above a trial: tokens are counted, or their weights added.
// Change   a block of 1024 threads per row, which stays in shared memory where it fits. A trial halves the range of logits, then
//          the range of keys, and so on by turns. What lies between the limits goes into a list of 2048 once that is enough.
// Expect   one launch, no workspace, any vocabulary; logits cross DRAM once. Greedy is one pass of 16-byte loads, four in
//          flight for each of 512 threads, and no exponential: 64 KB in flight with two blocks on a multiprocessor.
// Limit    a row of 131072 halves is 256 KB: trials before the list read it from L2. Fewer rows than multiprocessors leave some
//          idle (see 04).

#include "search.cuh"

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY_BOUNDS(sampling_search_sample_##type, SAMPLING_ROW_THREADS, 1)                                  \
    (SAMPLE_PARAMETERS(T), size_t fits) {                                                                    \
        extern __shared__ uint4 copy[];                                                                      \
        size_t row = blockIdx.x;                                                                             \
        sample<T, 1>(logits + row * vocabulary, (unsigned)vocabulary,                                        \
                     make_filters(top_k, vocabulary, top_share, least, scale),                               \
                     random_bits(seed, row, (unsigned long long)*step), &token[row],                         \
                     fits ? (unsigned char *)copy : NULL);                                                   \
    }                                                                                                        \
    KZ_ENTRY_BOUNDS(sampling_search_greedy_##type, SAMPLING_GREEDY_THREADS, 1)(GREEDY_PARAMETERS(T)) {       \
        __shared__ team_room exchange;                                                                       \
        size_t row = blockIdx.x;                                                                             \
        take_greatest<T, 1>(logits + row * vocabulary, (unsigned)vocabulary, &token[row],                    \
                            open_team<1>(&exchange));                                                        \
    }
SAMPLING_TYPES(ENTRY)
