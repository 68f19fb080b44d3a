// reduce_segments 09: a block per segment, giants in pieces
//
// Idea     where segments are long, 07 pays for lengths that are not there: a ring to fill, a search, a look-back. A block for
//          each segment has none of them, but a giant keeps one multiprocessor busy while the others are done.
// Change   a block folds its segment's first `piece` elements, as many threads as a segment of the mean length wants, by
//          16-byte loads. What a segment has beyond them is folded by helpers: block h before the segments' blocks has
//          elements h * piece and on, finds the segment that they are in, and publishes what they come to as a tile
//          status. The segment's block waits for its helpers, which started before it, adds their parts in order, and
//          takes the flags back for the next launch.
// Expect   the speed of a read for segments of 1024 elements and more, of any lengths; one launch's latency for few.
// Limit    short segments leave threads idle. The tile statuses live in the module: one launch at a time.

#include "kz/device/fold_range.cuh"
#include "segments.cuh"
#include "parts.cuh"

enum { HELPERS = REDUCE_SEGMENTS_SPLIT_HELPERS };
static __device__ unsigned long long segments_states[2 * HELPERS];

// The elements [from, to), by the block; the first warp may go on with what they come to.
template <int operation, typename T, typename A>
static __device__ __forceinline__ A fold_elements(const T *in, size_t from, size_t to) {
    return kz_fold_warps<operation>(kz_fold_range<operation, REDUCE_SEGMENTS_SPLIT_PACKS, KZ_CACHE, T, A>(
        in + from, (unsigned)(to - from)));
}

// What lies in the helper's elements and beyond its segment's first piece: of one segment, for no other that has
// elements there began a piece ago.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void help(const T *in, const unsigned *offsets, size_t segments, size_t n,
                                            size_t piece) {
    const kz_tile_states states = {segments_states, HELPERS};
    __shared__ unsigned found;
    size_t start = blockIdx.x * piece;
    if (kz_warp() == 0) {
        unsigned segment = ends_up_to(offsets, segments, n, start);
        if (kz_lane() == 0) found = segment;
    }
    __syncthreads();
    size_t from = offsets[found] + piece, to = offsets[found + 1];
    if (from < start) from = start;
    if (to > start + piece) to = start + piece;
    if (from >= to) return;
    A value = fold_elements<operation, T, A>(in, from, to);
    if (threadIdx.x == 0) states.publish(blockIdx.x, 1, value);
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void split(const T *in, const unsigned *offsets, T *out, size_t segments,
                                             size_t n, size_t piece, size_t helpers) {
    if (blockIdx.x < helpers) {
        help<operation, T, A>(in, offsets, segments, n, piece);
        return;
    }
    size_t s = blockIdx.x - helpers, begin = offsets[s], end = offsets[s + 1], own = begin + piece;
    A value = fold_elements<operation, T, A>(in, begin, end < own ? end : own);
    if (kz_warp() != 0) return;
    if (end > own) {
        const kz_tile_states states = {segments_states, HELPERS};
        value = kz_fold_parts<operation>(states, value, own / piece, (end - 1) / piece + 1);
    }
    if (kz_lane() == 0) write_result<operation>(out, offsets, s, value);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_segments_split_giants_##operation##_##type, REDUCE_SEGMENTS_SPLIT_THREADS,        \
                    2048 / REDUCE_SEGMENTS_SPLIT_THREADS)                                                    \
    (const T *in, const unsigned *offsets, T *out, size_t segments, size_t n, size_t piece,                  \
     size_t helpers) {                                                                                       \
        split<OPERATION, T, A>(in, offsets, out, segments, n, piece, helpers);                               \
    }
REDUCE_SEGMENTS_ALL(ENTRY)
REDUCE_SEGMENTS_MIN(ENTRY)
