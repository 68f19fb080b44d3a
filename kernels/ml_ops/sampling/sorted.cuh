// sampling: filters by sorting: a row as items, key above and weight below, in descending order.
#ifndef SAMPLING_SORTED_CUH
#define SAMPLING_SORTED_CUH

#include "team.cuh"

typedef unsigned long long item;

static __device__ __forceinline__ uint32_t key_of(item i) { return (uint32_t)(i >> 32); }

// The key of the greatest logit; 0 where there is no token to draw.
template <typename T, int BLOCKS>
static __device__ __forceinline__ uint32_t greatest_key(slice<T> s, team *t) {
    uint32_t key = 0;
    visit_block(s, [&](T x) { key = max(key, token_key(x)); });
    key = (uint32_t)fold_team<BLOCKS, GREATEST>(t, {key, 0}).weight;
    return key > kz_key_of_minus_infinity<T>() ? key : 0;
}

// Of the `room` items those of tokens come first; the others are 0.
template <typename T>
static __device__ __forceinline__ void make_items(const T *row, unsigned vocabulary, item *items,
                                                  unsigned room, float most, float scale) {
    for (unsigned i = threadIdx.x; i < room; i += blockDim.x)
        items[i] = i < vocabulary ? (item)token_key(row[i]) << 32 | weight_of(row[i], most, scale) : 0;
}

// Descending, by all threads of a block, in shared or in global memory. A bitonic network.
static __device__ __forceinline__ void sort_items(item *items, unsigned room) {
    for (unsigned size = 2; size <= room; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < room / 2; i += blockDim.x) {
                unsigned low = 2 * i - (i & (step - 1)), high = low + step;
                item a = items[low], b = items[high];
                if ((a < b) == ((low & size) == 0)) items[low] = b, items[high] = a;
            }
        }
    __syncthreads();
}

// The weights of this thread's run of items whose keys are at least `bound`.
static __device__ __forceinline__ mass sum_run(const item *items, unsigned begin, unsigned end,
                                               uint32_t bound) {
    mass sum = 0;
    for (unsigned i = begin; i < end && key_of(items[i]) >= bound; i++) sum += (uint32_t)items[i];
    return sum;
}

// The key from which on tokens are kept by top_k and top_p: the k'th item's, then that of the item with which the sum
// reaches the share of what top_k kept. Equal keys are kept together.
static __device__ __forceinline__ uint32_t bound_of_sorted(const item *items, unsigned vocabulary, filters f,
                                                           team *t) {
    __shared__ uint32_t bound;
    uint32_t of_k = f.top_k ? key_of(items[f.top_k - 1]) : 0;
    if (!(f.top_p < 1.0f)) return of_k;
    if (threadIdx.x == 0) bound = of_k; // for a row without a token; the fold below has a barrier
    unsigned each = (vocabulary + blockDim.x - 1) / blockDim.x, begin = min(threadIdx.x * each, vocabulary);
    unsigned end = min(begin + each, vocabulary);
    mass own = sum_run(items, begin, end, of_k), upto = own;
    for (unsigned step = 1; step < KZ_WARP; step *= 2) {
        mass lanes_before = __shfl_up_sync(KZ_ALL_LANES, upto, step);
        if (kz_lane() >= step) upto += lanes_before;
    }
    measure before = {0, 0};
    mass of_warp = __shfl_sync(KZ_ALL_LANES, upto, KZ_WARP - 1);
    mass all = fold_warps<1, SUM>(t, {of_warp, 0}, &before).weight;
    mass need = needed_share(f.top_p, all), sum = before.weight + upto - own;
    if (sum < need && need <= sum + own) { // one thread's
        unsigned i = begin;
        while ((sum += (uint32_t)items[i]) < need) i++;
        bound = key_of(items[i]);
    }
    __syncthreads();
    return bound;
}

#endif
