// top_k 04: a warp per row, and a filter
//
// Idea     nearly all elements are nowhere near the k greatest, and the maxima of small groups tell where those begin: of 256
//          groups k have a maximum of at least the k'th greatest maximum, so at least k elements reach it, and few more.
// Change   the row stays in the registers of one warp. Group maxima are taken of words, two halves at a time. A bisection finds
//          the k'th of 256 maxima, a second look at the words marks those that reach it, and the few survivors (73 of 4096
//          for k = 64, on average) are compacted into shared memory and sorted in registers.
// Expect   each row is read once, by 16 bytes; an instruction or two per word, and no barrier. Survivors are read again from L1.
// Limit    k to 128, and rows of at most 32 packs a lane: 8192 halves, 4096 floats. Where more survive than there is room for,
//          as in a row of equals, the bisection goes on with all elements (see 05 for longer rows).
// kz: sm 80

#include "packed.cuh"
#include "tune.h"
#include "warp_sort.cuh"

// A candidate of half the size where the key has 16 bits: the index has the others.
template <typename T> struct narrow_of {
    typedef uint32_t type;
    static __device__ __forceinline__ type make(uint32_t key, unsigned index) {
        return key << 16 | (0xffffu - index);
    }
    static __device__ __forceinline__ uint32_t key(type c) { return c >> 16; }
    static __device__ __forceinline__ unsigned index(type c) { return 0xffffu - (c & 0xffffu); }
};
template <> struct narrow_of<float> {
    typedef candidate type;
    static __device__ __forceinline__ type make(uint32_t key, unsigned index) {
        return (candidate)key << 32 | (unsigned)~index;
    }
    static __device__ __forceinline__ uint32_t key(type c) { return (uint32_t)(c >> 32); }
    static __device__ __forceinline__ unsigned index(type c) { return ~(unsigned)c; }
};

template <int N> static __device__ __forceinline__ uint32_t greatest_key(const uint32_t (&keys)[N]) {
    uint32_t most = keys[0];
#pragma unroll
    for (int i = 1; i < N; i++) most = max(most, keys[i]);
    return __reduce_max_sync(KZ_ALL_LANES, most);
}
template <int N> static __device__ __forceinline__ uint32_t least_key(const uint32_t (&keys)[N]) {
    uint32_t least = keys[0];
#pragma unroll
    for (int i = 1; i < N; i++) least = min(least, keys[i]);
    return __reduce_min_sync(KZ_ALL_LANES, least);
}

// A key that at least k of the warp's keys reach: the greatest such one, or near enough below it. `most` is the greatest of
// all. The digits above the first in which keys differ need no trial: maxima are near each other.
template <typename T, int N>
static __device__ __forceinline__ uint32_t bisect_keys(const uint32_t (&keys)[N], uint32_t most, unsigned k) {
    enum { DIGITS = 20 }; // of a float's 32: sign, exponent, and 11 bits more tell near enough
    constexpr int TOP = kz_key_traits<T>::BITS - 1, LAST = TOP < DIGITS ? 0 : TOP + 1 - DIGITS;
    uint32_t least = least_key(keys);
    if (least == most) return most;
    int first = 31 - __clz((int)(least ^ most));
    uint32_t bound = first == 31 ? 0 : most >> (first + 1) << (first + 1);
#pragma unroll 1
    for (int bit = first; bit >= LAST; bit--) {
        uint32_t tried = bound | 1u << bit;
        unsigned mine = 0;
#pragma unroll
        for (int i = 0; i < N; i++) mine += keys[i] >= tried;
        if (__reduce_add_sync(KZ_ALL_LANES, mine) >= k) bound = tried;
    }
    return max(bound, least);
}

// Keeps what `keep` says, in the order of the lanes; returns how many there are now. What has no room is counted alone.
template <typename C>
static __device__ __forceinline__ unsigned append(C *list, unsigned count, bool keep, C c) {
    unsigned kept = __ballot_sync(KZ_ALL_LANES, keep), below = (1u << kz_lane()) - 1;
    unsigned at = count + (unsigned)__popc(kept & below);
    if (keep && at < TOP_K_WARP_LIST) list[at] = c;
    return count + (unsigned)__popc(kept);
}

// Survivors of the marked words, of which the first is word `base`, into the list. Lanes go on until no lane has a mark; no
// bound is 0. The lane's words begin `skew` elements before the row.
template <typename T, typename C>
static __device__ __forceinline__ unsigned collect(const T *row, unsigned columns, unsigned skew,
                                                   unsigned base, uint64_t marks, uint32_t bound, C *list,
                                                   unsigned count) {
    constexpr unsigned EACH = 16 / sizeof(T), PER = in_word<T>();
    while (__any_sync(KZ_ALL_LANES, marks != 0)) {
        unsigned word = base + (unsigned)__ffsll((long long)marks) - 1;
        unsigned first = (word / 4 * KZ_WARP + kz_lane()) * EACH + word % 4 * PER - skew;
#pragma unroll
        for (unsigned e = 0; e < PER; e++) {
            unsigned at = first + e;
            uint32_t key = 0;
            if (marks != 0 && at < columns) key = kz_ordered_key(row[at]);
            count = append(list, count, key >= bound, narrow_of<T>::make(key, at));
        }
        marks &= marks - 1;
    }
    return count;
}

// How many elements of the row have a key of at least `least`.
template <typename T>
static __device__ __forceinline__ unsigned count_keys(const T *row, unsigned columns, uint32_t least) {
    unsigned mine = 0;
    for (unsigned i = kz_lane(); i < columns; i += KZ_WARP) mine += kz_ordered_key(row[i]) >= least;
    return __reduce_add_sync(KZ_ALL_LANES, mine);
}

// Too many survived: the k'th key exactly, from between `low`, which k reach, and `high`, which nobody passes. Then the greater
// ones, and of the equal ones the first.
template <typename T, typename C>
static __device__ __noinline__ void select_exactly(const T *row, unsigned columns, unsigned k, uint32_t low,
                                                   uint32_t high, C *list) {
    while (low < high) {
        uint32_t middle = low + (high - low) / 2 + 1;
        if (count_keys(row, columns, middle) >= k)
            low = middle;
        else
            high = middle - 1;
    }
    unsigned greater = low == kz_key_most<T>() ? 0 : count_keys(row, columns, low + 1);
    unsigned count = 0, equal = 0;
    for (unsigned first = 0; first < columns && count < k; first += KZ_WARP) {
        unsigned at = first + kz_lane();
        uint32_t key = at < columns ? kz_ordered_key(row[at]) : 0;
        unsigned same = __ballot_sync(KZ_ALL_LANES, key == low), below = (1u << kz_lane()) - 1;
        bool early = key == low && equal + (unsigned)__popc(same & below) < k - greater;
        count = append(list, count, key > low || early, narrow_of<T>::make(key, at));
        equal += (unsigned)__popc(same);
    }
}

// The list, sorted in registers and put back: neighbouring lanes then store neighbouring results.
template <int R, typename C> static __device__ __forceinline__ void sort_list(C *list, unsigned count) {
    C v[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
        unsigned at = kz_lane() * R + r;
        v[r] = at < count ? list[at] : 0;
    }
    sort_warp(v);
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; r++) list[kz_lane() * R + r] = v[r];
    __syncwarp();
}

// Maxima of GROUPS groups of a lane's words: keys of group g are those of words g, g + its stride and so on.
template <typename T, int WORDS, int GROUPS>
static __device__ __forceinline__ void find_maxima(const uint32_t (&words)[WORDS], uint32_t (&keys)[GROUPS]) {
    constexpr int PER = in_word<T>(), STRIDE = GROUPS / PER;
#pragma unroll
    for (int g = 0; g < STRIDE; g++) {
        uint32_t most = words[g];
#pragma unroll
        for (int w = g + STRIDE; w < WORDS; w += STRIDE) most = greatest<T>(most, words[w]);
#pragma unroll
        for (int place = 0; place < PER; place++) keys[g * PER + place] = key_in<T>(most, place);
    }
}

// The row as words, -Inf around it. Whole packs are loaded as such, from the one in which the row begins: returns how many
// elements come before the row there. A row that begins between packs and has no room for one more is read by elements.
template <typename T, int WORDS>
static __device__ __forceinline__ unsigned load_row(const T *row, unsigned columns,
                                                    uint32_t (&words)[WORDS]) {
    constexpr unsigned EACH = 16 / sizeof(T);
    unsigned skew = (unsigned)((size_t)row % 16 / sizeof(T));
    bool whole = columns + skew <= WORDS / 4 * KZ_WARP * EACH;
    if (!whole) skew = 0;
#pragma unroll
    for (int p = 0; p < WORDS / 4; p++) {
        uint4 pack = load_padded(row, (p * KZ_WARP + kz_lane()) * EACH - skew, columns, whole);
        words[4 * p] = pack.x;
        words[4 * p + 1] = pack.y;
        words[4 * p + 2] = pack.z;
        words[4 * p + 3] = pack.w;
    }
    return skew;
}

template <typename T, int PACKS>
static __device__ __forceinline__ void top_k(const T *row, T *values, int *index, unsigned columns,
                                             unsigned k) {
    typedef typename narrow_of<T>::type narrow;
    constexpr int WORDS = 4 * PACKS, PER = in_word<T>(), GROUPS = WORDS * PER < 8 ? WORDS * PER : 8;
    __shared__ narrow lists[TOP_K_WARPS][TOP_K_WARP_LIST];
    narrow *list = lists[kz_warp()];

    uint32_t words[WORDS];
    unsigned skew = load_row<T>(row, columns, words);
    uint32_t keys[GROUPS];
    find_maxima<T>(words, keys);
    uint32_t most = greatest_key(keys), bound = bisect_keys<T>(keys, most, k), below = just_below<T>(bound);
    unsigned count = 0;
#pragma unroll
    for (int base = 0; base < WORDS; base += 64) {
        uint64_t marks = 0;
#pragma unroll
        for (int w = 0; w < 64 && base + w < WORDS; w++)
            if (may_hold<T>(words[base + w], below)) marks |= 1ull << w;
        count = collect(row, columns, skew, base, marks, bound, list, count);
    }
    if (count > TOP_K_WARP_LIST) { // the same for all lanes
        __syncwarp();
        select_exactly(row, columns, k, bound, most, list);
        count = k;
    }
    __syncwarp();
    if (count <= KZ_WARP)
        sort_list<1>(list, count);
    else if (count <= 2 * KZ_WARP)
        sort_list<2>(list, count);
    else if (count <= 4 * KZ_WARP)
        sort_list<4>(list, count);
    else
        sort_list<8>(list, count);
    for (unsigned i = kz_lane(); i < k; i += KZ_WARP)
        put(row, &values[i], &index[i], narrow_of<T>::key(list[i]), narrow_of<T>::index(list[i]));
}

#define ENTRY(packs, type, T)                                                                                \
    KZ_ENTRY_BOUNDS(top_k_warp_filter_##packs##_top_k_##type, TOP_K_WARPS *KZ_WARP, 1)                       \
    (const T *x, T *values, int *index, size_t rows, size_t columns, size_t k) {                             \
        size_t row = (size_t)blockIdx.x * TOP_K_WARPS + kz_warp();                                           \
        if (row >= rows) return; /* whole warps, and no barrier follows */                                   \
        top_k<T, packs>(x + row * columns, values + row * k, index + row * k, (unsigned)columns,             \
                        (unsigned)k);                                                                        \
    }
#define ENTRIES(type, T) ENTRY(1, type, T) ENTRY(4, type, T) ENTRY(16, type, T) ENTRY(32, type, T)
TOP_K_TYPES(ENTRIES)
