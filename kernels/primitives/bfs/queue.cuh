// bfs: the queue of 04, 05 and 07, which counts edges, and a push that shares them out evenly.
//
// An entry is a row: where it begins among the targets, and how many edges lie before it in the whole queue. The tail has
// the number of entries in its lower half and that of their edges in its upper, so that one addition gives both an
// index and an edge number. Rows without edges do not enter, so that edge numbers rise from entry to entry.
#ifndef BFS_QUEUE_CUH
#define BFS_QUEUE_CUH

#include "bfs.cuh"

enum { WARPS = BFS_THREADS / KZ_WARP, WORDS = BFS_TILE / KZ_WARP };

struct entry {
    unsigned begin, before;
};

static __device__ __forceinline__ unsigned entries_of(unsigned long long tail) { return (unsigned)tail; }
static __device__ __forceinline__ unsigned edges_of(unsigned long long tail) {
    return (unsigned)(tail >> 32);
}

// A vertex's row, as it enters the queue; its count is 0 where it has no edges.
struct row {
    unsigned begin, count;
};
static __device__ __forceinline__ row row_of(const unsigned *offsets, size_t v) {
    unsigned begin = offsets[v];
    row r = {begin, offsets[v + 1] - begin};
    return r;
}

// COUNT rows of each thread of the block into the queue, by one addition to its tail.
template <int COUNT>
static __device__ __forceinline__ void append(search *s, entry *queue, const row (&rows)[COUNT]) {
    __shared__ unsigned long long of_warp[WARPS], start;
    unsigned long long own = 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (rows[i].count) own += (unsigned long long)rows[i].count << 32 | 1;
    unsigned long long sum = own;
#pragma unroll
    for (int step = 1; step < KZ_WARP; step *= 2) {
        unsigned long long other = __shfl_up_sync(KZ_ALL_LANES, sum, step);
        if (kz_lane() >= step) sum += other;
    }
    if (kz_lane() == KZ_WARP - 1) of_warp[kz_warp()] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long all = 0;
        for (int w = 0; w < WARPS; w++) {
            unsigned long long warp = of_warp[w];
            of_warp[w] = all;
            all += warp;
        }
        start = all ? atomicAdd(&s->tail, all) : 0;
    }
    __syncthreads();
    unsigned long long index = start + of_warp[kz_warp()] + sum - own;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        if (!rows[i].count) continue;
        entry e = {rows[i].begin, edges_of(index)};
        queue[entries_of(index)] = e;
        index += (unsigned long long)rows[i].count << 32 | 1;
    }
    __syncthreads(); // of_warp and start may be written again
}

// The entry of queue[from, to) that has the edge: the last that begins at or before it. By a warp, 32 at a time.
static __device__ __forceinline__ unsigned find(const entry *queue, unsigned from, unsigned to,
                                                unsigned edge) {
    while (to - from > 1) {
        unsigned step = (to - from + KZ_WARP - 1) / KZ_WARP, probe = from + kz_lane() * step;
        bool before = probe < to && queue[probe].before <= edge;
        unsigned count =
            (unsigned)__popc(__ballot_sync(KZ_ALL_LANES, before)); // the lanes that say so come first
        from += (count - 1) * step;
        to = to - from < step ? to : from + step;
    }
    return from;
}

// A tile's rows in shared memory. Rows are told from the edge's number by counting: bit e of `starts` is set where a
// row begins at the tile's edge e, and `rank` has the bits before each word.
struct tile {
    unsigned shift[BFS_TILE]; // from an edge's number to its index among the targets
    unsigned starts[WORDS], rank[WORDS];
    unsigned first, last; // entries
};

static __device__ __forceinline__ void load_tile(tile *t, const entry *queue, unsigned long long from,
                                                 unsigned long long to, unsigned edge, unsigned end) {
    if (edge == edges_of(from) && end == edges_of(to)) { // the whole frontier: nothing to look for
        if (threadIdx.x == 0) {
            t->first = entries_of(from);
            t->last = entries_of(to) - 1;
        }
    } else if (kz_warp() < 2) {
        unsigned found = find(queue, entries_of(from), entries_of(to), kz_warp() == 0 ? edge : end - 1);
        if (kz_lane() == 0) *(kz_warp() == 0 ? &t->first : &t->last) = found;
    }
    for (unsigned w = threadIdx.x; w < WORDS; w += BFS_THREADS) t->starts[w] = 0;
    __syncthreads();
    for (unsigned k = threadIdx.x; k <= t->last - t->first; k += BFS_THREADS) {
        entry e = queue[t->first + k];
        unsigned at = k == 0 ? 0 : e.before - edge;
        t->shift[k] = e.begin - e.before;
        atomicOr(&t->starts[at / 32], 1u << at % 32);
    }
    __syncthreads();
    if (kz_warp() == 0) {
        unsigned carry = 0;
        for (unsigned w = kz_lane(); w < WORDS; w += KZ_WARP) {
            unsigned own = (unsigned)__popc(t->starts[w]), sum = own;
            for (int step = 1; step < KZ_WARP; step *= 2) {
                unsigned other = __shfl_up_sync(KZ_ALL_LANES, sum, step);
                if (kz_lane() >= step) sum += other;
            }
            t->rank[w] = carry + sum - own;
            carry += __shfl_sync(KZ_ALL_LANES, sum, KZ_WARP - 1);
        }
    }
    __syncthreads();
}

// The index among the targets of the tile's edge number `edge` + k.
static __device__ __forceinline__ unsigned target_index(const tile *t, unsigned edge, unsigned k) {
    unsigned upto = t->starts[k / 32] & (0xffffffffu >> (31 - k % 32));
    return t->shift[t->rank[k / 32] + (unsigned)__popc(upto) - 1] + edge + k;
}

// All edges of the frontier queue[from, to), evenly over the blocks; `marks` says of a target whether this thread is the
// one that reached it.
template <typename Marks>
static __device__ __forceinline__ void push(search *s, entry *queue, const unsigned *out_offsets,
                                            const unsigned *out_targets, unsigned long long from,
                                            unsigned long long to, Marks marks) {
    __shared__ tile t;
    size_t edge = edges_of(from), all = edges_of(to);
    size_t share = (all - edge + gridDim.x - 1) / gridDim.x;
    unsigned size =
        share >= BFS_TILE ? BFS_TILE : (unsigned)(share + BFS_THREADS - 1) / BFS_THREADS * BFS_THREADS;
    for (edge += (size_t)blockIdx.x * size; edge < all; edge += (size_t)gridDim.x * size) {
        unsigned end = (unsigned)(edge + size < all ? edge + size : all), count = end - (unsigned)edge;
        load_tile(&t, queue, from, to, (unsigned)edge, end);
        unsigned target[BFS_EDGES];
        bool wanted[BFS_EDGES];
        row rows[BFS_EDGES];
#pragma unroll
        for (int i = 0; i < BFS_EDGES; i++) {
            unsigned k = i * BFS_THREADS + threadIdx.x;
            if (k < count) target[i] = out_targets[target_index(&t, (unsigned)edge, k)];
        }
#pragma unroll
        for (int i = 0; i < BFS_EDGES; i++)
            wanted[i] = i * BFS_THREADS + threadIdx.x < count && marks.is_new(target[i]);
#pragma unroll
        for (int i = 0; i < BFS_EDGES; i++) {
            rows[i].begin = rows[i].count = 0;
            if (wanted[i]) rows[i] = row_of(out_offsets, target[i]); // does not wait for whose it is
        }
#pragma unroll
        for (int i = 0; i < BFS_EDGES; i++)
            if (wanted[i] && !marks.take(target[i])) rows[i].count = 0;
        append(s, queue, rows);
    }
}

// The search's first entry, by one thread.
static __device__ __forceinline__ void enter_source(search *s, entry *queue, const unsigned *out_offsets,
                                                    size_t source) {
    row r = row_of(out_offsets, source);
    if (!r.count) return;
    entry e = {r.begin, 0};
    queue[0] = e;
    atomicAdd(&s->tail, (unsigned long long)r.count << 32 | 1);
}

#endif
