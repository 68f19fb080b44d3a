// reduce_segments: a ring buffer of tiles in shared memory and its specialized warps, for 07 and 08.
//
// What is folded is an A; where a value is stored at a segment's end, and how it is written, is left to functions of the
// job's type, of which 08 has its own. Whoever includes this says RING_WARPS, those that fold, RING_STAGES
// and RING_ENDS.
#ifndef REDUCE_SEGMENTS_RING_CUH
#define REDUCE_SEGMENTS_RING_CUH

#include "tail_flags.cuh"
#include "kz/device/look_ahead.cuh"
#include "parts.cuh"

enum { WARPS = RING_WARPS, DEPTH = RING_STAGES };
enum { LOADER = WARPS, INDEXER, CLOSER }; // the warps after those that fold
enum { ENDS = RING_ENDS, PAGE = REDUCE_SEGMENTS_RING_PAGE, PAGES = ENDS / PAGE };
static_assert(WARPS <= KZ_WARP && PAGES <= 32, "a lane per chunk, a bit per page");

enum { BLOCKS = REDUCE_SEGMENTS_RING_STATUSES };
static __device__ unsigned long long segments_states[4 * BLOCKS];
static __device__ unsigned segments_epoch, // of the last launch
    segments_ended;                        // blocks of this one that have ended

// What a block has in shared memory beside the tiles. Stages: full (elements and bounds are there), done (all
// chunks are folded), empty (what is left of them is known).
template <typename A> struct pipeline {
    uint4 ends[ENDS / 4]; // offsets, indexed from the 16-byte boundary before them, modulo ENDS
    uint64_t full[DEPTH], done[DEPTH], empty[DEPTH], page[PAGES];
    unsigned bound[DEPTH][WARPS + 1]; // segments that end up to each chunk, and up to the last one's end
    unsigned far[DEPTH];              // the tile's ends are too many for the ring: in global memory
    unsigned bits[WARPS][KZ_WARP];
    record<A> records[DEPTH][WARPS];
};

// What elements are widened to, and where results go.
template <typename T, typename A> struct ring_of {
    typedef A wide;
    typedef T *out;
    typedef A kept; // what is stored at an end: over an element where it is as large
    static const bool INSTEAD = sizeof(A) == sizeof(T);
};

// A block's range: `count` tiles from `first` on. Indices count from the 16-byte boundary before the input.
template <typename T, typename A> struct job {
    typedef typename ring_of<T, A>::wide wide;
    typedef typename ring_of<T, A>::kept kept;
    static const int PACK = 16 / sizeof(T), PACKS = sizeof(T) == 2 ? 3 : REDUCE_SEGMENTS_RING_PACKS;
    static const int EACH = PACK * PACKS, CHUNK = KZ_WARP * EACH, TILE = WARPS * CHUNK;
    static const bool INSTEAD = ring_of<T, A>::INSTEAD;
    const problem<T, typename ring_of<T, A>::out> &p;
    size_t shift;      // the input's first position
    unsigned distance; // the offsets' first position
    size_t first;
    unsigned count;
    uint4 *stages;
    pipeline<A> *pipe;

    // The elements before a position.
    __device__ __forceinline__ size_t elements_before(size_t position) const {
        return position <= shift ? 0 : position - shift < p.n ? position - shift : p.n;
    }
    __device__ __forceinline__ uint4 *chunk(int stage, int warp) const {
        return stages + (stage * WARPS + warp) * (KZ_WARP * PACKS);
    }
    // What segments come to, by their last element: over the elements, or after the stages.
    __device__ __forceinline__ kept *folded(int stage, int warp) const {
        return INSTEAD ? (kept *)chunk(stage, warp) : (kept *)chunk(DEPTH, 0) + warp * CHUNK;
    }
    __device__ __forceinline__ unsigned near_offset(unsigned k) const {
        return ((const unsigned *)pipe->ends)[(k + distance) % ENDS];
    }
};

// ---- the loading warp -------------------------------------------------------------------------------------

template <int operation, typename T, typename A>
static __device__ __forceinline__ void load_tile(const job<T, A> &j, unsigned tile) {
    const int TILE = job<T, A>::TILE, stage = tile % DEPTH;
    size_t start = (j.first + tile) * TILE, end = j.shift + j.p.n;
    int lo = start < j.shift ? (int)(j.shift - start) : 0;
    int hi = start + TILE < end ? TILE : end > start ? (int)(end - start) : 0;
    T nothing;
    kz_narrow(&nothing, kz_fold_identity<operation>(typename job<T, A>::wide()));
    kz_tile_array<T, false> elements((T *)j.chunk(stage, 0), j.p.in - j.shift + start, lo, hi, TILE, nothing);
    uint64_t *full = &j.pipe->full[stage];
    kz_barrier_arrive_expect_warp(full, elements.bytes());
    if (kz_lane() != 0 || elements.bytes() == 0) return;
    if (REDUCE_SEGMENTS_RING_EVICT > 0 && tile >= REDUCE_SEGMENTS_RING_PLAIN)
        kz_bulk_load(elements.to + elements.bulk, elements.from + elements.bulk, elements.bytes(), full,
                     kz_evict_first());
    else
        elements.start(full);
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void load(const job<T, A> &j) {
    for (unsigned tile = 0; tile < j.count; tile++) {
        if (tile >= DEPTH) kz_barrier_wait(&j.pipe->empty[tile % DEPTH], (tile / DEPTH & 1) ^ 1);
        load_tile<operation>(j, tile);
    }
}

// ---- the warp that looks up ends --------------------------------------------------------------------------

template <typename T, typename A> struct lookup {
    const job<T, A> &j;
    size_t asked, known; // pages of offsets that were asked for; that are there
    unsigned phases;     // by page of the ring: the parity to wait for
    unsigned oldest;     // the first tile that may not be done
    unsigned segment;    // the first whose end is not before the next tile
};

template <typename T, typename A>
static __device__ __forceinline__ size_t page_of(const job<T, A> &j, unsigned k) {
    return ((size_t)k + j.distance) / PAGE;
}
template <typename T, typename A> static __device__ __forceinline__ size_t page_count(const job<T, A> &j) {
    return (j.p.segments + j.distance) / PAGE + 1;
}

// Asks for the pages that have room in the ring: none is taken that a tile may still need.
template <typename T, typename A>
static __device__ __forceinline__ void ask_for_pages(lookup<T, A> &l, unsigned tile) {
    const job<T, A> &j = l.j;
    unsigned needed = l.oldest < tile ? j.pipe->bound[l.oldest % DEPTH][0] : l.segment;
    size_t limit = page_of(j, needed) + PAGES, pages = page_count(j);
    if (limit > pages) limit = pages;
    for (; l.asked < limit; l.asked++) {
        int slot = (int)(l.asked % PAGES);
        size_t start = l.asked * PAGE, end = j.distance + j.p.segments + 1;
        int lo = start < j.distance ? (int)j.distance : 0,
            hi = end - start < PAGE ? (int)(end - start) : PAGE;
        kz_tile_array<unsigned, (REDUCE_SEGMENTS_RING_EVICT > 1)> offsets(
            (unsigned *)j.pipe->ends + slot * PAGE, j.p.offsets - j.distance + start, lo, hi, PAGE,
            0xffffffffu);
        kz_barrier_arrive_expect_warp(&j.pipe->page[slot], offsets.bytes());
        if (kz_lane() == 0) offsets.start(&j.pipe->page[slot]);
    }
}

// Waits until the ring holds all ends up to element `to` and one after them; false where it cannot.
template <typename T, typename A>
static __device__ __forceinline__ bool bring_ends(lookup<T, A> &l, unsigned tile, size_t to) {
    const job<T, A> &j = l.j;
    ask_for_pages(l, tile);
    while (l.known < page_count(j)) {
        size_t last = l.known * PAGE - j.distance - 1; // the last offset that is there
        if (l.known > page_of(j, l.segment) && j.near_offset((unsigned)last) > to) return true;
        if (l.known < l.asked) {
            int slot = (int)(l.known++ % PAGES);
            kz_barrier_wait(&j.pipe->page[slot], l.phases >> slot & 1);
            l.phases ^= 1u << slot;
            continue;
        }
        if (l.oldest == tile) return false;
        kz_barrier_wait(&j.pipe->empty[l.oldest % DEPTH], l.oldest / DEPTH & 1);
        l.oldest++;
        ask_for_pages(l, tile);
    }
    return true;
}

// Where each chunk of the tile begins among the ends: a lane each.
template <typename T, typename A>
static __device__ __forceinline__ void find_bounds(lookup<T, A> &l, unsigned tile) {
    const job<T, A> &j = l.j;
    int stage = tile % DEPTH;
    size_t start = (j.first + tile) * j.TILE;
    bool near = bring_ends(l, tile, j.elements_before(start + j.TILE));
    size_t to = j.elements_before(start + (kz_lane() + 1) * j.CHUNK), last = l.known * PAGE - j.distance - 1;
    unsigned low = l.segment, high = (unsigned)(near && last < j.p.segments ? last : j.p.segments);
    while (low < high) {
        unsigned middle = low + (high - low + 1) / 2;
        unsigned offset = near ? j.near_offset(middle) : j.p.offsets[middle];
        if (offset <= to)
            low = middle;
        else
            high = middle - 1;
    }
    __syncwarp();
    if (kz_lane() < WARPS) j.pipe->bound[stage][kz_lane() + 1] = low;
    if (kz_lane() == 0) {
        j.pipe->bound[stage][0] = l.segment;
        j.pipe->far[stage] = !near;
    }
    l.segment = __shfl_sync(KZ_ALL_LANES, low, WARPS - 1);
    if (!near && page_of(j, l.segment) > l.known) l.asked = l.known = page_of(j, l.segment);
    kz_barrier_arrive(&j.pipe->full[stage]);
}

template <typename T, typename A> static __device__ __forceinline__ void look_up(const job<T, A> &j) {
    size_t before = j.elements_before(j.first * j.TILE);
    lookup<T, A> l = {j, 0, 0, 0, 0, ends_up_to(j.p.offsets, j.p.segments, j.p.n, before)};
    l.asked = l.known = page_of(j, l.segment);
    for (unsigned tile = 0; tile < j.count; tile++) {
        if (tile >= DEPTH && l.oldest <= tile - DEPTH) {
            kz_barrier_wait(&j.pipe->empty[tile % DEPTH], (tile / DEPTH & 1) ^ 1);
            l.oldest = tile - DEPTH + 1;
        }
        find_bounds(l, tile);
    }
}

// ---- the folding warps ------------------------------------------------------------------------------------

// Where the last element of a segment is: which lane's, and which of that lane's. No bit: it has none, or is
// not ours.
typedef struct ending {
    unsigned lane, bit, length;
} ending;

// Of segment k, where that is before `to`; the chunk begins at element `before`.
template <bool far, typename T, typename A>
static __device__ __forceinline__ ending find_end(const job<T, A> &j, unsigned k, unsigned to,
                                                  unsigned before) {
    ending e = {0, KZ_WARP, 0};
    if (k >= to) return e;
    unsigned begin = far ? j.p.offsets[k] : j.near_offset(k);
    unsigned end = far ? j.p.offsets[k + 1] : j.near_offset(k + 1), at = end - 1 - before;
    e.length = end - begin;
    e.lane = at / j.EACH;
    if (end > begin) e.bit = at % j.EACH;
    return e;
}

// Folds the lane's elements and stores a value at every bit of `ends`; returns what is open after the last one.
template <int operation, typename T, typename A>
static __device__ __forceinline__ A fold_flagged(const job<T, A> &j, int stage, int warp, unsigned ends) {
    return fold_lane<operation, job<T, A>::PACKS, job<T, A>::INSTEAD, T, A>(
        j.chunk(stage, warp), j.folded(stage, warp), ends, kz_fold_identity<operation>(A()));
}
// What was open before the lane, onto the first value it stored.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void complete(const job<T, A> &j, int stage, int warp, unsigned ends,
                                                A open) {
    A *first = &j.folded(stage, warp)[(__ffs(ends) - 1) * KZ_WARP + kz_lane()];
    *first = kz_fold_combine<operation>(open, *first);
}
// The value stored at an end.
template <int operation, typename T, typename A>
static __device__ __forceinline__ A value_at(const job<T, A> &j, int stage, int warp, ending e) {
    return j.folded(stage, warp)[e.bit * KZ_WARP + e.lane];
}
template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_closed(const job<T, A> &j, unsigned segment, ending e, A value) {
    kz_narrow(&j.p.out[segment], kz_fold_conclude<operation>(value, e.length));
}
// A value as chunks tell each other; this one begins at `position`.
template <typename T, typename A>
static __device__ __forceinline__ A outside(const job<T, A> &j, size_t position, A value) {
    return value;
}

// A chunk in which the segments [r.from, r.to) end; it begins at `position`.
template <int operation, bool far, typename T, typename A>
static __device__ __forceinline__ void close_chunk(const job<T, A> &j, int stage, int warp, size_t position,
                                                   record<A> &r) {
    const int ROUNDS = 2; // of 32 segments, which are enough as a rule
    unsigned *bits = j.pipe->bits[warp];
    unsigned before = (unsigned)(position - j.shift);
    auto find = [&](unsigned k) { return find_end<far>(j, k, r.to, before); };
    auto mark = [&](ending e) {
        if (e.bit < KZ_WARP) atomicOr(&bits[e.lane], 1u << e.bit);
    };
    auto put = [&](unsigned k, ending e) {
        A value = kz_fold_identity<operation>(A());
        if (e.bit < KZ_WARP) value = value_at<operation>(j, stage, warp, e);
        if (k == r.from)
            r.head = value; // lane 0's; it may have begun before the chunk
        else if (k < r.to)
            write_closed<operation>(j, k, e, value);
    };
    const unsigned mine = r.from + kz_lane();
    ending e[ROUNDS];
    bits[kz_lane()] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ROUNDS; i++) mark(e[i] = find(mine + i * KZ_WARP));
    for (unsigned k = mine + ROUNDS * KZ_WARP; k < r.to; k += KZ_WARP) mark(find(k));
    __syncwarp();
    unsigned ends = bits[kz_lane()];
    A value = fold_flagged<operation>(j, stage, warp, ends);
    A open = pass_on<operation>(value, __ballot_sync(KZ_ALL_LANES, ends != 0), &r.value);
    if (ends) complete<operation>(j, stage, warp, ends, open);
    if (job<T, A>::INSTEAD) kz_bulk_fence(); // elements will be copied to where values are stored
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ROUNDS; i++) put(mine + i * KZ_WARP, e[i]);
    for (unsigned k = mine + ROUNDS * KZ_WARP; k < r.to; k += KZ_WARP) put(k, find(k));
}

// A chunk in which none does.
template <int operation, typename T, typename A>
static __device__ __forceinline__ A fold_chunk(const job<T, A> &j, int stage, int warp) {
    const uint4 *elements = j.chunk(stage, warp);
    A value = kz_fold_identity<operation>(A());
    kz_pack<T> packs[job<T, A>::PACKS];
#pragma unroll
    for (int k = 0; k < job<T, A>::PACKS; k++) packs[k].raw = elements[k * KZ_WARP + kz_lane()];
#pragma unroll
    for (int k = 0; k < job<T, A>::PACKS; k++)
        value = kz_fold_combine<operation>(
            value, kz_fold_pack<operation, T, A>(kz_fold_identity<operation>(A()), packs[k]));
    return kz_fold_lanes<operation>(value);
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void fold(const job<T, A> &j, int warp) {
    const A nothing = kz_fold_identity<operation>(A());
    size_t position = j.first * j.TILE + warp * j.CHUNK;
    kz_pipeline_state<DEPTH> at;
    for (unsigned tile = 0; tile < j.count; tile++, at.next(), position += j.TILE) {
        kz_barrier_wait(&j.pipe->full[at.stage], at.parity);
        record<A> r = {nothing, nothing, j.pipe->bound[at.stage][warp], j.pipe->bound[at.stage][warp + 1]};
        if (r.from < r.to && j.pipe->far[at.stage])
            close_chunk<operation, true>(j, at.stage, warp, position, r);
        else if (r.from < r.to)
            close_chunk<operation, false>(j, at.stage, warp, position, r);
        else
            r.value = fold_chunk<operation>(j, at.stage, warp);
        r.value = outside(j, position, r.value);
        r.head = outside(j, position, r.head);
        if (kz_lane() == 0) j.pipe->records[at.stage][warp] = r;
        kz_barrier_arrive(&j.pipe->done[at.stage]);
    }
}

// ---- the closing warp -------------------------------------------------------------------------------------

// Brings the chunks' records together, and closes the segments that several of them have parts of; at last the
// one that began before the block.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void close(const job<T, A> &j, unsigned epoch) {
    typedef parts<operation, A> Op;
    typename Op::value all = Op::identity();
    A head = all.open;
    unsigned first = 0;
    kz_pipeline_state<DEPTH> at;
    for (unsigned tile = 0; tile < j.count; tile++, at.next()) {
        kz_barrier_wait(&j.pipe->done[at.stage], at.parity);
        record<A> r = {all.open, all.open, 0, 0};
        if (kz_lane() < WARPS) r = j.pipe->records[at.stage][kz_lane()];
        kz_barrier_arrive(&j.pipe->empty[at.stage]);
        bool closed = r.from < r.to;
        typename Op::value mine =
            kz_lane() < WARPS ? typename Op::value{r.value, Op::flag(closed)} : Op::identity();
        mine = kz_scan_warp<Op>(mine);
        typename Op::value before = Op::combine(all, kz_before_lane<Op>(mine));
        A whole = kz_fold_next<operation>(before.open, r.head);
        if (closed && before.closed != 0) write_result<operation>(j.p.out, j.p.offsets, r.from, whole);
        unsigned opens = __ballot_sync(KZ_ALL_LANES, closed && before.closed == 0);
        if (opens) {
            head = kz_shuffle(whole, __ffs(opens) - 1);
            first = __shfl_sync(KZ_ALL_LANES, r.from, __ffs(opens) - 1);
        }
        all = Op::combine(all, kz_shuffle(mine, KZ_WARP - 1));
    }
    const kz_tile_states states = {segments_states, BLOCKS};
    if (kz_lane() == 0) states.publish(blockIdx.x, epoch, all);
    if (all.closed != 0) {
        typename Op::value before = look_back<Op>(states, 0, blockIdx.x, epoch);
        if (kz_lane() == 0)
            write_result<operation>(j.p.out, j.p.offsets, first, kz_fold_next<operation>(before.open, head));
    }
    if (kz_lane() == 0 && atomicInc(&segments_ended, gridDim.x - 1) == gridDim.x - 1)
        *(volatile unsigned *)&segments_epoch = epoch; // all have read the old epoch
}

// ---- the block --------------------------------------------------------------------------------------------

template <int operation, typename T, typename A>
static __device__ __forceinline__ void ring(const problem<T, typename ring_of<T, A>::out> &p) {
    extern __shared__ __align__(128) uint4 stages[];
    __shared__ pipeline<A> pipe;
    unsigned epoch = *(volatile unsigned *)&segments_epoch + 1;
    if (threadIdx.x < DEPTH) {
        kz_barrier_init(&pipe.full[threadIdx.x], 2 * KZ_WARP);
        kz_barrier_init(&pipe.done[threadIdx.x], WARPS * KZ_WARP);
        kz_barrier_init(&pipe.empty[threadIdx.x], KZ_WARP);
    }
    if (threadIdx.x < PAGES) kz_barrier_init(&pipe.page[threadIdx.x], KZ_WARP);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();
    size_t shift = (size_t)p.in % 16 / sizeof(T);
    size_t tiles = (shift + p.n + job<T, A>::TILE - 1) / job<T, A>::TILE;
    if (tiles == 0) tiles = 1; // ends alone
    size_t first = tiles * blockIdx.x / gridDim.x, end = tiles * (blockIdx.x + 1) / gridDim.x;
    const job<T, A> j = {
        p,      shift, (unsigned)((size_t)p.offsets % 16 / sizeof(unsigned)), first, (unsigned)(end - first),
        stages, &pipe};
    int warp = __shfl_sync(KZ_ALL_LANES, kz_warp(), 0); // the compiler knows it is one for all lanes
    if (warp < WARPS)
        fold<operation>(j, warp);
    else if (warp == LOADER)
        load<operation>(j);
    else if (warp == INDEXER)
        look_up(j);
    else
        close<operation>(j, epoch);
}

#endif
