// reduce_segments: sharing out the work, for 04 and 05: where a share begins among elements and ends, what a share
// leaves, and how the block that comes last closes the segments that several blocks have parts of.
#ifndef REDUCE_SEGMENTS_MERGE_CUH
#define REDUCE_SEGMENTS_MERGE_CUH

#include "segments.cuh"

// What a range of items leaves: what is folded since the last end in it, or since its start where it has none.
template <typename A> struct part {
    A value;
    int closed; // an end was in it
};

template <int operation, typename A>
static __device__ __forceinline__ part<A> append(part<A> before, part<A> after) {
    if (!after.closed) {
        after.value = kz_fold_combine<operation>(before.value, after.value);
        after.closed = before.closed;
    }
    return after;
}

// What the threads before this one leave together; *whole: what all of them do.
template <int operation, int WARPS, typename A>
static __device__ __forceinline__ part<A> scan_parts(part<A> mine, part<A> *whole) {
    __shared__ part<A> of_warp[WARPS];
    const part<A> nothing = {kz_fold_identity<operation>(A()), 0};
    part<A> sum = mine, other;
#pragma unroll
    for (int step = 1; step < KZ_WARP; step *= 2) {
        other.value = kz_fold_shift_up(sum.value, step);
        other.closed = __shfl_up_sync(KZ_ALL_LANES, sum.closed, step);
        if (kz_lane() >= step) sum = append<operation>(other, sum);
    }
    if (kz_lane() == KZ_WARP - 1) of_warp[kz_warp()] = sum;
    __syncthreads();
    part<A> before = nothing;
    *whole = nothing;
    for (unsigned w = 0; w < WARPS; w++) {
        if (w == kz_warp()) before = *whole;
        *whole = append<operation>(*whole, of_warp[w]);
    }
    other.value = kz_fold_shift_up(sum.value, 1);
    other.closed = __shfl_up_sync(KZ_ALL_LANES, sum.closed, 1);
    __syncthreads(); // of_warp may be written again
    return kz_lane() == 0 ? before : append<operation>(before, other);
}

// ---- where a diagonal crosses the path: so many ends among the first `items` items ---------------------------

// Where the path stands: so many segments closed, so many elements folded.
typedef struct merge_coordinate {
    unsigned segment, element;
} merge_coordinate;

// A search by a warp, in global memory, 32 ends at a time: some three trips for a tile's range instead of twelve. The
// answer lies in [low, high].
typedef struct crossing {
    size_t low, high, items;
} crossing;

// `low` to `high`: what is known of the segments closed there.
static __device__ __forceinline__ crossing begin_crossing(size_t n, size_t low, size_t high, size_t items) {
    if (items > n && low < items - n) low = items - n;
    return {low, items < high ? items : high, items};
}
static __device__ __forceinline__ size_t crossing_step(const crossing &c) {
    return (c.high - c.low + KZ_WARP - 1) / KZ_WARP;
}
// The lane's end comes before the diagonal.
static __device__ __forceinline__ bool is_before(const unsigned *offsets, const crossing &c) {
    size_t probe = c.low + kz_lane() * crossing_step(c);
    return probe < c.high && offsets[probe + 1] < c.items - probe;
}
static __device__ __forceinline__ void narrow_crossing(crossing *c, bool before) {
    unsigned count = (unsigned)__popc(__ballot_sync(KZ_ALL_LANES, before)); // those lanes come first
    size_t step = crossing_step(*c), last = c->low + (count - 1) * step;
    if (count == 0) {
        c->high = c->low;
        return;
    }
    c->low = last + 1; // `last` is before the crossing, and the next probe is not
    if (last + step < c->high) c->high = last + step;
}

static __device__ __forceinline__ merge_coordinate find_coordinate(const unsigned *offsets, size_t n,
                                                                   size_t low, size_t high, size_t items) {
    crossing c = begin_crossing(n, low, high, items);
    while (c.low < c.high) narrow_crossing(&c, is_before(offsets, c));
    return {(unsigned)c.low, (unsigned)(items - c.low)};
}

// Where two diagonals cross, looked for side by side: the trips to memory are the same for both.
static __device__ __forceinline__ void find_coordinates(const unsigned *offsets, size_t n, size_t segments,
                                                        size_t from, size_t to, merge_coordinate *at_from,
                                                        merge_coordinate *at_to) {
    crossing a = begin_crossing(n, 0, segments, from), b = begin_crossing(n, 0, segments, to);
    while (a.low < a.high || b.low < b.high) {
        bool before_a = is_before(offsets, a), before_b = is_before(offsets, b);
        narrow_crossing(&a, before_a);
        narrow_crossing(&b, before_b);
    }
    *at_from = {(unsigned)a.low, (unsigned)(from - a.low)};
    *at_to = {(unsigned)b.low, (unsigned)(to - b.low)};
}

// ---- what blocks leave ----------------------------------------------------------------------------------------

// `out` is T's, or a found<T>.
template <typename T, typename O = T *> struct problem {
    const T *in;
    const unsigned *offsets;
    O out;
    size_t segments, n;
};

// What a block leaves to the one that comes last: of each block its part, and the segment it closed first with what
// it folded of that.
template <typename A> struct left {
    A *value, *head;
    unsigned long long *segment; // NONE where it closed none
};
#define NONE 0xffffffffffffffffull

// The block that comes last closes what the others left open, in order.
template <int operation, int WARPS, typename T, typename O, typename A>
static __device__ __forceinline__ void close_all(const problem<T, O> &p, const left<A> &l) {
    part<A> carry = {kz_fold_identity<operation>(A()), 0};
    for (unsigned first = 0; first < gridDim.x; first += WARPS * KZ_WARP) {
        unsigned block = first + threadIdx.x;
        part<A> mine = {kz_fold_identity<operation>(A()), 0}, whole;
        unsigned long long segment = NONE;
        if (block < gridDim.x) { // from L2: L1 knows nothing of other blocks
            segment = __ldcg(&l.segment[block]);
            mine.value = kz_load_l2(&l.value[block]);
            mine.closed = segment != NONE;
        }
        part<A> before = append<operation>(carry, scan_parts<operation, WARPS>(mine, &whole));
        if (segment != NONE)
            write_result<operation>(p.out, p.offsets, segment,
                                    kz_fold_combine<operation>(before.value, kz_load_l2(&l.head[block])));
        carry = append<operation>(carry, whole);
    }
}

#endif
