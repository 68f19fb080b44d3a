// reduce_segments 04: merge path
//
// Idea     01 to 03 share out segments, which may be of any length. Share out the work instead: an item is an element
//          or the end of a segment, and everybody gets as many items as everybody else (Merrill and Garland's
//          merge-based SpMV, SC16).
// Change   a block takes an even range of items, tile by tile; where the range begins among the segments is found by
//          searching the ends. A thread walks over 15 items: an element is folded, an end closes a segment. What
//          stays open at the end of a thread, a tile or a block is carried to the next: in a block by a segmented scan,
//          between blocks by the one that comes last (kz/device/last_block.cuh).
// Expect   the same time for any kind of skew; one launch; the same bits in every run.
// Limit    two passes through shared memory and a search per thread: more instructions per element than any of
//          the others. 4-byte loads.

#include "kz/device/last_block.cuh"
#include "merge.cuh"

enum {
    THREADS = REDUCE_SEGMENTS_MERGE_THREADS,
    ITEMS = REDUCE_SEGMENTS_MERGE_ITEMS,
    TILE = REDUCE_SEGMENTS_MERGE_TILE,
    WARPS = THREADS / KZ_WARP,
};
static_assert(WARPS >= 3, "three warps look for the first coordinates");

// ---- where a diagonal crosses the path: so many ends among the first `items` items ---------------------------

// By one thread, in shared memory: ends[] of `segments` segments, elements counted from `base` as the ends are.
static __device__ __forceinline__ unsigned cross(const unsigned *ends, unsigned segments, unsigned elements,
                                                 unsigned base, unsigned items) {
    unsigned low = items > elements ? items - elements : 0, high = items < segments ? items : segments;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (ends[middle] - base < items - middle) // its end is before the item that would be it
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ---- the kernel ---------------------------------------------------------------------------------------------

// This tile's elements and ends, in shared memory: as many items as fit.
template <typename A> struct tile_view {
    A *elements;
    unsigned *ends;
    unsigned element_count, segment_count;
    merge_coordinate from;
};

template <typename A>
static __device__ __forceinline__ tile_view<A> view_tile(A *room, merge_coordinate from,
                                                         merge_coordinate to) {
    tile_view<A> tile = {room, NULL, to.element - from.element, to.segment - from.segment, from};
    tile.ends = (unsigned *)(room + tile.element_count);
    return tile;
}

// What a thread has of a tile on its way: elements, and one end; there are seldom more ends than threads.
template <typename A> struct load {
    A element[ITEMS];
    unsigned end;
};

template <typename T, typename O, typename A>
static __device__ __forceinline__ void begin_load(const problem<T, O> &p, merge_coordinate from,
                                                  merge_coordinate to, load<A> *l) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned k = i * THREADS + threadIdx.x;
        if (k < to.element - from.element)
            l->element[i] = enter(p.out, kz_widen(p.in[(size_t)from.element + k]));
    }
    if (threadIdx.x < to.segment - from.segment) l->end = p.offsets[(size_t)from.segment + threadIdx.x + 1];
}

template <typename T, typename O, typename A>
static __device__ __forceinline__ void end_load(const problem<T, O> &p, const tile_view<A> &tile,
                                                const load<A> *l) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned k = i * THREADS + threadIdx.x;
        if (k < tile.element_count) tile.elements[k] = l->element[i];
    }
    if (threadIdx.x < tile.segment_count) tile.ends[threadIdx.x] = l->end;
    for (unsigned k = threadIdx.x + THREADS; k < tile.segment_count; k += THREADS)
        tile.ends[k] = p.offsets[(size_t)tile.from.segment + k + 1];
}

// A thread's walk: segments that begin in it are written; the first that it closes is left in *head.
template <int operation, typename T, typename O, typename E, typename A>
static __device__ __forceinline__ part<A> walk(const problem<T, O> &p, const tile_view<E> &tile, A *head,
                                               size_t *head_segment) {
    const int UNROLL =
        sizeof(A) > sizeof(E) ? 1 : ITEMS; // unrolled, those with an index take long to compile
    unsigned items = tile.element_count + tile.segment_count, base = tile.from.element;
    unsigned first = threadIdx.x * ITEMS < items ? threadIdx.x * ITEMS : items;
    unsigned x = cross(tile.ends, tile.segment_count, tile.element_count, base, first), y = first - x;
    part<A> mine = {kz_fold_identity<operation>(A()), 0};
    unsigned end = x < tile.segment_count ? tile.ends[x] - base : tile.element_count;
    if (end >= y + ITEMS && first + ITEMS <= items) { // elements alone, as in most of a long segment
#pragma unroll UNROLL
        for (int i = 0; i < ITEMS; i++)
            mine.value = kz_fold_next<operation>(mine.value,
                                                 kz_fold_element<A>::at(tile.elements[y + i], base + y + i));
        return mine;
    }
#pragma unroll UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (first + i >= items) break;
        if (x >= tile.segment_count || y < tile.ends[x] - base) {
            mine.value =
                kz_fold_next<operation>(mine.value, kz_fold_element<A>::at(tile.elements[y], base + y));
            y++;
        } else {
            if (mine.closed) {
                write_result<operation>(p.out, p.offsets, (size_t)tile.from.segment + x, mine.value);
            } else {
                *head = mine.value;
                *head_segment = (size_t)tile.from.segment + x;
            }
            mine.value = kz_fold_identity<operation>(A());
            mine.closed = 1;
            x++;
        }
    }
    return mine;
}

// The segment that a thread closed first: what comes in from before is known only now.
template <int operation, typename T, typename O, typename A>
static __device__ __forceinline__ void close_head(const problem<T, O> &p, part<A> before, A head,
                                                  size_t segment, A *block_head,
                                                  unsigned long long *block_segment) {
    head = kz_fold_combine<operation>(before.value, head);
    if (before.closed) {
        write_result<operation>(p.out, p.offsets, segment, head);
    } else { // it may have begun before this block
        *block_head = head;
        *block_segment = segment;
    }
}

// A tile's loads are on their way while the tile before it is walked over, and the point where it ends was looked for
// while the one before that was.
// E is an element in shared memory; A, what is folded, may have its index.
template <int operation, typename E, typename T, typename O, typename A>
static __device__ __forceinline__ void merge_path(const problem<T, O> &p, const left<A> &l, size_t chunk) {
    __shared__ E room[TILE];           // elements, and behind them ends, which are no larger
    __shared__ merge_coordinate at[3]; // where the first tile begins, and where the first two end
    __shared__ merge_coordinate ahead; // where the tile after the next ends
    __shared__ A block_head;
    __shared__ unsigned long long block_segment;
    size_t items = p.n + p.segments;
    size_t d = blockIdx.x * chunk < items ? blockIdx.x * chunk : items;
    size_t end = d + chunk < items ? d + chunk : items;
    if (threadIdx.x == 0) block_segment = NONE;
    if (kz_warp() < 3) {
        size_t where = d + kz_warp() * TILE < end ? d + kz_warp() * TILE : end;
        merge_coordinate found = find_coordinate(p.offsets, p.n, 0, p.segments, where);
        if (kz_lane() == 0) at[kz_warp()] = found;
    }
    __syncthreads();
    merge_coordinate from = at[0], to = at[1], next = at[2];
    part<A> carry = {kz_fold_identity<operation>(A()), 0};
    load<E> loads;
    begin_load(p, from, to, &loads);
    for (; d < end; d += TILE) {
        tile_view<E> tile = view_tile(room, from, to);
        end_load(p, tile, &loads);
        begin_load(p, to, next, &loads);
        if (kz_warp() == 0) {
            size_t where = d + 3 * TILE < end ? d + 3 * TILE : end;
            size_t most = (size_t)next.segment + TILE < p.segments ? (size_t)next.segment + TILE : p.segments;
            merge_coordinate found = find_coordinate(p.offsets, p.n, next.segment, most, where);
            if (kz_lane() == 0) ahead = found;
        }
        __syncthreads();
        from = to;
        to = next;
        next = ahead;

        A head = kz_fold_identity<operation>(A());
        size_t head_segment = 0;
        part<A> mine = walk<operation>(p, tile, &head, &head_segment), whole;
        part<A> before =
            append<operation>(carry, scan_parts<operation, WARPS>(mine, &whole)); // all have walked now
        if (mine.closed) close_head<operation>(p, before, head, head_segment, &block_head, &block_segment);
        carry = append<operation>(carry, whole);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        l.value[blockIdx.x] = carry.value;
        l.segment[blockIdx.x] = block_segment;
        if (block_segment != NONE) l.head[blockIdx.x] = block_head;
    }
    if (kz_is_last_block()) close_all<operation, WARPS>(p, l);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_segments_merge_path_##operation##_##type, THREADS, REDUCE_SEGMENTS_MERGE_BLOCKS)  \
    (const T *in, const unsigned *offsets, T *out, A *value, A *head, unsigned long long *segment,           \
     size_t segments, size_t n, size_t chunk) {                                                              \
        const problem<T> p = {in, offsets, out, segments, n};                                                \
        const left<A> l = {value, head, segment};                                                            \
        merge_path<OPERATION, A>(p, l, chunk);                                                               \
    }
// One entry for both: argmin is the argmax of negated elements.
#define FIND(operation, OPERATION, type, T, A)                                                               \
    KZ_ENTRY_BOUNDS(reduce_segments_merge_path_##operation##_##type, THREADS, REDUCE_SEGMENTS_MERGE_BLOCKS)  \
    (const T *in, const unsigned *offsets, T *out, kz_value_index<A> *value, kz_value_index<A> *head,        \
     unsigned long long *segment, size_t segments, size_t n, size_t chunk, long long *index,                 \
     size_t negated) {                                                                                       \
        const problem<T, found<T>> p = {in, offsets, {out, index, negated != 0}, segments, n};               \
        const left<kz_value_index<A>> l = {value, head, segment};                                            \
        merge_path<OPERATION, A>(p, l, chunk);                                                               \
    }
REDUCE_SEGMENTS_ALL(ENTRY)
KZ_FOLD_TYPES(FIND, argmax, KZ_MAX)
