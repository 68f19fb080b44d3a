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
//     NARROW_N           the last columns' tiles have so many columns; kz_gemm_order says how many are narrow, and a second map of b
//                        has boxes of so many rows
//     STREAM_K           the first tiles are shared out evenly by chunks of k (below)
//     SPLIT_K            the products of a batch are parts of one, each an equal share of its chunks along k; a and b are shared
//     GROUPED            rows of a and c are divided among several b (below)
//     RAW_STAGES         rows of a and b begin anywhere: the producer's warps copy them, so many chunks ahead (gemm_odd.cuh)
//     PARTS              3: operands are sums of a high and a low part, coordinates 0 and 1 of their maps' third dimension;
//                        c = high * high + high * low + low * high
//     PROMOTE            the sums of each chunk are added to others in f32, for tensor cores that keep fewer bits (fp8)
//     TWO_SETS           of sums, where they are promoted: one chunk's products run while those of the one before are added
//     BLOCK_SCALES       and times factors: each row of a has one for every chunk, b one for 128 rows and every chunk
//     SPARSE             of every four elements of a along k two are stored; which, says the metadata, a word of each thread
//                        for each chunk, in the order of kz_wgmma_sparse; its map: thread, chunk, slab of 64 rows
//
// and what becomes of the sums by an epilogue (kz/device/epilogue.cuh).
#ifndef KZ_GEMM_CUH
#define KZ_GEMM_CUH

#include "kz/device/gemm_odd.cuh"
#include "kz/device/gemm_split.cuh"
#include "kz/device/gemm_store.cuh"

// ---- the whole -------------------------------------------------------------------------------------------------

// Named barriers 1 and up: a consumer's own; ORDER + 0 and ORDER + 1: whose turn it is to multiply.
enum { KZ_GEMM_ORDER_BARRIER = 6 };

// One tile of a kernel of two widths. Sums begin as zeros, which nobody reads: so they live for the tile alone, and those of both
// widths have the same registers.
template <typename G, typename Ring, typename E>
static __device__ __forceinline__ void
kz_gemm_take_tile(Ring &ring, const kz_tensor_map *map, const kz_gemm_out<typename G::Out> &out, E &epilogue,
                  kz_gemm_corner tile, unsigned chunks, unsigned row, unsigned group, unsigned &buffer) {
    kz_gemm_sums<G> sums;
#pragma unroll
    for (int i = 0; i < kz_gemm_sizes<G>::SLABS * G::TILE_N / 2; i++)
        sums.at[i / (G::TILE_N / 2)][i % (G::TILE_N / 2)] = 0.0f;
    kz_gemm_main_loop<G>(sums, ring, row, chunks);
    kz_position place = kz_gemm_position<G>(out, tile, row, 0, 0);
    epilogue.begin(place);
    kz_gemm_store_tensor<G>(sums, epilogue, out, map, ring.store, buffer, tile, row, group);
    epilogue.end(place);
}

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
        if constexpr (G::NARROW_N > 0) {
            if (tile.narrow)
                kz_gemm_take_tile<kz_gemm_narrow<G>>(ring, map, out, epilogue, tile, segment.count, row,
                                                     group, buffer);
            else
                kz_gemm_take_tile<G>(ring, map, out, epilogue, tile, segment.count, row, group, buffer);
            continue;
        }
        if (G::PING_PONG) kz_named_sync(KZ_GEMM_ORDER_BARRIER + group, 2 * KZ_WARPGROUP);
        if constexpr (G::PROMOTE && G::TWO_SETS)
            kz_gemm_two_sets_loop<G>(sums, ring, row, segment, tile, scales, schedule.chunks);
        else if constexpr (G::PROMOTE)
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
        kz_position place = kz_gemm_position<G>(out, tile, row, 0, 0);
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

// c = epilogue(a * b). Where RAW_STAGES count, a and b are NULL, and a_rows and b_rows are the operands. `more`: the metadata of a sparse a, or b by boxes of NARROW_N rows.
template <typename G, typename E = kz_chain<>>
static __device__ __forceinline__ void
kz_gemm_run(const kz_tensor_map *a, const kz_tensor_map *b, const kz_tensor_map *c,
            const kz_gemm_out<typename G::Out> &out, const kz_gemm_order &order, size_t k,
            const E &epilogue = E(), unsigned split_tiles = 0, float *partials = NULL,
            const kz_gemm_scales &scales = {}, const kz_tensor_map *more = NULL,
            const kz_gemm_rows<typename G::In> &a_rows = {},
            const kz_gemm_rows<typename G::In> &b_rows = {}) {
    typedef kz_gemm_sizes<G> sizes;
    extern __shared__ char kz_gemm_memory[];
    kz_gemm_ring<G> ring(kz_gemm_memory);
    unsigned chunks = (unsigned)((k + sizes::DEPTH - 1) / sizes::DEPTH) * G::PARTS;
    kz_gemm_schedule schedule = kz_gemm_plan<G>(order, chunks, split_tiles, partials);
    if (threadIdx.x == 0) {
        for (int i = 0; i < G::STAGES; i++) {
            kz_barrier_init(ring.full + 8 * i, G::RAW_STAGES > 0 ? KZ_WARPGROUP : 1);
            kz_barrier_init(ring.empty + 8 * i, 4 * (G::PING_PONG ? 1 : G::CONSUMERS) * sizes::SHARING);
        }
        kz_barrier_init_fence();
        if (G::RAW_STAGES == 0) kz_tensor_prefetch(a), kz_tensor_prefetch(b);
        if (sizes::BUFFERED) kz_tensor_prefetch(c);
        if (G::SPARSE || G::NARROW_N > 0) kz_tensor_prefetch(more);
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
        if constexpr (G::RAW_STAGES > 0) { // which needs its registers
            kz_gemm_produce_odd<G>(ring, a_rows, b_rows, (int)k, schedule);
            return;
        }
        kz_registers_give<sizes::PRODUCER_REGISTERS>();
        if (threadIdx.x == KZ_WARPGROUP * G::CONSUMERS) kz_gemm_produce<G>(ring, a, b, more, schedule);
        if (G::CLUSTER_K > 1) {
            __syncwarp();
            kz_cluster_sync(), kz_cluster_sync();
        }
    } else {
        if (G::RAW_STAGES == 0) kz_registers_take<sizes::CONSUMER_REGISTERS>();
        kz_gemm_consume<G>(ring, c, out, schedule, epilogue, scales);
    }
}

#endif
