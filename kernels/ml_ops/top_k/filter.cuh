// top_k: the filter of 04 for a block and a row of any length, which is read twice: for the maxima, and for what reaches them.
#ifndef TOP_K_FILTER_CUH
#define TOP_K_FILTER_CUH

#include "packed.cuh"
#include "select.cuh"
#include "tune.h"

typedef struct filter_room { // in shared memory
    radix_room radix;
    unsigned count;
} filter_room;

// How many survivors there is room for: a power of two, and the plan's too (top_k_list).
static __device__ __forceinline__ unsigned list_room(unsigned k) {
    return max((unsigned)TOP_K_LIST, 4 * power_of_two(k));
}

// visit(pack, first, end) for the packs of a row, by all threads of a block; elements from `end` on are none, and -Inf. Four
// loads are in flight before the first is used.
template <typename T, typename Visit>
static __device__ __forceinline__ void visit_packs(const T *row, unsigned columns, Visit visit) {
    constexpr unsigned EACH = 16 / sizeof(T), AHEAD = 4;
    unsigned head = min((unsigned)((16 - (size_t)row % 16) % 16 / sizeof(T)), columns);
    unsigned packs = (columns - head) / EACH, tail = head + packs * EACH;
    if (head > 0 && threadIdx.x == 0) visit(load_padded(row, 0, head, false), 0u, head);
    for (unsigned base = threadIdx.x; base < packs; base += AHEAD * blockDim.x) {
        uint4 ahead[AHEAD];
#pragma unroll
        for (unsigned a = 0; a < AHEAD; a++) {
            unsigned p = min(base + a * blockDim.x, packs - 1);
            ahead[a] = kz_load<KZ_CACHE>((const uint4 *)(row + head + p * EACH));
        }
#pragma unroll
        for (unsigned a = 0; a < AHEAD; a++) {
            unsigned p = base + a * blockDim.x;
            if (p < packs) visit(ahead[a], head + p * EACH, columns);
        }
    }
    if (tail < columns && threadIdx.x == blockDim.x - 1)
        visit(load_padded(row, tail, columns, false), tail, columns);
}

static __device__ __forceinline__ uint32_t word_of(uint4 pack, unsigned i) {
    return i == 0 ? pack.x : i == 1 ? pack.y : i == 2 ? pack.z : pack.w;
}

// A key that at least k elements of the row reach. For k <= groups of the block.
template <typename T>
static __device__ __forceinline__ uint32_t find_bound(const T *row, unsigned columns, unsigned k,
                                                      radix_room *room) {
    constexpr unsigned PER = in_word<T>(), WORDS = TOP_K_FILTER_GROUPS / PER;
    uint32_t most[WORDS];
#pragma unroll
    for (unsigned w = 0; w < WORDS; w++) most[w] = minus_infinities<T>();
    visit_packs(row, columns, [&](uint4 pack, unsigned, unsigned) {
#pragma unroll
        for (unsigned w = 0; w < 4; w++) most[w % WORDS] = greatest<T>(most[w % WORDS], word_of(pack, w));
    });
    uint32_t keys[TOP_K_FILTER_GROUPS];
#pragma unroll
    for (unsigned g = 0; g < TOP_K_FILTER_GROUPS; g++) keys[g] = key_in<T>(most[g / PER], g % PER);

    radix_bound b = {0, kz_key_traits<T>::BITS};
    unsigned need = k;
    auto visit = [&](auto count) {
#pragma unroll
        for (unsigned g = 0; g < TOP_K_FILTER_GROUPS; g++) count((candidate)keys[g]);
    };
    // The last digit of a float would tell less than it takes.
    constexpr unsigned LAST = kz_key_traits<T>::BITS == 32 ? 8 : 0;
    while (b.shift > LAST && select_digit(room, &b, &need, visit)) {}
    return max((uint32_t)(b.prefix << b.shift), 1u);
}

// The row's k greatest and some more into `list`; returns how many. Where there is no room for them all, exactly k by radix
// select.
template <typename T>
static __device__ __forceinline__ unsigned filter_row(const T *row, unsigned columns, unsigned k,
                                                      candidate *list, filter_room *room) {
    if (threadIdx.x == 0) room->count = 0; // find_bound has barriers
    uint32_t bound = find_bound(row, columns, k, &room->radix), below = just_below<T>(bound);
    unsigned most = list_room(k);
    visit_packs(row, columns, [&](uint4 pack, unsigned first, unsigned end) {
        uint32_t of_pack = greatest<T>(greatest<T>(pack.x, pack.y), greatest<T>(pack.z, pack.w));
        if (!may_hold<T>(of_pack, below)) return;
        kz_pack<T> elements;
        elements.raw = pack;
#pragma unroll
        for (unsigned e = 0; e < 16 / sizeof(T); e++) {
            candidate c = candidate_of(elements.at[e], first + e);
            if ((uint32_t)(c >> 32) < bound || first + e >= end) continue;
            unsigned at = atomicAdd(&room->count, 1u);
            if (at < most) list[at] = c;
        }
    });
    __syncthreads();
    unsigned count = room->count;
    if (count <= most) return count;
    __syncthreads(); // all have read the count
    if (threadIdx.x == 0) room->count = 0;
    radix_bound exact = select_row(row, columns, k, &room->radix);
    collect_chosen(row, columns, exact, list, &room->count);
    __syncthreads();
    return k;
}

#endif
