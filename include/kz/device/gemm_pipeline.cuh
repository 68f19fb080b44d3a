// The frame of matrix products (kz/device/gemm.cuh): the ring of stages, the producer that fills it, and the loops of products
// that empty it.
#ifndef KZ_GEMM_PIPELINE_CUH
#define KZ_GEMM_PIPELINE_CUH

#include "kz/device/gemm_schedule.cuh"
#include "kz/device/wgmma.cuh"

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
                                                       const kz_tensor_map *b, const kz_tensor_map *more,
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
            if constexpr (G::NARROW_N > 0)
                if (tile.narrow) {
                    kz_barrier_arrive_expect(barrier, sizes::A_BYTES + G::NARROW_N * KZ_GEMM_CHUNK);
                    kz_gemm_copy<G::TILE_M, 1, G::A_MN>(to, a, at.k, tile.m, at.a, barrier, 0, 0);
                    kz_gemm_copy<G::NARROW_N, 1, G::B_MN>(to + sizes::A_BYTES, more, at.k, tile.n, at.b,
                                                          barrier, 0, 0);
                    continue;
                }
            kz_barrier_arrive_expect(barrier, sizes::STAGE_BYTES);
            kz_gemm_copy<G::TILE_M, G::CLUSTER_N, G::A_MN>(to, a, G::SPARSE ? at.k / 2 : at.k, tile.m, at.a,
                                                           barrier, across, in_row);
            kz_gemm_copy<G::TILE_N, G::CLUSTER_M, G::B_MN>(to + sizes::A_BYTES, b, at.k, tile.n, at.b,
                                                           barrier, down, in_column);
            if (G::SPARSE)
                kz_tensor_load_3d<false>(to + sizes::DENSE_BYTES, more, 0, (int)i, tile.m / 64, barrier, 0);
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
template <typename G, typename Ring>
static __device__ __forceinline__ void kz_gemm_main_loop(kz_gemm_sums<G> &sums, Ring &ring, unsigned row,
                                                         unsigned chunks) {
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

// sums += part, times the factors of its chunk.
template <typename G>
static __device__ __forceinline__ void kz_gemm_add_part(kz_gemm_sums<G> &sums, const kz_gemm_sums<G> &part,
                                                        const kz_gemm_factors<G> &factors) {
    const int each = G::TILE_N / 2;
#pragma unroll
    for (int i = 0; i < kz_gemm_sizes<G>::SLABS * each; i++) {
        float &sum = sums.at[i / each][i % each], more = part.at[i / each][i % each];
        sum = G::BLOCK_SCALES ? fmaf(factors.of(i / each, i % each), more, sum) : sum + more;
    }
}

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
        kz_gemm_add_part<G>(sums, part, factors);
        factors = next;
    }
}

// The same with two sets of sums: while one chunk's are added, the next one's products run.
template <typename G> struct kz_gemm_part {
    kz_gemm_sums<G> sums;
    kz_gemm_factors<G> factors;
};
template <typename G>
static __device__ __forceinline__ void kz_gemm_two_sets_loop(kz_gemm_sums<G> &sums, kz_gemm_ring<G> &ring,
                                                             unsigned row, const kz_gemm_segment &segment,
                                                             const kz_gemm_corner &tile,
                                                             const kz_gemm_scales &scales, unsigned chunks) {
    const int each = G::TILE_N / 2;
    kz_gemm_part<G> even, odd;
    unsigned end = __shfl_sync(KZ_ALL_LANES, segment.first + segment.count, 0), before = 0;
    ring.stage = __shfl_sync(KZ_ALL_LANES, ring.stage, 0); // as in the main loop
    ring.parity = __shfl_sync(KZ_ALL_LANES, ring.parity, 0);
#pragma unroll
    for (int i = 0; i < kz_gemm_sizes<G>::SLABS * each; i++) sums.at[i / each][i % each] = 0.0f;
    auto begin = [&](kz_gemm_part<G> &part, unsigned chunk) {
        kz_barrier_wait(ring.full + 8 * ring.stage, ring.parity);
        kz_gemm_multiply<G>(part.sums, ring.chunk(), row, false);
        part.factors.load(scales, tile.m + row, tile.n, chunk, chunks); // needed a chunk later
    };
    // What `part` has is there: all products but those begun last are done, or all.
    auto add = [&](kz_gemm_part<G> &part, unsigned stage) {
#pragma unroll
        for (int s = 0; s < kz_gemm_sizes<G>::SLABS; s++) kz_wgmma_pin(part.sums.at[s]);
        ring.release(stage);
        kz_gemm_add_part<G>(sums, part.sums, part.factors);
    };
    auto step = [&](kz_gemm_part<G> &next, kz_gemm_part<G> &part, unsigned chunk) {
        before = ring.stage;
        ring.advance();
        begin(next, chunk);
        kz_wgmma_wait<1>();
        add(part, before);
    };
    if (segment.count == 0) return;
    begin(even, segment.first);
    unsigned chunk = segment.first + 1;
    for (; chunk + 1 < end; chunk += 2) {
        step(odd, even, chunk);
        step(even, odd, chunk + 1);
    }
    if (chunk < end) {
        step(odd, even, chunk);
        kz_wgmma_wait<0>();
        add(odd, ring.stage);
    } else {
        kz_wgmma_wait<0>();
        add(even, ring.stage);
    }
    ring.advance();
}

#endif
