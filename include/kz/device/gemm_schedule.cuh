// The frame of matrix products (kz/device/gemm.cuh): what follows from a kernel's choices, and which tiles a block takes.
#ifndef KZ_GEMM_SCHEDULE_CUH
#define KZ_GEMM_SCHEDULE_CUH

#include "kz/device/gemm_shape.h"
#include "kz/device/tensor_copy.cuh"

enum { KZ_STORE_DIRECT, KZ_STORE_TENSOR, KZ_STORE_TRANSPOSED, KZ_STORE_EITHER };

struct kz_gemm_defaults {
    typedef float Sum;
    enum {
        CONSUMERS = 2,
        CLUSTER_M = 1,
        CLUSTER_N = 1,
        CLUSTER_K = 1,
        PING_PONG = false,
        STORE = KZ_STORE_DIRECT,
        STREAM_K = false,
        SPLIT_K = false,
        GROUPED = false,
        PARTS = 1,
        PROMOTE = false,
        TWO_SETS = false,
        BLOCK_SCALES = false,
        SPARSE = false,
        RAW_STAGES = 0,
        NARROW_N = 0,
        RING_N = 0,
    };
};
// What follows from G.
template <typename G> struct kz_gemm_sizes {
    enum {
        DEPTH = KZ_GEMM_CHUNK / sizeof(typename G::In),        // of k, per stage
        A_ROW = G::SPARSE ? KZ_GEMM_CHUNK / 2 : KZ_GEMM_CHUNK, // bytes, per stage
        A_BYTES = G::TILE_M * A_ROW,
        DENSE_BYTES = A_BYTES + (G::RING_N > 0 ? G::RING_N : G::TILE_N) * KZ_GEMM_CHUNK,
        STAGE_BYTES = DENSE_BYTES + (G::SPARSE ? G::TILE_M / 64 * KZ_GEMM_METADATA : 0),
        SHARING = G::CLUSTER_M * G::CLUSTER_N, // blocks that send each other chunks
        CLUSTER = SHARING * G::CLUSTER_K,
        ROWS = G::PING_PONG ? G::TILE_M : G::TILE_M / G::CONSUMERS, // of a consumer
        SLABS = ROWS / 64,
        THREADS = KZ_GEMM_THREADS(G::CONSUMERS),
        // Registers are dealt out evenly at first; the producer's warps give away what the consumers need: more where a
        // thread has more than 192 sums.
        PRODUCER_REGISTERS = G::CONSUMERS == 1   ? 56
                             : G::CONSUMERS == 2 ? (SLABS * G::TILE_N / 2 > 192 ? 24 : 40)
                                                 : 32,
        CONSUMER_REGISTERS = G::CONSUMERS == 1   ? 256
                             : G::CONSUMERS == 2 ? (SLABS * G::TILE_N / 2 > 192 ? 240 : 232)
                                                 : 160,
        BUFFERED = G::STORE == KZ_STORE_TENSOR || G::STORE == KZ_STORE_EITHER,
    };
    static_assert(KZ_WARPGROUP * (PRODUCER_REGISTERS + G::CONSUMERS * CONSUMER_REGISTERS) <= 65536,
                  "a multiprocessor has 65536 registers; whoever asks for more waits for ever");
    static_assert(ROWS % 64 == 0 && G::TILE_N % 8 == 0 && G::TILE_N <= 256,
                  "wgmma has 64 rows, 8 to 256 columns");
    static_assert(!BUFFERED || G::TILE_N * sizeof(typename G::Out) >= KZ_GEMM_CHUNK,
                  "c is stored by rows of 128 bytes");
    static_assert(16 * G::STAGES <= KZ_GEMM_BARRIER_BYTES, "two barriers of 8 bytes per stage");
    static_assert(G::CLUSTER_K == 1 || (SHARING == 1 && !BUFFERED && !G::STREAM_K && !G::GROUPED &&
                                        !G::PING_PONG && G::TILE_N % (8 * G::CLUSTER_K) == 0),
                  "a cluster shares chunks or a tile, of which each block stores some columns");
    static_assert(!G::SPLIT_K || (G::CLUSTER_K == 1 && !G::STREAM_K && !G::GROUPED && G::PARTS == 1),
                  "k is divided in one way");
    static_assert(G::RAW_STAGES == 0 ||
                      (CLUSTER == 1 && !BUFFERED && !G::GROUPED && !G::SPARSE && G::PARTS == 1 &&
                       sizeof(typename G::In) == 2 && G::TILE_M % 16 == 0 && G::TILE_N % 16 == 0),
                  "halves, rows of which the producer's four warps have as many each, of no cluster");
    static_assert(!G::GROUPED || (SHARING == 1 && !G::STREAM_K && !G::PING_PONG && !G::A_MN),
                  "groups begin at any row, which the contiguous coordinate of a tensor map cannot");
    static_assert((typename G::Sum)0.5 != 0 || (G::CLUSTER_K == 1 && !G::STREAM_K && !G::PROMOTE),
                  "sums that are shared out are floats");
    static_assert(!G::BLOCK_SCALES || (G::PROMOTE && KZ_GEMM_SCALE_ROWS % G::TILE_N == 0),
                  "a tile has one factor of b for each chunk");
    static_assert(!G::SPARSE || (STAGE_BYTES % 1024 == 0 && !G::A_MN && !G::B_MN && G::CLUSTER_N == 1),
                  "a stage begins at a multiple of 1024 bytes; operands of sparse products are K-major");
    static_assert(G::NARROW_N == 0 ||
                      (CLUSTER == 1 && G::STORE == KZ_STORE_TENSOR && !G::STREAM_K && !G::GROUPED &&
                       !G::PING_PONG && !G::PROMOTE && !G::SPARSE && G::NARROW_N <= G::TILE_N),
                  "tiles of two widths: no cluster, c by a tensor map, products without anything besides");
};
// The last columns' tiles of a kernel of two widths, in stages of the same size.
template <typename G> struct kz_gemm_narrow : G {
    enum { TILE_N = G::NARROW_N, RING_N = G::TILE_N, NARROW_N = 0 };
};

// ---- the order of tiles ----------------------------------------------------------------------------------

// Tiles, clusters of them, in the order in which blocks take them: down `group` rows of clusters, then to the next
// column, so that those in flight share rows of a and columns of b in L2.
struct kz_gemm_order {
    unsigned down, across, group, batch;
    bool a_shared, b_shared; // by all products of the batch
    // GROUPED: product g of `batch` has the rows offsets[g] to offsets[g + 1] - 1 of a and c, of which there are `rows`.
    const unsigned *offsets;
    unsigned rows;
    unsigned narrow; // NARROW_N: columns of narrow tiles, behind all `across` wide ones of all products
};
struct kz_gemm_corner {
    int m, n, batch;
    int end;     // GROUPED: rows of c from here on are not this tile's
    bool narrow; // NARROW_N
};

template <typename G>
static __device__ __forceinline__ kz_gemm_order kz_gemm_order_of(unsigned m, unsigned n, unsigned batch,
                                                                 unsigned group) {
    const unsigned height = G::TILE_M * G::CLUSTER_M, width = G::TILE_N * G::CLUSTER_N;
    return {(m + height - 1) / height, (n + width - 1) / width, group, batch};
}

// Where this block's tile of cluster number `t` begins.
template <typename G>
static __device__ __forceinline__ kz_gemm_corner kz_gemm_find(const kz_gemm_order &order, unsigned t,
                                                              unsigned rank) {
    unsigned columns = order.across;
    bool narrow = false;
    if constexpr (G::NARROW_N > 0) {
        unsigned wide = order.down * order.across * order.batch;
        narrow = t >= wide;
        if (narrow) t -= wide, columns = order.narrow;
    }
    unsigned all = order.down * columns, batch = t / all, rest = t - batch * all;
    unsigned each = order.group * columns, above = rest / each * order.group;
    unsigned rows = min(order.down - above, order.group), at = rest - rest / each * each;
    unsigned down = above + at % rows, across = at / rows;
    int n = (int)((across * G::CLUSTER_N + rank / G::CLUSTER_M) * G::TILE_N);
    if (narrow) n = (int)(order.across * G::TILE_N + across * G::NARROW_N);
    return {(int)((down * G::CLUSTER_M + rank % G::CLUSTER_M) * G::TILE_M), n, (int)batch, 0, narrow};
}

// ---- who does what -----------------------------------------------------------------------------------------

// A worker is a cluster of the grid. Tile split_tiles + w + i * workers is worker w's alone. Before those it has an even
// share of the first `split_tiles` tiles, counted in chunks of k, wherever it begins and ends (stream-k). Then a tile has
// several workers: the one that has its first chunk finishes it, and adds what the others, for whom it comes first, have
// put into `partials`. Workers are
// numbered against the order of blocks: so a block waits only for blocks of lower numbers, which began before it.
struct kz_gemm_schedule {
    kz_gemm_order order;
    unsigned chunks, split_tiles; // along k; that are shared out
    float *partials;              // a tile of sums for each block
    unsigned from, end;           // this worker's share, in chunks
    unsigned next;                // and its next tile behind those
    // GROUPED: the group at hand, the number of its first tile, and its rows.
    unsigned at, before, begin, rows;
};
struct kz_gemm_segment {
    unsigned tile, first, count; // chunks
};

template <typename G> static __device__ __forceinline__ unsigned kz_gemm_workers(void) {
    return gridDim.x / kz_gemm_sizes<G>::CLUSTER;
}
template <typename G> static __device__ __forceinline__ unsigned kz_gemm_worker(void) {
    unsigned cluster = blockIdx.x / kz_gemm_sizes<G>::CLUSTER;
    return G::STREAM_K ? kz_gemm_workers<G>() - 1 - cluster : cluster;
}
static __device__ __forceinline__ unsigned kz_gemm_tiles(const kz_gemm_order &order) {
    return order.down * (order.across + order.narrow) * order.batch;
}
// Where a worker's share begins.
template <typename G>
static __device__ __forceinline__ unsigned kz_gemm_share(const kz_gemm_schedule &s, unsigned worker) {
    unsigned all = s.split_tiles * s.chunks, each = all / kz_gemm_workers<G>();
    return worker * each + min(worker, all - each * kz_gemm_workers<G>());
}
template <typename G>
static __device__ __forceinline__ kz_gemm_schedule kz_gemm_plan(const kz_gemm_order &order, unsigned chunks,
                                                                unsigned split_tiles, float *partials) {
    kz_gemm_schedule s = {order, chunks, G::STREAM_K ? split_tiles : 0, partials};
    s.from = kz_gemm_share<G>(s, kz_gemm_worker<G>());
    s.end = kz_gemm_share<G>(s, kz_gemm_worker<G>() + 1);
    s.next = s.split_tiles + kz_gemm_worker<G>();
    s.at = s.before = 0;
    return s;
}
// Offsets are the caller's: whatever they hold, rows stay inside the matrix.
static __device__ __forceinline__ void kz_gemm_take_group(kz_gemm_schedule &s) {
    unsigned m = s.order.rows;
    if (s.at >= s.order.batch) return;
    s.begin = min(s.order.offsets[s.at], m);
    s.rows = max(min(s.order.offsets[s.at + 1], m), s.begin) - s.begin;
}
template <typename G>
static __device__ __forceinline__ unsigned kz_gemm_group_down(const kz_gemm_schedule &s) {
    return (s.rows + G::TILE_M - 1) / G::TILE_M;
}
// Goes on to the group of tile `t`; false where there are no more.
template <typename G> static __device__ __forceinline__ bool kz_gemm_reach(kz_gemm_schedule &s, unsigned t) {
    while (s.at < s.order.batch) {
        unsigned tiles = kz_gemm_group_down<G>(s) * s.order.across;
        if (t - s.before < tiles) return true;
        s.before += tiles;
        s.at++;
        kz_gemm_take_group(s);
    }
    return false;
}
// Where this block's tile of the segment begins.
template <typename G>
static __device__ __forceinline__ kz_gemm_corner kz_gemm_corner_of(const kz_gemm_schedule &s, unsigned t,
                                                                   unsigned rank) {
    if (!G::GROUPED) return kz_gemm_find<G>(s.order, t, rank);
    unsigned down = kz_gemm_group_down<G>(s), in = t - s.before;
    return {(int)(s.begin + in % down * G::TILE_M), (int)(in / down * G::TILE_N), (int)s.at,
            (int)(s.begin + s.rows)};
}

template <typename G>
static __device__ __forceinline__ bool kz_gemm_next(kz_gemm_schedule &s, kz_gemm_segment &segment) {
    if (G::STREAM_K && s.from < s.end) {
        unsigned tile = s.from / s.chunks, first = s.from - tile * s.chunks;
        segment = {tile, first, min(s.chunks - first, s.end - s.from)};
        s.from += segment.count;
        return true;
    }
    if (G::CLUSTER_K > 1) { // this block's part of k
        unsigned rank = kz_cluster_rank(), first = s.chunks * rank / G::CLUSTER_K;
        segment = {s.next, first, s.chunks * (rank + 1) / G::CLUSTER_K - first};
    } else if (G::SPLIT_K) { // that of the product that it is a part of
        unsigned parts = s.order.batch, part = s.next / (s.order.down * s.order.across),
                 first = (unsigned)((uint64_t)s.chunks * part / parts);
        segment = {s.next, first, (unsigned)((uint64_t)s.chunks * (part + 1) / parts) - first};
    } else {
        segment = {s.next, 0, s.chunks};
    }
    s.next += kz_gemm_workers<G>();
    if (G::GROUPED) return kz_gemm_reach<G>(s, segment.tile);
    return segment.tile < kz_gemm_tiles(s.order);
}

#endif
