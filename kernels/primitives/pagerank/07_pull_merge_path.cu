// pagerank 07: pull by merge path, edges and ends of rows divided evenly
//
// Idea     03's even shares for the pull: whoever takes so many edges may take parts of several rows. Ends of rows count
//          as items beside the edges, so that a run of empty rows is work too (merge path, Merrill and Garland SC16;
//          reduce_segments/04 has it in detail).
// Change   a block takes an even range of items, tile by tile. All of a tile's sources are read side by side, then all
//          of their shares at once, into shared memory; there as many lanes sum a row as there are for each, and a warp a long one. What is open at a
//          tile's or a block's end is carried on, in order.
// Expect   the same time for any shape; 15 loads of shares in flight for each thread; the same bits in every run.
// Limit    L2: 32 bytes move for each share of 4 that a lane asks for at random.

#include "kz/device/last_block.cuh"
#include "pagerank.cuh"

enum {
    THREADS = PAGERANK_MERGE_THREADS,
    ITEMS = PAGERANK_MERGE_ITEMS,
    TILE = PAGERANK_MERGE_TILE,
    LONG = 64, // a row with more edges for each of its lanes is a warp's
};

struct problem {
    const unsigned *offsets, *sources;
    const float *share;
    float *next;
    unsigned vertices, edges;
};

static __device__ __forceinline__ void close_row(const problem &p, unsigned v, float sum) {
    p.next[v] = ground(p.vertices) + DAMPING * sum;
}

// ---- where a tile begins ----------------------------------------------------------------------------------------

// So many rows have ended and so many edges are summed.
struct merge_coordinate {
    unsigned vertex, edge;
};

// How many rows have ended before item `item`, at least `low`: by a warp, 32 probes at a time.
static __device__ __forceinline__ merge_coordinate find(const problem &p, unsigned low, size_t item) {
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
    merge_coordinate at = {low, (unsigned)(item - low)};
    return at;
}

// ---- a tile -------------------------------------------------------------------------------------------------------

struct tile {
    float *shares;  // of its edges, in shared memory, at slot_of(edge);
    unsigned *ends; // and behind them its ends of rows
    unsigned edges, rows;
    merge_coordinate from;
};

// One word in 33 is left free: rows of 16 or 32 edges begin at all banks, and not at one or two.
static __device__ __forceinline__ unsigned slot_of(unsigned edge) { return edge + edge / KZ_WARP; }

// Meanwhile the first warp looks for where the next tile ends.
static __device__ __forceinline__ void load_tile(const problem &p, const tile &t, size_t next_item,
                                                 merge_coordinate *next) {
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
        merge_coordinate found = find(p, t.from.vertex + t.rows, next_item);
        if (kz_lane() == 0) *next = found;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned k = i * THREADS + threadIdx.x;
        if (k < t.edges) t.shares[slot_of(k)] = share[i];
    }
    __syncthreads();
}

// Lanes for each row, a power of two: as many as leave a row to every group of the block, so that few and long rows do not
// keep a few lanes busy while the others wait.
static __device__ __forceinline__ unsigned lanes_of(const tile &t) {
    unsigned lanes = 1;
    while (lanes < KZ_WARP && 2 * lanes * (t.rows + 1) <= THREADS) lanes *= 2;
    return lanes;
}

// The sum of row r, for the first of its lanes; all of the warp come, with neighbouring rows. Row t.rows is the one that is
// still open at the tile's end; rows behind it have no edges.
static __device__ __forceinline__ float sum_row(const tile &t, unsigned r, unsigned lanes) {
    unsigned begin = r > 0 && r <= t.rows ? t.ends[r - 1] - t.from.edge : 0;
    unsigned end = r < t.rows ? t.ends[r] - t.from.edge : r == t.rows ? t.edges : 0;
    unsigned mine = kz_lane() & (lanes - 1);
    float sum = 0.0f;
    bool is_long = end - begin > LONG * lanes;
    if (!is_long)
        for (unsigned k = begin + mine; k < end; k += lanes) sum += t.shares[slot_of(k)];
    for (unsigned step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(KZ_ALL_LANES, sum, step);
    for (unsigned left = __ballot_sync(KZ_ALL_LANES, is_long && mine == 0); left; left &= left - 1) {
        int lane = __ffs(left) - 1;
        unsigned stop = __shfl_sync(KZ_ALL_LANES, end, lane);
        float part = 0.0f;
        for (unsigned k = __shfl_sync(KZ_ALL_LANES, begin, lane) + kz_lane(); k < stop; k += KZ_WARP)
            part += t.shares[slot_of(k)];
#pragma unroll
        for (int step = KZ_WARP / 2; step > 0; step /= 2) part += __shfl_xor_sync(KZ_ALL_LANES, part, step);
        if (kz_lane() == lane) sum = part;
    }
    return sum;
}

// ---- the kernel -----------------------------------------------------------------------------------------------------

// What a block leaves to the one that comes last: what it summed of the row open at its end, and of the first row that it
// closed, which may have begun in a block before.
struct left {
    float open, head;
    unsigned vertex; // NONE where it closed no row
};
#define NONE 0xffffffffu

// A row that a block closed first: what the blocks before have of it, back to the one that closed another.
static __device__ __forceinline__ void close_open_rows(const problem &p, const left *all, float *open,
                                                       unsigned *vertex) {
    for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS) { // from L2: L1 knows nothing of other blocks
        open[b] = __ldcg(&all[b].open);
        vertex[b] = __ldcg(&all[b].vertex);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS) {
        if (vertex[b] == NONE) continue;
        float sum = __ldcg(&all[b].head);
        for (unsigned before = b; before > 0; before--) {
            sum += open[before - 1];
            if (vertex[before - 1] != NONE) break;
        }
        close_row(p, vertex[b], sum);
    }
}

PAGERANK_SHARES(pull_merge_path)

KZ_ENTRY_BOUNDS(pagerank_pull_merge_path_step_f32, PAGERANK_MERGE_THREADS, PAGERANK_MERGE_BLOCKS)
(const unsigned *in_offsets, const unsigned *in_sources, const float *share, float *next, left *all,
 size_t vertices, size_t edges, size_t chunk) {
    __shared__ float room[TILE + TILE / KZ_WARP + 1]; // shares, and behind them ends
    __shared__ merge_coordinate at[2];                // where a tile begins and ends
    __shared__ float carry[2]; // of the row open before a tile and after it, alternating
    __shared__ left mine;
    const problem p = {in_offsets, in_sources, share, next, (unsigned)vertices, (unsigned)edges};
    size_t items = vertices + edges, item = blockIdx.x * chunk;
    size_t end = item + chunk < items ? item + chunk : items;
    if (threadIdx.x == 0) {
        mine.vertex = NONE;
        mine.head = carry[0] = 0.0f;
    }
    if (kz_warp() < 2) {
        merge_coordinate found = find(p, 0, kz_warp() == 0 ? item : item + TILE < end ? item + TILE : end);
        if (kz_lane() == 0) at[kz_warp()] = found;
    }
    __syncthreads();
    const unsigned first_vertex = at[0].vertex;
    int parity = 0;
    for (; item < end; item += TILE, parity ^= 1) {
        merge_coordinate from = at[0], to = at[1];
        unsigned count = to.edge - from.edge;
        const tile t = {room, (unsigned *)room + slot_of(count), count, to.vertex - from.vertex, from};
        __syncthreads(); // all know where it lies
        if (threadIdx.x == 0) at[0] = to;
        load_tile(p, t, item + 2 * TILE < end ? item + 2 * TILE : end, &at[1]);
        unsigned lanes = lanes_of(t);
        for (unsigned first = (threadIdx.x - kz_lane()) / lanes; first <= t.rows; first += THREADS / lanes) {
            unsigned r = first + kz_lane() / lanes;
            float sum = sum_row(t, r, lanes);
            if (kz_lane() & (lanes - 1)) continue;
            if (r == 0) sum += carry[parity];
            if (r == t.rows) carry[parity ^ 1] = sum;
            if (r >= t.rows) continue;
            if (r > 0 || from.vertex != first_vertex) {
                close_row(p, from.vertex + r, sum);
            } else { // the block's first
                mine.head = sum;
                mine.vertex = from.vertex;
            }
        }
        __syncthreads(); // the tile and the coordinates may be written again
    }
    if (threadIdx.x == 0) {
        mine.open = carry[parity];
        all[blockIdx.x] = mine;
    }
    if (kz_is_last_block()) close_open_rows(p, all, room, (unsigned *)room + gridDim.x);
}
