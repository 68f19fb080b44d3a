// The frame of a matrix product on Hopper: c = a * b by warps that only copy and warpgroups that only multiply.
//
// A block stays on its multiprocessor and takes one tile of c after the other. One thread, the producer, has tensor maps
// copy chunks of a and b, 128 bytes along k, into a ring of stages in shared memory. Consumers, a warpgroup each,
// multiply them by wgmma. Two barriers per stage keep them in step: `full` counts the bytes that have landed, `empty` the
// consumer warps that are done. Blocks of a cluster whose tiles lie in one row (column) of c need the same chunk of a
// (of b): each copies its share of it to all of them.
//
// A kernel says what it wants by a struct G, derived from kz_gemm_defaults:
//
//     In, Out            element types: kz_bf16, kz_f16; kz_tf32, kz_e4m3, kz_e5m2, int8_t, uint8_t; Out may be float
//     Sum                what is summed in: float; int for integers, and Out is int then
//     A_MN, B_MN         the operand is contiguous along m (n) instead of along k; types of 16 bits alone
//     TILE_M, TILE_N     a block's tile of c; each consumer has TILE_M / CONSUMERS rows of it, a multiple of 64
//     STAGES             of the ring
//     CONSUMERS          warpgroups that multiply
//     CLUSTER_M, _N      tiles of c that a cluster works on together, or
//     CLUSTER_K          blocks that share one tile, each with a part of k; the grid has a cluster for each tile then
//     PING_PONG          each consumer has a tile of its own: one multiplies while the other stores
//     STORE              KZ_STORE_DIRECT: registers to c. KZ_STORE_TRANSPOSED: the same, to c' of n x m. KZ_STORE_TENSOR:
//                        by way of shared memory and a tensor map, while the next tile is multiplied; rows of c begin at
//                        multiples of 16 bytes then. KZ_STORE_EITHER: by a tensor map where kz_gemm_out says that c has
//                        one, else directly
//     STREAM_K           the first tiles are shared out evenly by chunks of k (below)
//     GROUPED            rows of a and c are divided among several b (below)
//     PARTS              3: operands are sums of a high and a low part, coordinates 0 and 1 of their maps' third dimension;
//                        c = high * high + high * low + low * high
//     PROMOTE            the sums of each chunk are added to others in f32, for tensor cores that keep fewer bits (fp8)
//     BLOCK_SCALES       and times factors: each row of a has one for every chunk, b one for 128 rows and every chunk
//     SPARSE             of every four elements of a along k two are stored; which, says the metadata, a word of each thread
//                        for each chunk, in the order of kz_wgmma_sparse; its map: thread, chunk, slab of 64 rows
//
// and what becomes of the sums by an epilogue (kz/device/epilogue.cuh).
#ifndef KZ_GEMM_CUH
#define KZ_GEMM_CUH

#include "kz/device/epilogue.cuh"
#include "kz/device/gemm_shape.h"
#include "kz/device/tensor_copy.cuh"
#include "kz/device/wgmma.cuh"

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
        GROUPED = false,
        PARTS = 1,
        PROMOTE = false,
        BLOCK_SCALES = false,
        SPARSE = false,
    };
};
// What follows from G.
template <typename G> struct kz_gemm_sizes {
    enum {
        DEPTH = KZ_GEMM_CHUNK / sizeof(typename G::In),        // of k, per stage
        A_ROW = G::SPARSE ? KZ_GEMM_CHUNK / 2 : KZ_GEMM_CHUNK, // bytes, per stage
        A_BYTES = G::TILE_M * A_ROW,
        DENSE_BYTES = A_BYTES + G::TILE_N * KZ_GEMM_CHUNK,
        STAGE_BYTES = DENSE_BYTES + (G::SPARSE ? G::TILE_M / 64 * KZ_GEMM_METADATA : 0),
        SHARING = G::CLUSTER_M * G::CLUSTER_N, // blocks that send each other chunks
        CLUSTER = SHARING * G::CLUSTER_K,
        ROWS = G::PING_PONG ? G::TILE_M : G::TILE_M / G::CONSUMERS, // of a consumer
        SLABS = ROWS / 64,
        THREADS = KZ_GEMM_THREADS(G::CONSUMERS),
        // Registers are dealt out evenly at first; the producer's warps give away what the consumers need.
        PRODUCER_REGISTERS = G::CONSUMERS == 1   ? 56
                             : G::CONSUMERS == 2 ? 40
                                                 : 32,
        CONSUMER_REGISTERS = G::CONSUMERS == 1   ? 256
                             : G::CONSUMERS == 2 ? 232
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
    static_assert(!G::GROUPED || (SHARING == 1 && !G::STREAM_K && !G::PING_PONG && !G::A_MN),
                  "groups begin at any row, which the contiguous coordinate of a tensor map cannot");
    static_assert((typename G::Sum)0.5 != 0 || (G::CLUSTER_K == 1 && !G::STREAM_K && !G::PROMOTE),
                  "sums that are shared out are floats");
    static_assert(!G::BLOCK_SCALES || (G::PROMOTE && KZ_GEMM_SCALE_ROWS % G::TILE_N == 0),
                  "a tile has one factor of b for each chunk");
    static_assert(!G::SPARSE || (STAGE_BYTES % 1024 == 0 && !G::A_MN && !G::B_MN && G::CLUSTER_N == 1),
                  "a stage begins at a multiple of 1024 bytes; operands of sparse products are K-major");
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
};
struct kz_gemm_corner {
    int m, n, batch;
    int end; // GROUPED: rows of c from here on are not this tile's
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
    unsigned all = order.down * order.across, batch = t / all, rest = t - batch * all;
    unsigned each = order.group * order.across, above = rest / each * order.group;
    unsigned rows = min(order.down - above, order.group), at = rest - rest / each * each;
    unsigned down = above + at % rows, across = at / rows;
    return {(int)((down * G::CLUSTER_M + rank % G::CLUSTER_M) * G::TILE_M),
            (int)((across * G::CLUSTER_N + rank / G::CLUSTER_M) * G::TILE_N), (int)batch, 0};
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
    return order.down * order.across * order.batch;
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
    } else {
        segment = {s.next, 0, s.chunks};
    }
    s.next += kz_gemm_workers<G>();
    if (G::GROUPED) return kz_gemm_reach<G>(s, segment.tile);
    return segment.tile < kz_gemm_tiles(s.order);
}

// ---- the ring ----------------------------------------------------------------------------------------------

template <typename G> struct kz_gemm_ring {
    unsigned full, empty, stages, store; // addresses in shared memory
    unsigned stage, parity;

    __device__ __forceinline__ explicit kz_gemm_ring(char *memory) {
        full = (kz_shared_address(memory) + 1023) / 1024 *
               1024; // the swizzle's pattern repeats every 1024 bytes
        empty = full + 8 * G::STAGES;
        stages = full + KZ_GEMM_BARRIER_BYTES;
        store = stages + G::STAGES * kz_gemm_sizes<G>::STAGE_BYTES;
        stage = parity = 0;
    }
    __device__ __forceinline__ unsigned chunk(void) const {
        return stages + stage * kz_gemm_sizes<G>::STAGE_BYTES;
    }
    __device__ __forceinline__ void advance(void) {
        if (++stage == G::STAGES) stage = 0, parity ^= 1;
    }
    __device__ __forceinline__ void skip(unsigned chunks) {
        stage += chunks;
        parity ^= stage / G::STAGES & 1;
        stage %= G::STAGES;
    }
    // By one lane for each block of the cluster.
    __device__ __forceinline__ void release(unsigned which) const {
        if (kz_lane() >= kz_gemm_sizes<G>::SHARING) return;
        if (kz_gemm_sizes<G>::SHARING > 1)
            kz_barrier_arrive_at(empty + 8 * which, kz_lane());
        else
            kz_barrier_arrive(empty + 8 * which);
    }
};

// This block's place among the tiles of its cluster.
template <typename G> static __device__ __forceinline__ unsigned kz_gemm_rank(void) {
    return kz_gemm_sizes<G>::SHARING > 1 ? kz_cluster_rank() : 0;
}

// ---- the producer -------------------------------------------------------------------------------------------

// This block's share, part `part` of `parts`, of `rows` rows of an operand: to all blocks of the mask.
template <int rows, int parts, bool mn>
static __device__ __forceinline__ void kz_gemm_copy(unsigned to, const kz_tensor_map *map, int k, int row,
                                                    int batch, unsigned barrier, unsigned part,
                                                    uint16_t mask) {
    if (mn) { // 64 elements of a row, one row for each k: a slab
        const int slabs = rows / 64 / parts;
        static_assert(!mn || rows % (64 * parts) == 0, "whole slabs");
#pragma unroll
        for (int s = 0; s < slabs; s++) {
            unsigned slab = part * slabs + s;
            kz_tensor_load_3d<(parts > 1)>(to + slab * KZ_GEMM_SLAB, map, row + 64 * (int)slab, k, batch,
                                           barrier, mask);
        }
    } else {
        unsigned first = part * (rows / parts);
        kz_tensor_load_3d<(parts > 1)>(to + first * KZ_GEMM_CHUNK, map, k, row + (int)first, batch, barrier,
                                       mask);
    }
}

// Where chunk `i` of `chunks` begins, and its third coordinate in a and in b. Of three products of parts the small ones come
// first: their sums are rounded at their own size.
struct kz_gemm_chunk {
    int k, a, b;
};
template <typename G>
static __device__ __forceinline__ kz_gemm_chunk kz_gemm_locate(unsigned i, unsigned chunks, int batch) {
    if (G::PARTS == 1) return {(int)(i * kz_gemm_sizes<G>::DEPTH), batch, batch};
    unsigned each = chunks / G::PARTS, product = i / each;
    return {(int)((i - product * each) * kz_gemm_sizes<G>::DEPTH), product == 0, product == 1};
}

template <typename G>
static __device__ __forceinline__ void kz_gemm_produce(kz_gemm_ring<G> ring, const kz_tensor_map *a,
                                                       const kz_tensor_map *b, const kz_tensor_map *metadata,
                                                       kz_gemm_schedule schedule) {
    typedef kz_gemm_sizes<G> sizes;
    unsigned rank = kz_gemm_rank<G>(), down = rank % G::CLUSTER_M, across = rank / G::CLUSTER_M;
    uint16_t in_row = 0, in_column = 0; // who needs the same chunk of a, of b
    for (int i = 0; i < G::CLUSTER_N; i++) in_row |= 1 << (down + i * G::CLUSTER_M);
    for (int i = 0; i < G::CLUSTER_M; i++) in_column |= 1 << (i + across * G::CLUSTER_M);

    kz_gemm_segment segment;
    while (kz_gemm_next<G>(schedule, segment)) {
        kz_gemm_corner tile = kz_gemm_corner_of<G>(schedule, segment.tile, rank);
        for (unsigned i = segment.first; i < segment.first + segment.count; i++, ring.advance()) {
            // The first round passes: all is empty.
            kz_barrier_wait(ring.empty + 8 * ring.stage, ring.parity ^ 1);
            unsigned barrier = ring.full + 8 * ring.stage, to = ring.chunk();
            kz_gemm_chunk at = kz_gemm_locate<G>(i, schedule.chunks, tile.batch);
            if (schedule.order.a_shared) at.a = 0;
            if (schedule.order.b_shared) at.b = 0;
            kz_barrier_arrive_expect(barrier, sizes::STAGE_BYTES);
            kz_gemm_copy<G::TILE_M, G::CLUSTER_N, G::A_MN>(to, a, G::SPARSE ? at.k / 2 : at.k, tile.m, at.a,
                                                           barrier, across, in_row);
            kz_gemm_copy<G::TILE_N, G::CLUSTER_M, G::B_MN>(to + sizes::A_BYTES, b, at.k, tile.n, at.b,
                                                           barrier, down, in_column);
            if (G::SPARSE)
                kz_tensor_load_3d<false>(to + sizes::DENSE_BYTES, metadata, 0, (int)i, tile.m / 64, barrier,
                                         0);
        }
    }
    // Other blocks arrive at this one's barriers: it stays until they have.
    if (sizes::SHARING > 1)
        for (int i = 0; i < G::STAGES; i++, ring.advance())
            kz_barrier_wait(ring.empty + 8 * ring.stage, ring.parity ^ 1);
}

// ---- the consumers --------------------------------------------------------------------------------------------

template <typename G> struct kz_gemm_sums {
    typename G::Sum at[kz_gemm_sizes<G>::SLABS][G::TILE_N / 2]; // as kz_wgmma has them
};

// The products of one chunk, begun: four steps along k of 32 bytes each.
template <typename G>
static __device__ __forceinline__ void kz_gemm_multiply(kz_gemm_sums<G> &sums, unsigned chunk, unsigned row,
                                                        bool accumulate) {
    typename G::In type;
    const unsigned a_step = (G::A_MN ? 16 * KZ_GEMM_CHUNK : 32) >> 4,
                   b_step = (G::B_MN ? 16 * KZ_GEMM_CHUNK : 32) >> 4;
    uint64_t a = kz_wgmma_tile(chunk + row * KZ_GEMM_CHUNK, KZ_GEMM_SLAB);
    uint64_t b = kz_wgmma_tile(chunk + kz_gemm_sizes<G>::A_BYTES, KZ_GEMM_SLAB);
    kz_wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
        for (int s = 0; s < kz_gemm_sizes<G>::SLABS; s++)
            kz_wgmma<G::TILE_N, G::A_MN, G::B_MN>(type, sums.at[s], a + s * (KZ_GEMM_SLAB >> 4) + k * a_step,
                                                  b + k * b_step, accumulate || k > 0);
    kz_wgmma_commit();
}

// `chunks` of a tile, one at least. One group of products is in flight while the next begins; the stage before is given back.
template <typename G>
static __device__ __forceinline__ void kz_gemm_main_loop(kz_gemm_sums<G> &sums, kz_gemm_ring<G> &ring,
                                                         unsigned row, unsigned chunks) {
    // The same in all lanes, as the compiler cannot know: addresses and descriptors stay in uniform registers.
    ring.stage = __shfl_sync(KZ_ALL_LANES, ring.stage, 0);
    ring.parity = __shfl_sync(KZ_ALL_LANES, ring.parity, 0);
    chunks = __shfl_sync(KZ_ALL_LANES, chunks, 0);
    unsigned before = 0;
    for (unsigned i = 0; i < chunks; i++) {
        kz_barrier_wait(ring.full + 8 * ring.stage, ring.parity);
        kz_gemm_multiply<G>(sums, ring.chunk(), row, i > 0);
        kz_wgmma_wait<1>();
        if (i > 0) ring.release(before);
        before = ring.stage;
        ring.advance();
    }
    kz_wgmma_wait<0>();
    if (chunks > 0) ring.release(before);
#pragma unroll
    for (int s = 0; s < kz_gemm_sizes<G>::SLABS; s++) kz_wgmma_pin(sums.at[s]);
}

// ---- a sparse a ------------------------------------------------------------------------------------------------

// The metadata of one chunk: a word for each slab.
template <typename G> struct kz_gemm_metadata {
    uint32_t at[kz_gemm_sizes<G>::SLABS];

    __device__ __forceinline__ void load(unsigned chunk, unsigned row) {
        unsigned words = chunk + kz_gemm_sizes<G>::DENSE_BYTES + row / 64 * KZ_GEMM_METADATA +
                         threadIdx.x % KZ_WARPGROUP * 4;
#pragma unroll
        for (int s = 0; s < kz_gemm_sizes<G>::SLABS; s++)
            asm volatile("ld.shared.u32 %0, [%1];"
                         : "=r"(at[s])
                         : "r"(words + s * KZ_GEMM_METADATA)
                         : "memory");
    }
};

// As kz_gemm_multiply: two steps along k of 32 elements, whose metadata is in one word.
template <typename G>
static __device__ __forceinline__ void
kz_gemm_multiply_sparse(kz_gemm_sums<G> &sums, unsigned chunk, unsigned row,
                        const kz_gemm_metadata<G> &metadata, bool accumulate) {
    typedef kz_gemm_sizes<G> sizes;
    typename G::In type;
    uint64_t a = kz_wgmma_narrow_tile(chunk + row * sizes::A_ROW),
             b = kz_wgmma_tile(chunk + sizes::A_BYTES, KZ_GEMM_SLAB);
    kz_wgmma_fence();
#pragma unroll
    for (int s = 0; s < sizes::SLABS; s++) {
        uint64_t slab = a + s * (64 * sizes::A_ROW >> 4);
        kz_wgmma_sparse<G::TILE_N, 0>(type, sums.at[s], slab, b, metadata.at[s], accumulate);
        kz_wgmma_sparse<G::TILE_N, 1>(type, sums.at[s], slab + (32 >> 4), b + (64 >> 4), metadata.at[s],
                                      true);
    }
    kz_wgmma_commit();
}

// As kz_gemm_main_loop. A product may read its metadata until it is done: that of two chunks in flight is in registers of
// its own.
template <typename G>
static __device__ __forceinline__ void kz_gemm_sparse_loop(kz_gemm_sums<G> &sums, kz_gemm_ring<G> &ring,
                                                           unsigned row, unsigned chunks) {
    ring.stage = __shfl_sync(KZ_ALL_LANES, ring.stage, 0); // as in the main loop
    ring.parity = __shfl_sync(KZ_ALL_LANES, ring.parity, 0);
    chunks = __shfl_sync(KZ_ALL_LANES, chunks, 0);
    unsigned before = 0;
    kz_gemm_metadata<G> even, odd;
    auto step = [&](unsigned i, kz_gemm_metadata<G> &metadata) {
        kz_barrier_wait(ring.full + 8 * ring.stage, ring.parity);
        metadata.load(ring.chunk(), row);
        kz_gemm_multiply_sparse<G>(sums, ring.chunk(), row, metadata, i > 0);
        kz_wgmma_wait<1>();
        if (i > 0) ring.release(before);
        before = ring.stage;
        ring.advance();
    };
    for (unsigned i = 0; i < chunks; i += 2) {
        step(i, even);
        if (i + 1 < chunks) step(i + 1, odd);
    }
    kz_wgmma_wait<0>();
    if (chunks > 0) ring.release(before);
#pragma unroll
    for (int s = 0; s < kz_gemm_sizes<G>::SLABS; s++) kz_wgmma_pin(sums.at[s]);
}

// ---- factors of the operands -----------------------------------------------------------------------------------

struct kz_gemm_scales {
    const float *a, *b; // a[chunk][row], of `rows`; b[row / 128][chunk]
    size_t rows;
};

// The factors of one chunk, for the two rows of each slab that a thread has. They are multiplied when they are needed: nobody
// waits for them before.
template <typename G> struct kz_gemm_factors {
    float a[kz_gemm_sizes<G>::SLABS][2], b;

    // `row`: the consumer's first one in c.
    __device__ __forceinline__ void load(const kz_gemm_scales &scales, unsigned row, unsigned column,
                                         unsigned chunk, unsigned chunks) {
        if (!G::BLOCK_SCALES) return;
        b = __ldg(scales.b + (size_t)(column / KZ_GEMM_SCALE_ROWS) * chunks + chunk);
#pragma unroll
        for (int i = 0; i < 2 * kz_gemm_sizes<G>::SLABS; i++) {
            unsigned r = row + i / 2 * 64 + kz_warp() % 4 * 16 + kz_lane() / 4 + i % 2 * 8;
            a[i / 2][i % 2] = r < scales.rows ? __ldg(scales.a + chunk * scales.rows + r) : 0.0f;
        }
    }
    __device__ __forceinline__ float of(int slab, int sum) const { return a[slab][sum / 2 % 2] * b; }
};

// As kz_gemm_main_loop, but each chunk is summed by itself. While one consumer adds, the other's products run.
template <typename G>
static __device__ __forceinline__ void kz_gemm_promoting_loop(kz_gemm_sums<G> &sums, kz_gemm_ring<G> &ring,
                                                              unsigned row, const kz_gemm_segment &segment,
                                                              const kz_gemm_corner &tile,
                                                              const kz_gemm_scales &scales, unsigned chunks) {
    const int each = G::TILE_N / 2;
    kz_gemm_sums<G> part;
    kz_gemm_factors<G> factors, next;
    unsigned end = __shfl_sync(KZ_ALL_LANES, segment.first + segment.count, 0);
    ring.stage = __shfl_sync(KZ_ALL_LANES, ring.stage, 0); // as in the main loop
    ring.parity = __shfl_sync(KZ_ALL_LANES, ring.parity, 0);
    if (segment.count > 0) factors.load(scales, tile.m + row, tile.n, segment.first, chunks);
#pragma unroll
    for (int i = 0; i < kz_gemm_sizes<G>::SLABS * each; i++) sums.at[i / each][i % each] = 0.0f;
    for (unsigned chunk = segment.first; chunk < end; chunk++, ring.advance()) {
        kz_barrier_wait(ring.full + 8 * ring.stage, ring.parity);
        kz_gemm_multiply<G>(part, ring.chunk(), row, false);
        if (chunk + 1 < end) next.load(scales, tile.m + row, tile.n, chunk + 1, chunks);
        kz_wgmma_wait<0>();
#pragma unroll
        for (int s = 0; s < kz_gemm_sizes<G>::SLABS; s++) kz_wgmma_pin(part.at[s]);
        ring.release(ring.stage);
#pragma unroll
        for (int i = 0; i < kz_gemm_sizes<G>::SLABS * each; i++) {
            float &sum = sums.at[i / each][i % each], more = part.at[i / each][i % each];
            sum = G::BLOCK_SCALES ? fmaf(factors.of(i / each, i % each), more, sum) : sum + more;
        }
        factors = next;
    }
}

// ---- what becomes of the sums -----------------------------------------------------------------------------

static __device__ __forceinline__ uint32_t kz_pack_pair(kz_bf16, float low, float high) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}
static __device__ __forceinline__ uint32_t kz_pack_pair(kz_f16, float low, float high) {
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

// Where c is, for KZ_STORE_DIRECT, and the product's size.
template <typename Out> struct kz_gemm_out {
    Out *c;
    size_t m, n;
    size_t pitch, batch_pitch; // elements from a row to the next, 0: no gap; from a product's c to the next
    bool tensor;               // KZ_STORE_EITHER: by the tensor map
};

// The sum that accumulator i of slab s belongs to, for this thread: of a consumer whose rows begin at row `first` of the tile.
template <typename G>
static __device__ __forceinline__ kz_place kz_gemm_place(const kz_gemm_out<typename G::Out> &out,
                                                         kz_gemm_corner tile, unsigned first, int s, int i) {
    const bool transposed = G::STORE == KZ_STORE_TRANSPOSED;
    int row = (int)(first + kz_warp() % 4 * 16 + kz_lane() / 4), column = (int)(kz_lane() % 4 * 2);
    return {tile.m + s * 64 + row + i / 2 % 2 * 8,
            tile.n + i / 4 * 8 + column,
            tile.batch,
            (int)(transposed ? out.n : out.m),
            (int)(transposed ? out.m : out.n),
            s * 2 + i / 2 % 2,
            kz_gemm_sizes<G>::SLABS * 2,
            transposed,
            false,
            G::STORE == KZ_STORE_TENSOR};
}

template <typename G, typename T>
static __device__ __forceinline__ void kz_gemm_put(const kz_gemm_out<typename G::Out> &out,
                                                   const kz_place &place, int i, T value) {
    size_t r = (unsigned)place.m, c = (unsigned)(place.n + i);
    const bool transposed = G::STORE == KZ_STORE_TRANSPOSED;
    size_t pitch = out.pitch ? out.pitch : transposed ? out.m : out.n;
    size_t at = place.batch * out.batch_pitch + (transposed ? c * pitch + r : r * pitch + c);
    if (r < out.m && c < out.n) kz_narrow(&out.c[at], value);
}

// The consumer's sums, which begin at row `first` of the tile; with CLUSTER_K those of this block's columns.
template <typename G, typename E>
static __device__ __forceinline__ void kz_gemm_store_direct(const kz_gemm_sums<G> &sums, E &epilogue,
                                                            const kz_gemm_out<typename G::Out> &out,
                                                            kz_gemm_corner tile, unsigned first) {
    const int own = G::TILE_N / 2 / G::CLUSTER_K;
    int part = G::CLUSTER_K > 1 ? (int)kz_cluster_rank() : 0;
    kz_gemm_out<typename G::Out> c = out;
    if (E::HALVES) c.n = out.n / 2;
#pragma unroll
    for (int s = 0; s < kz_gemm_sizes<G>::SLABS; s++)
#pragma unroll
        for (int i = 0; i < G::TILE_N / 2; i += 2) {
            if (G::CLUSTER_K > 1 && i / own != part) continue;
            kz_place at = kz_gemm_place<G>(out, tile, first, s, i);
            if constexpr (E::STEPS > 0) {
                kz_pair v = {(float)sums.at[s][i], (float)sums.at[s][i + 1]};
                epilogue.apply(v, at);
                kz_gemm_put<G>(c, at, 0, v.x);
                if (!E::HALVES) kz_gemm_put<G>(c, at, 1, v.y);
            } else {
                kz_gemm_put<G>(out, at, 0, sums.at[s][i]);
                kz_gemm_put<G>(out, at, 1, sums.at[s][i + 1]);
            }
        }
}

// 64 rows x 128 bytes of c into a buffer, swizzled as the tensor map wants it. `units` has 16 columns of 16 bits, as wgmma has
// its sums of 16 columns: four for each pair of them.
static __device__ __forceinline__ void kz_gemm_stage_units(unsigned buffer, int column,
                                                           const uint32_t (&units)[4]) {
    unsigned row = kz_warp() % 4 * 16 + kz_lane() % 16, unit = column / 8 + kz_lane() / 16;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     buffer + row * KZ_GEMM_CHUNK + (unit ^ (row & 7)) * 16),
                 "r"(units[0]), "r"(units[1]), "r"(units[2]), "r"(units[3])
                 : "memory");
}
template <typename Half>
static __device__ __forceinline__ void kz_gemm_stage_halves(Half type, const float *sums, unsigned buffer) {
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const float *e = sums + 8 * q; // 16 columns
        uint32_t units[] = {kz_pack_pair(type, e[0], e[1]), kz_pack_pair(type, e[2], e[3]),
                            kz_pack_pair(type, e[4], e[5]), kz_pack_pair(type, e[6], e[7])};
        kz_gemm_stage_units(buffer, 16 * q, units);
    }
}
static __device__ __forceinline__ void kz_gemm_stage(kz_bf16 type, const float *sums, unsigned buffer) {
    kz_gemm_stage_halves(type, sums, buffer);
}
static __device__ __forceinline__ void kz_gemm_stage(kz_f16 type, const float *sums, unsigned buffer) {
    kz_gemm_stage_halves(type, sums, buffer);
}

// Of four lanes that hold columns q and 4 + q, q from 0 to 3, each gets its two neighbours: 2 q and 2 q + 1.
static __device__ __forceinline__ uint32_t kz_gemm_neighbours(uint32_t pair) {
    unsigned q = kz_lane() % 4, from = kz_lane() - q + q % 2 * 2;
    uint32_t low = __shfl_sync(KZ_ALL_LANES, pair, from), high = __shfl_sync(KZ_ALL_LANES, pair, from + 1);
    return __byte_perm(low, high, q < 2 ? 0x5410 : 0x7632);
}
// What kz_gate made: for each 8 columns of the product, one value in each of two rows.
template <typename Half>
static __device__ __forceinline__ void kz_gemm_stage_gated(Half type, const float *values, unsigned buffer) {
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const float *e = values + 8 * q; // 16 columns of c
        uint32_t units[] = {kz_gemm_neighbours(kz_pack_pair(type, e[0], e[2])),
                            kz_gemm_neighbours(kz_pack_pair(type, e[1], e[3])),
                            kz_gemm_neighbours(kz_pack_pair(type, e[4], e[6])),
                            kz_gemm_neighbours(kz_pack_pair(type, e[5], e[7]))};
        kz_gemm_stage_units(buffer, 16 * q, units);
    }
}
static __device__ __forceinline__ void kz_gemm_stage(float, const float *sums, unsigned buffer) {
    unsigned lane = kz_lane(), row = kz_warp() % 4 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < 16; i += 2) {
        unsigned r = row + i / 2 % 2 * 8, unit = i / 4 * 2 + lane % 4 / 2;
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(buffer + r * KZ_GEMM_CHUNK +
                                                              (unit ^ (r & 7)) * 16 + lane % 2 * 8),
                     "f"(sums[i]), "f"(sums[i + 1])
                     : "memory");
    }
}

static __device__ __forceinline__ void kz_gemm_stage(int, const int *sums, unsigned buffer) {
    kz_gemm_stage(0.0f, (const float *)sums, buffer);
}

// What the epilogue makes of `columns` columns of c, from column `at` on, in slab s.
template <typename G, typename E>
static __device__ __forceinline__ void
kz_gemm_values(const kz_gemm_sums<G> &sums, E &epilogue, const kz_gemm_out<typename G::Out> &out,
               kz_gemm_corner tile, unsigned first, int s, int at, float *values, int columns) {
    const int pairs = E::HALVES ? columns / 2 : columns / 4; // of which one or two values become
    // Addresses are computed anew for each part: kept from one to the next they would cost the registers of many sums.
    asm volatile("" : "+r"(tile.m), "+r"(tile.n));
#pragma unroll
    for (int i = 0; i < pairs; i++) {
        int sum = (E::HALVES ? at : at / 2) + 2 * i;
        kz_pair v = {(float)sums.at[s][sum], (float)sums.at[s][sum + 1]};
        kz_place place = kz_gemm_place<G>(out, tile, first, s, sum);
        epilogue.apply(v, place);
        if (E::HALVES)
            values[i] = v.x;
        else
            values[2 * i] = v.x, values[2 * i + 1] = v.y;
    }
}

// By way of two buffers: one is filled while the tensor map's copy reads the other. Copies go on during the next tile.
template <typename G, typename E>
static __device__ __forceinline__ void
kz_gemm_store_parts(const kz_gemm_sums<G> &sums, E &epilogue, const kz_gemm_out<typename G::Out> &out,
                    const kz_tensor_map *c, unsigned buffers, unsigned &buffer, kz_gemm_corner tile,
                    unsigned first, unsigned group) {
    const int columns = KZ_GEMM_CHUNK / sizeof(typename G::Out), width = G::TILE_N / (E::HALVES ? 2 : 1);
    bool leader = threadIdx.x % KZ_WARPGROUP == 0;
    typename G::Out type;
#pragma unroll
    for (int s = 0; s < kz_gemm_sizes<G>::SLABS; s++)
#pragma unroll
        for (int next = 0; next < width; next += columns) {
            // The last box may overlap the one before: the same values, where steps may see a pair twice.
            static_assert(E::AGAIN || width % columns == 0, "a step sees each pair once");
            const int at = next + columns <= width ? next : width - columns;
            float values[columns / 2];
            if constexpr (E::STEPS > 0)
                kz_gemm_values<G>(sums, epilogue, out, tile, first, s, at, values, columns);
            unsigned to = buffers + buffer * KZ_GEMM_SLAB;
            if (leader) kz_bulk_wait_read_but<KZ_GEMM_STORE_BUFFERS - 1>();
            kz_named_sync(1 + group, KZ_WARPGROUP);
            if constexpr (E::HALVES)
                kz_gemm_stage_gated(type, values, to);
            else if constexpr (E::STEPS > 0)
                kz_gemm_stage(type, values, to);
            else
                kz_gemm_stage(type, sums.at[s] + at / 2, to);
            kz_bulk_fence();
            kz_named_sync(1 + group, KZ_WARPGROUP);
            if (leader) {
                kz_tensor_store_3d(c, tile.n / (E::HALVES ? 2 : 1) + at, tile.m + (int)first + s * 64,
                                   G::GROUPED ? 0 : tile.batch, to);
                kz_bulk_commit();
            }
            buffer = (buffer + 1) % KZ_GEMM_STORE_BUFFERS;
        }
}

// The same for a chain that is alpha * sum + beta * c: where beta is 0, nothing is left of c.
template <typename G, typename T>
static __device__ __forceinline__ void
kz_gemm_store_tensor(const kz_gemm_sums<G> &sums, kz_chain<kz_linear<T>> &linear,
                     const kz_gemm_out<typename G::Out> &out, const kz_tensor_map *c, unsigned buffers,
                     unsigned &buffer, kz_gemm_corner tile, unsigned first, unsigned group) {
    kz_chain<kz_scale> scale = {{linear.first.alpha}, {}};
    if (linear.first.beta == 0.0f)
        kz_gemm_store_parts<G>(sums, scale, out, c, buffers, buffer, tile, first, group);
    else if constexpr (G::TILE_N * sizeof(typename G::Out) % KZ_GEMM_CHUNK == 0) // else: not by a tensor map
        kz_gemm_store_parts<G>(sums, linear, out, c, buffers, buffer, tile, first, group);
}
template <typename G, typename E>
static __device__ __forceinline__ void
kz_gemm_store_tensor(const kz_gemm_sums<G> &sums, E &epilogue, const kz_gemm_out<typename G::Out> &out,
                     const kz_tensor_map *c, unsigned buffers, unsigned &buffer, kz_gemm_corner tile,
                     unsigned first, unsigned group) {
    kz_gemm_store_parts<G>(sums, epilogue, out, c, buffers, buffer, tile, first, group);
}

// ---- tiles of several workers ----------------------------------------------------------------------------------

// Whether a worker's partial sums are there, by block and consumer. Whoever has added them takes the flag back, so all are
// down at a kernel's end.
enum { KZ_GEMM_FLAGS = 1024 };
static __device__ unsigned kz_gemm_flags[KZ_GEMM_FLAGS];

// The place of a consumer's sums: a column of [sum][thread].
template <typename G>
static __device__ __forceinline__ float *kz_gemm_partial(const kz_gemm_schedule &s, unsigned block) {
    const size_t each = G::TILE_N / 2 * kz_gemm_sizes<G>::SLABS * KZ_WARPGROUP;
    return s.partials + (block * G::CONSUMERS + threadIdx.x / KZ_WARPGROUP) * each +
           threadIdx.x % KZ_WARPGROUP;
}

template <typename G>
static __device__ __forceinline__ void kz_gemm_publish(const kz_gemm_sums<G> &sums,
                                                       const kz_gemm_schedule &s) {
    unsigned group = threadIdx.x / KZ_WARPGROUP;
    float *to = kz_gemm_partial<G>(s, blockIdx.x);
#pragma unroll
    for (int i = 0; i < kz_gemm_sizes<G>::SLABS * G::TILE_N / 2; i++)
        __stcg(to + i * KZ_WARPGROUP, sums.at[i / (G::TILE_N / 2)][i % (G::TILE_N / 2)]);
    __threadfence();
    kz_named_sync(1 + group, KZ_WARPGROUP);
    if (threadIdx.x % KZ_WARPGROUP == 0)
        asm volatile(
            "st.release.gpu.global.u32 [%0], 1;" ::"l"(&kz_gemm_flags[blockIdx.x * G::CONSUMERS + group])
            : "memory");
}

template <typename G>
static __device__ __forceinline__ void kz_gemm_add(kz_gemm_sums<G> &sums, const kz_gemm_schedule &s,
                                                   unsigned block) {
    unsigned group = threadIdx.x / KZ_WARPGROUP, there = 0;
    unsigned *flag = &kz_gemm_flags[block * G::CONSUMERS + group];
    if (threadIdx.x % KZ_WARPGROUP == 0) {
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(there) : "l"(flag) : "memory");
        while (!there);
        *flag = 0;
    }
    kz_named_sync(1 + group, KZ_WARPGROUP);
    const float *from = kz_gemm_partial<G>(s, block);
#pragma unroll
    for (int i = 0; i < kz_gemm_sizes<G>::SLABS * G::TILE_N / 2; i++)
        sums.at[i / (G::TILE_N / 2)][i % (G::TILE_N / 2)] += __ldcg(from + i * KZ_WARPGROUP);
}

// Adds what the workers behind this one have of the tile whose first `count` chunks are in `sums`.
template <typename G>
static __device__ __forceinline__ void kz_gemm_finish(kz_gemm_sums<G> &sums, const kz_gemm_schedule &s,
                                                      unsigned count, unsigned rank) {
    unsigned worker = kz_gemm_worker<G>();
    while (count < s.chunks) {
        worker++;
        unsigned share = kz_gemm_share<G>(s, worker + 1) - kz_gemm_share<G>(s, worker);
        if (share > 0)
            kz_gemm_add<G>(sums, s, (kz_gemm_workers<G>() - 1 - worker) * kz_gemm_sizes<G>::CLUSTER + rank);
        count += share;
    }
}

// ---- a tile of a whole cluster -----------------------------------------------------------------------------------

// Each block sends the others the sums of their columns, and adds what they send: [sender][sum][thread] floats where the
// ring was. All threads of the cluster meet twice: when nobody needs the ring any more, and when all has arrived.
template <typename G>
static __device__ __forceinline__ void kz_gemm_exchange(kz_gemm_sums<G> &sums, const kz_gemm_ring<G> &ring) {
    const int own = G::TILE_N / 2 / G::CLUSTER_K, slabs = kz_gemm_sizes<G>::SLABS,
              threads = G::CONSUMERS * KZ_WARPGROUP;
    int rank = (int)kz_cluster_rank();
    kz_cluster_sync();
#pragma unroll
    for (int s = 0; s < slabs; s++)
#pragma unroll
        for (int i = 0; i < G::TILE_N / 2; i++) {
            if (i / own == rank) continue;
            unsigned to = ring.stages + 4 * (((rank * slabs + s) * own + i % own) * threads + threadIdx.x);
            asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; st.shared::cluster.f32 "
                         "[there], %2; }" ::"r"(to),
                         "r"(i / own), "f"(sums.at[s][i])
                         : "memory");
        }
    kz_cluster_sync();
#pragma unroll
    for (int s = 0; s < slabs; s++)
#pragma unroll
        for (int i = 0; i < G::TILE_N / 2; i++) {
            if (i / own != rank) continue;
            for (int sender = 0; sender < G::CLUSTER_K; sender++) {
                if (sender == rank) continue;
                unsigned from =
                    ring.stages + 4 * (((sender * slabs + s) * own + i % own) * threads + threadIdx.x);
                float value;
                asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(from) : "memory");
                sums.at[s][i] += value;
            }
        }
}

// ---- the whole -------------------------------------------------------------------------------------------------

// Named barriers 1 and up: a consumer's own; ORDER + 0 and ORDER + 1: whose turn it is to multiply.
enum { KZ_GEMM_ORDER_BARRIER = 6 };

template <typename G, typename E>
static __device__ __forceinline__ void
kz_gemm_consume(kz_gemm_ring<G> ring, const kz_tensor_map *map, kz_gemm_out<typename G::Out> out,
                kz_gemm_schedule schedule, E epilogue, const kz_gemm_scales &scales) {
    typedef kz_gemm_sizes<G> sizes;
    unsigned group = __shfl_sync(KZ_ALL_LANES, threadIdx.x / KZ_WARPGROUP, 0);
    unsigned rank = kz_gemm_rank<G>(), buffer = 0, turn = 0;
    unsigned row = G::PING_PONG ? 0 : group * sizes::ROWS;
    ring.store += group * KZ_GEMM_STORE_BUFFERS * KZ_GEMM_SLAB;
    if (G::PING_PONG && group == 1) // the other goes first
        kz_named_arrive(KZ_GEMM_ORDER_BARRIER, 2 * KZ_WARPGROUP);
    kz_gemm_sums<G> sums;
    kz_gemm_segment segment;
    while (kz_gemm_next<G>(schedule, segment)) {
        if (G::PING_PONG && turn++ % 2 != group) { // the other's tile
            ring.skip(segment.count);
            continue;
        }
        kz_gemm_corner tile = kz_gemm_corner_of<G>(schedule, segment.tile, rank);
        if (G::PING_PONG) kz_named_sync(KZ_GEMM_ORDER_BARRIER + group, 2 * KZ_WARPGROUP);
        if constexpr (G::PROMOTE)
            kz_gemm_promoting_loop<G>(sums, ring, row, segment, tile, scales, schedule.chunks);
        else if constexpr (G::SPARSE)
            kz_gemm_sparse_loop<G>(sums, ring, row, segment.count);
        else
            kz_gemm_main_loop<G>(sums, ring, row, segment.count);
        if (G::PING_PONG && schedule.next < kz_gemm_tiles(schedule.order))
            kz_named_arrive(KZ_GEMM_ORDER_BARRIER + (group ^ 1), 2 * KZ_WARPGROUP);
        if constexpr (G::STREAM_K) {
            if (segment.first > 0) {
                kz_gemm_publish<G>(sums, schedule);
                continue;
            }
            kz_gemm_finish<G>(sums, schedule, segment.count, rank);
        }
        if constexpr (G::CLUSTER_K > 1) kz_gemm_exchange<G>(sums, ring);
        if (G::GROUPED) out.m = tile.end; // rows of the next group are not this one's
        kz_place place = kz_gemm_place<G>(out, tile, row, 0, 0);
        epilogue.begin(place);
        bool tensor = G::STORE == KZ_STORE_TENSOR || (sizes::BUFFERED && out.tensor);
        if (G::GROUPED) tensor = tensor && tile.m + (int)row + sizes::ROWS <= tile.end;
        if constexpr (sizes::BUFFERED)
            if (tensor)
                kz_gemm_store_tensor<G>(sums, epilogue, out, map, ring.store, buffer, tile, row, group);
        if constexpr (G::STORE != KZ_STORE_TENSOR || G::GROUPED)
            if (!tensor) kz_gemm_store_direct<G>(sums, epilogue, out, tile, row);
        epilogue.end(place);
    }
    if (sizes::BUFFERED && threadIdx.x % KZ_WARPGROUP == 0) kz_bulk_wait();
}

// c = epilogue(a * b)
template <typename G, typename E = kz_chain<>>
static __device__ __forceinline__ void
kz_gemm_run(const kz_tensor_map *a, const kz_tensor_map *b, const kz_tensor_map *c,
            const kz_gemm_out<typename G::Out> &out, const kz_gemm_order &order, size_t k,
            const E &epilogue = E(), unsigned split_tiles = 0, float *partials = NULL,
            const kz_gemm_scales &scales = {}, const kz_tensor_map *metadata = NULL) {
    typedef kz_gemm_sizes<G> sizes;
    extern __shared__ char kz_gemm_memory[];
    kz_gemm_ring<G> ring(kz_gemm_memory);
    unsigned chunks = (unsigned)((k + sizes::DEPTH - 1) / sizes::DEPTH) * G::PARTS;
    kz_gemm_schedule schedule = kz_gemm_plan<G>(order, chunks, split_tiles, partials);
    if (threadIdx.x == 0) {
        for (int i = 0; i < G::STAGES; i++) {
            kz_barrier_init(ring.full + 8 * i, 1);
            kz_barrier_init(ring.empty + 8 * i, 4 * (G::PING_PONG ? 1 : G::CONSUMERS) * sizes::SHARING);
        }
        kz_barrier_init_fence();
        kz_tensor_prefetch(a), kz_tensor_prefetch(b);
        if (sizes::BUFFERED) kz_tensor_prefetch(c);
        if (G::SPARSE) kz_tensor_prefetch(metadata);
    }
    if (sizes::CLUSTER > 1)
        kz_cluster_sync();
    else
        __syncthreads();
    // What came before in the stream is done from here on; what comes behind may begin when blocks leave.
    kz_wait_for_predecessor();
    if (G::GROUPED) kz_gemm_take_group(schedule);
    kz_let_successor_begin();
    if (threadIdx.x >= KZ_WARPGROUP * G::CONSUMERS) {
        kz_registers_give<sizes::PRODUCER_REGISTERS>();
        if (threadIdx.x == KZ_WARPGROUP * G::CONSUMERS) kz_gemm_produce<G>(ring, a, b, metadata, schedule);
        if (G::CLUSTER_K > 1) {
            __syncwarp();
            kz_cluster_sync(), kz_cluster_sync();
        }
    } else {
        kz_registers_take<sizes::CONSUMER_REGISTERS>();
        kz_gemm_consume<G>(ring, c, out, schedule, epilogue, scales);
    }
}

#endif
