// top_k: radix select: how far down a row's k greatest candidates reach, digit by digit from the top.
#ifndef TOP_K_SELECT_CUH
#define TOP_K_SELECT_CUH

#include "top_k.cuh"
#include "tune.h"

enum { BINS = 256, DIGIT = 8 };

typedef struct radix_room { // in shared memory
    unsigned bins[BINS];
    unsigned digit, need, inside;
} radix_room;
static_assert(sizeof(radix_room) + 16 <= TOP_K_STATIC_BYTES,
              "the plan leaves room for it beside the candidates");

// Chosen are the candidates c with c >> shift >= prefix.
typedef struct radix_bound {
    candidate prefix;
    unsigned shift;
} radix_bound;

static __device__ __forceinline__ bool is_chosen(candidate c, radix_bound b) {
    return c >> b.shift >= b.prefix;
}

// Of the counts in `bins`, the digit whose bin holds the need'th from above; what is needed of that bin, and how many it has.
// Warp 0 works, lane 0 with the highest bins.
static __device__ __forceinline__ void find_digit(radix_room *room, unsigned need) {
    enum { EACH = BINS / KZ_WARP };
    if (kz_warp() != 0) return;
    unsigned top = BINS - 1 - kz_lane() * EACH, sum = 0;
    for (unsigned i = 0; i < EACH; i++) sum += room->bins[top - i];
    unsigned upto = sum;
    for (unsigned step = 1; step < KZ_WARP; step *= 2) {
        unsigned before = __shfl_up_sync(KZ_ALL_LANES, upto, step);
        if (kz_lane() >= step) upto += before;
    }
    unsigned above = upto - sum;
    if (above >= need || upto < need) return; // the digit is another lane's
    unsigned bin = top;
    while (above + room->bins[bin] < need) above += room->bins[bin--];
    room->digit = bin;
    room->need = need - above;
    room->inside = room->bins[bin];
}

// One digit: visit(count) calls count(candidate) for each one. False: all of the bin is needed, so nothing is left to decide.
template <typename Visit>
static __device__ __forceinline__ bool select_digit(radix_room *room, radix_bound *b, unsigned *need,
                                                    Visit visit) {
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x) room->bins[i] = 0;
    __syncthreads();
    unsigned shift = b->shift - DIGIT;
    candidate prefix = b->prefix;
    visit([&](candidate c) {
        // A shift by all 64 bits would be none.
        if (c >> shift >> DIGIT == prefix) atomicAdd(&room->bins[c >> shift & (BINS - 1)], 1u);
    });
    __syncthreads();
    find_digit(room, *need);
    __syncthreads();
    b->prefix = prefix << DIGIT | room->digit;
    b->shift = shift;
    *need = room->need;
    return room->inside != room->need;
}

// By all threads of a block, for 1 <= k <= how many there are: exactly k of the candidates that visit(count) shows are chosen.
// Where numbers at the bound are equal, the indices' digits decide as well; those that all indices below `columns` have in
// common are passed over.
template <typename T, typename Visit>
static __device__ __forceinline__ radix_bound select_from(Visit visit, unsigned columns, unsigned k,
                                                          radix_room *room) {
    radix_bound b = {0, 32 + kz_key_traits<T>::BITS};
    unsigned need = k;
    while (b.shift > 32)
        if (!select_digit(room, &b, &need, visit)) return b;
    unsigned digits = columns > 1 << 24 ? 4 : columns > 1 << 16 ? 3 : columns > 1 << 8 ? 2 : 1;
    unsigned common = 32 - digits * DIGIT;
    b.prefix = b.prefix << common | ((1ull << common) - 1);
    b.shift -= common;
    while (b.shift > 0)
        if (!select_digit(room, &b, &need, visit)) return b;
    return b;
}

template <typename T>
static __device__ __forceinline__ radix_bound select_row(const T *row, unsigned columns, unsigned k,
                                                         radix_room *room) {
    auto visit = [&](auto count) {
        visit_row(row, columns, [&](T x, unsigned at) { count(candidate_of(x, at)); });
    };
    return select_from<T>(visit, columns, k, room);
}

// Of a list, in which 0 is nobody.
template <typename T>
static __device__ __forceinline__ radix_bound select_list(const candidate *list, unsigned length,
                                                          unsigned columns, unsigned k, radix_room *room) {
    auto visit = [&](auto count) {
        for (unsigned i = threadIdx.x; i < length; i += blockDim.x) count(list[i]);
    };
    return select_from<T>(visit, columns, k, room);
}

// The chosen k of a row into `list`, in any order, which begins at `*count` = 0.
template <typename T>
static __device__ __forceinline__ void collect_chosen(const T *row, unsigned columns, radix_bound b,
                                                      candidate *list, unsigned *count) {
    visit_row(row, columns, [&](T x, unsigned at) {
        candidate c = candidate_of(x, at);
        if (is_chosen(c, b)) list[atomicAdd(count, 1u)] = c;
    });
}

#endif
