// sampling 01: a launch for each step
//
// Idea     the definition: make the logits probabilities, sort them, add them up, cut, draw.
// Change   the first version. Four launches: weights, a sort of each row in the workspace, the bound that the filters leave, and
//          the draw. A block works on a row in each. Greedy is one launch.
// Expect   right for any vocabulary. What a launch found out goes through memory to the next one.
// Limit    8 bytes of workspace for each token, which a sort of 131072 reads and writes 153 times (see 02, 03).

#include "sorted.cuh"

typedef struct found { // by the first launches, of a row
    uint32_t greatest, bound;
} found;

template <typename T>
static __device__ __forceinline__ void make_weights(const T *row, unsigned vocabulary, item *items,
                                                    unsigned room, float scale, found *of_row) {
    __shared__ team_room exchange;
    team t = open_team<1>(&exchange);
    uint32_t greatest = greatest_key<T, 1>({row, 0, vocabulary}, &t);
    if (threadIdx.x == 0) of_row->greatest = greatest;
    make_items(row, vocabulary, items, room, value_of_key<T>(greatest), scale);
}

template <typename T>
static __device__ __forceinline__ void draw(const T *row, unsigned vocabulary, found of_row, filters f,
                                            mass random, int *token) {
    __shared__ team_room exchange;
    team t = open_team<1>(&exchange);
    if (threadIdx.x == 0) *token = NO_TOKEN;
    if (of_row.greatest == 0) return;
    __syncthreads(); // the draw's write comes behind this one
    kept k = {value_of_key<T>(of_row.greatest), f.scale, logit_of_bound<T>(of_row.bound), f.least};
    draw_token<T, 1>({row, 0, vocabulary}, k, random, token, &t);
}

KZ_ENTRY_BOUNDS(sampling_launches_sort, SAMPLING_THREADS, 1)(item *items, size_t room) {
    sort_items(items + blockIdx.x * room, (unsigned)room);
}
KZ_ENTRY_BOUNDS(sampling_launches_bound, SAMPLING_THREADS, 1)
(const item *items, found *of_rows, size_t room, size_t vocabulary, size_t top_k, float top_share) {
    __shared__ team_room exchange;
    team t = open_team<1>(&exchange);
    filters f = make_filters(top_k, vocabulary, top_share, 0.0f, 0.0f);
    uint32_t bound = bound_of_sorted(items + blockIdx.x * room, (unsigned)vocabulary, f, &t);
    if (threadIdx.x == 0) of_rows[blockIdx.x].bound = bound;
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY_BOUNDS(sampling_launches_weights_sample_##type, SAMPLING_THREADS, 1)                            \
    (const T *logits, item *items, found *of_rows, size_t room, size_t vocabulary, float scale) {            \
        size_t row = blockIdx.x;                                                                             \
        make_weights(logits + row * vocabulary, (unsigned)vocabulary, items + row * room, (unsigned)room,    \
                     scale, &of_rows[row]);                                                                  \
    }                                                                                                        \
    KZ_ENTRY_BOUNDS(sampling_launches_draw_sample_##type, SAMPLING_THREADS, 1)                               \
    (const T *logits, int *token, const long long *step, const found *of_rows, size_t vocabulary,            \
     float least, float scale, unsigned long long seed) {                                                    \
        size_t row = blockIdx.x;                                                                             \
        draw(logits + row * vocabulary, (unsigned)vocabulary, of_rows[row],                                  \
             make_filters(0, 0, 1.0f, least, scale), random_bits(seed, row, (unsigned long long)*step),      \
             &token[row]);                                                                                   \
    }                                                                                                        \
    KZ_ENTRY_BOUNDS(sampling_launches_greedy_##type, SAMPLING_THREADS, 1)(GREEDY_PARAMETERS(T)) {            \
        __shared__ team_room exchange;                                                                       \
        size_t row = blockIdx.x;                                                                             \
        take_greatest<T, 1>(logits + row * vocabulary, (unsigned)vocabulary, &token[row],                    \
                            open_team<1>(&exchange));                                                        \
    }
SAMPLING_TYPES(ENTRY)
