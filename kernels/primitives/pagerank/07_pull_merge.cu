// pagerank 07: pull, shared out by edges and ends of rows
//
// Idea     03's even shares for the pull: whoever takes 15 edges may take parts of several rows. Ends of rows count as
//          items beside the edges, so that a stretch of empty rows is work too (merge path, Merrill and Garland SC16;
//          reduce_segments/04 has it in detail).
// Change   a block takes an even range of items, tile by tile. All of a tile's sources are read side by side, then all
//          of their shares at once, into shared memory; there each thread sums its own items and closes rows. What is
//          open at a thread's, a tile's or a block's end is carried on, in order.
// Expect   the same time for any shape; 11 loads of shares in flight for each thread; the same bits in every run.
// Limit    L2: 32 bytes move for each share of 4 that a lane asks for at random.

#include "kz/last_block.cuh"
#include "pagerank.cuh"

enum {
    THREADS = PAGERANK_MERGE_THREADS,
    ITEMS = PAGERANK_MERGE_ITEMS,
    TILE = PAGERANK_MERGE_TILE,
    WARPS = THREADS / KZ_WARP,
};

struct problem {
    const unsigned *offsets, *sources;
    const float *share;
    float *next;
    unsigned vertices, edges;
};

// So many rows are closed and so many edges summed.
struct place {
    unsigned vertex, edge;
};

static __device__ __forceinline__ void close_row(const problem &p, unsigned v, float sum) {
    p.next[v] = ground(p.vertices) + DAMPING * sum;
}

// ---- what a stretch of items leaves ---------------------------------------------------------------------------

struct part {
    float sum;  // of the edges behind the last end of a row in it, or of all
    int closed; // a row ended in it
};

static __device__ __forceinline__ part append(part before, part after) {
    if (after.closed) return after;
    part both = {before.sum + after.sum, before.closed};
    return both;
}

// What the threads before this one leave together; *whole: what all of them do.
static __device__ __forceinline__ part scan_parts(part mine, part *whole) {
    __shared__ part of_warp[WARPS];
    const part nothing = {0.0f, 0};
    part sum = mine, other;
#pragma unroll
    for (int step = 1; step < KZ_WARP; step *= 2) {
        other.sum = __shfl_up_sync(KZ_ALL_LANES, sum.sum, step);
        other.closed = __shfl_up_sync(KZ_ALL_LANES, sum.closed, step);
        if (kz_lane() >= step) sum = append(other, sum);
    }
    if (kz_lane() == KZ_WARP - 1) of_warp[kz_warp()] = sum;
    other.sum = __shfl_up_sync(KZ_ALL_LANES, sum.sum, 1);
    other.closed = __shfl_up_sync(KZ_ALL_LANES, sum.closed, 1);
    __syncthreads();
    part before = nothing;
    *whole = nothing;
    for (unsigned w = 0; w < WARPS; w++) {
        if (w == kz_warp()) before = *whole;
        *whole = append(*whole, of_warp[w]);
    }
    __syncthreads(); // of_warp may be written again
    return kz_lane() == 0 ? before : append(before, other);
}

// ---- where a stretch begins -----------------------------------------------------------------------------------

// How many rows have ended before item `item`, between `low` and `high`: by a warp, 32 probes at a time.
static __device__ __forceinline__ place find(const problem &p, unsigned low, size_t item) {
    unsigned high = item < p.vertices ? (unsigned)item : p.vertices;
    if (item > p.edges && item - p.edges > low) low = (unsigned)(item - p.edges);
    while (low < high) {
        unsigned step = (high - low + KZ_WARP - 1) / KZ_WARP;
        size_t probe = low + (size_t)kz_lane() * step;
        bool ended = probe < high && p.offsets[probe + 1] < item - probe; // before the item that it would be
        unsigned count =
            (unsigned)__popc(__ballot_sync(KZ_ALL_LANES, ended)); // the lanes that say so come first
        if (count == 0) break;
        unsigned last = low + (count - 1) * step;
        low = last + 1;
        high = high - last < step ? high : last + step;
    }
    place at = {low, (unsigned)(item - low)};
    return at;
}

// The same among a tile's ends, in shared memory, by one thread.
static __device__ __forceinline__ unsigned find_in_tile(const unsigned *ends, unsigned rows, unsigned edges,
                                                        unsigned base, unsigned item) {
    unsigned low = item > edges ? item - edges : 0, high = item < rows ? item : rows;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (ends[middle] - base < item - middle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ---- a tile ---------------------------------------------------------------------------------------------------

struct tile {
    float *shares;  // of its edges, in shared memory;
    unsigned *ends; // and behind them its ends of rows
    unsigned edges, rows;
    place from;
};

// Meanwhile the first warp looks for where the next tile ends.
static __device__ __forceinline__ void load_tile(const problem &p, const tile &t, size_t next_item,
                                                 place *next) {
    unsigned source[ITEMS];
    float share[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned k = i * THREADS + threadIdx.x;
        if (k < t.edges) source[i] = __ldcs(&p.sources[t.from.edge + k]);
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * THREADS + threadIdx.x < t.edges) share[i] = __ldg(&p.share[source[i]]);
    for (unsigned k = threadIdx.x; k < t.rows; k += THREADS) t.ends[k] = p.offsets[t.from.vertex + k + 1];
    if (kz_warp() == 0) {
        place found = find(p, t.from.vertex + t.rows, next_item);
        if (kz_lane() == 0) *next = found;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned k = i * THREADS + threadIdx.x;
        if (k < t.edges) t.shares[k] = share[i];
    }
    __syncthreads();
}

// A thread's own items. The first row that it closes may have begun before: it is left in *head.
static __device__ __forceinline__ part walk(const problem &p, const tile &t, float *head,
                                            unsigned *head_vertex) {
    unsigned items = t.edges + t.rows, base = t.from.edge, first = min(threadIdx.x * ITEMS, items);
    unsigned row = find_in_tile(t.ends, t.rows, t.edges, base, first), edge = first - row;
    part mine = {0.0f, 0};
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (first + i >= items) break;
        if (row >= t.rows || edge < t.ends[row] - base) {
            mine.sum += t.shares[edge++];
            continue;
        }
        if (mine.closed) {
            close_row(p, t.from.vertex + row, mine.sum);
        } else {
            *head = mine.sum;
            *head_vertex = t.from.vertex + row;
        }
        mine.sum = 0.0f;
        mine.closed = 1;
        row++;
    }
    return mine;
}

// ---- the kernel -----------------------------------------------------------------------------------------------

// What a block leaves to the one that comes last: its part, the vertex whose row it closed first, and what it summed
// of that row.
struct left {
    float sum, head;
    unsigned vertex; // NONE where it closed none
};
#define NONE 0xffffffffu

static __device__ __forceinline__ void close_open_rows(const problem &p, const left *all) {
    part carry = {0.0f, 0};
    for (unsigned first = 0; first < gridDim.x; first += THREADS) {
        unsigned block = first + threadIdx.x, vertex = NONE;
        part mine = {0.0f, 0}, whole;
        if (block < gridDim.x) { // from L2: L1 knows nothing of other blocks
            vertex = __ldcg(&all[block].vertex);
            mine.sum = __ldcg(&all[block].sum);
            mine.closed = vertex != NONE;
        }
        part before = append(carry, scan_parts(mine, &whole));
        if (vertex != NONE) close_row(p, vertex, before.sum + __ldcg(&all[block].head));
        carry = append(carry, whole);
    }
}

PAGERANK_SHARES(pull_merge)

KZ_ENTRY_BOUNDS(pagerank_pull_merge_step_f32, PAGERANK_MERGE_THREADS, PAGERANK_MERGE_BLOCKS)
(const unsigned *in_offsets, const unsigned *in_sources, const float *share, float *next, left *all,
 size_t vertices, size_t edges, size_t chunk) {
    __shared__ float room[TILE]; // shares, and behind them ends
    __shared__ place at[2];      // where a tile begins and ends
    __shared__ left mine;
    const problem p = {in_offsets, in_sources, share, next, (unsigned)vertices, (unsigned)edges};
    size_t items = vertices + edges, item = blockIdx.x * chunk;
    size_t end = item + chunk < items ? item + chunk : items;
    if (threadIdx.x == 0) mine.vertex = NONE;
    if (kz_warp() < 2) {
        place found = find(p, 0, kz_warp() == 0 ? item : item + TILE < end ? item + TILE : end);
        if (kz_lane() == 0) at[kz_warp()] = found;
    }
    part carry = {0.0f, 0};
    for (; item < end; item += TILE) {
        __syncthreads();
        place from = at[0], to = at[1];
        const tile t = {room, (unsigned *)room + (to.edge - from.edge), to.edge - from.edge,
                        to.vertex - from.vertex, from};
        __syncthreads(); // all know where it lies
        if (threadIdx.x == 0) at[0] = to;
        load_tile(p, t, item + 2 * TILE < end ? item + 2 * TILE : end, &at[1]);

        float head = 0.0f;
        unsigned head_vertex = 0;
        part own = walk(p, t, &head, &head_vertex), whole;
        part before = append(carry, scan_parts(own, &whole));
        if (own.closed && before.closed) close_row(p, head_vertex, before.sum + head);
        if (own.closed && !before.closed) { // the block's first: it may have begun in another
            mine.head = before.sum + head;
            mine.vertex = head_vertex;
        }
        carry = append(carry, whole);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        mine.sum = carry.sum;
        if (mine.vertex == NONE) mine.head = 0.0f;
        all[blockIdx.x] = mine;
    }
    if (come_last()) close_open_rows(p, all);
}
