// sampling 02: one launch, the row sorted in shared memory
//
// Idea     where a row's items fit in a block's shared memory, nothing needs to go through memory between the steps.
// Change   one block does a row's four steps one after the other: a launch, and no workspace.
// Expect   logits come from DRAM once; the passes behind the first find them in L2.
// Limit    8 bytes an item: vocabularies to 16384 on an H200. A sort of n costs log2(n)^2 / 4 exchanges for each token, and
//          the filters only ask where to cut (see 03).

#include "sorted.cuh"

template <typename T>
static __device__ __forceinline__ void sample(const T *row, unsigned vocabulary, unsigned room, filters f,
                                              mass random, int *token) {
    extern __shared__ item items[];
    __shared__ team_room exchange;
    team t = open_team<1>(&exchange);
    uint32_t greatest = greatest_key<T, 1>({row, 0, vocabulary}, &t);
    if (greatest == 0) {
        if (threadIdx.x == 0) *token = NO_TOKEN;
        return;
    }
    float most = value_of_key<T>(greatest);
    make_items(row, vocabulary, items, room, most, f.scale);
    sort_items(items, room);
    kept k = {most, f.scale, logit_of_bound<T>(bound_of_sorted(items, vocabulary, f, &t)), f.least};
    draw_token<T, 1>({row, 0, vocabulary}, k, random, token, &t);
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY_BOUNDS(sampling_sort_sample_##type, SAMPLING_THREADS, 1)(SAMPLE_PARAMETERS(T), size_t room) {   \
        size_t row = blockIdx.x;                                                                             \
        sample(logits + row * vocabulary, (unsigned)vocabulary, (unsigned)room,                              \
               make_filters(top_k, vocabulary, top_share, least, scale),                                     \
               random_bits(seed, row, (unsigned long long)*step), &token[row]);                              \
    }
SAMPLING_TYPES(ENTRY)
