// The frame of matrix products (kz/device/gemm.cuh): sums pass the epilogue and go to c, directly or by a tensor map.
#ifndef KZ_GEMM_STORE_CUH
#define KZ_GEMM_STORE_CUH

#include "kz/device/epilogue.cuh"
#include "kz/device/gemm_pipeline.cuh"

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
static __device__ __forceinline__ kz_position kz_gemm_position(const kz_gemm_out<typename G::Out> &out,
                                                               kz_gemm_corner tile, unsigned first, int s,
                                                               int i) {
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
                                                   const kz_position &place, int i, T value) {
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
            kz_position at = kz_gemm_position<G>(out, tile, first, s, i);
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

// Bytes: 64 columns from `column` on. A lane has two neighbours of each 8 columns; four lanes exchange them within 16.
template <typename Byte>
static __device__ __forceinline__ void kz_gemm_stage_bytes(Byte type, const float *values, unsigned buffer,
                                                           int column) {
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const float *e = values + 16 * q; // 32 columns
        uint32_t units[] = {kz_gemm_neighbours(kz_pack_four(type, e[0], e[1], e[4], e[5])),
                            kz_gemm_neighbours(kz_pack_four(type, e[2], e[3], e[6], e[7])),
                            kz_gemm_neighbours(kz_pack_four(type, e[8], e[9], e[12], e[13])),
                            kz_gemm_neighbours(kz_pack_four(type, e[10], e[11], e[14], e[15]))};
        kz_gemm_stage_units(buffer, column / 2 + 16 * q, units);
    }
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
        kz_position place = kz_gemm_position<G>(out, tile, first, s, sum);
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
    // A part's values at once; of bytes half of them, for they are as many as a thread has registers for.
    const bool bytes = sizeof(typename G::Out) == 1;
    const int ready = bytes ? columns / 2 : columns;
    static_assert(!bytes || (!E::HALVES && E::STEPS > 0), "bytes of gated columns, or without a step");
    bool leader = threadIdx.x % KZ_WARPGROUP == 0;
    typename G::Out type;
#pragma unroll
    for (int s = 0; s < kz_gemm_sizes<G>::SLABS; s++)
#pragma unroll
        for (int next = 0; next < width; next += columns) {
            // The last box may overlap the one before: the same values, where steps may see a pair twice.
            static_assert(E::AGAIN || width % columns == 0, "a step sees each pair once");
            const int at = next + columns <= width ? next : width - columns;
            float values[ready / 2];
            if constexpr (E::STEPS > 0)
                kz_gemm_values<G>(sums, epilogue, out, tile, first, s, at, values, ready);
            unsigned to = buffers + buffer * KZ_GEMM_SLAB;
            if (leader) kz_bulk_wait_read_but<KZ_GEMM_STORE_BUFFERS - 1>();
            kz_named_sync(1 + group, KZ_WARPGROUP);
            if constexpr (bytes) {
                kz_gemm_stage_bytes(type, values, to, 0);
                kz_gemm_values<G>(sums, epilogue, out, tile, first, s, at + ready, values, ready);
                kz_gemm_stage_bytes(type, values, to, ready);
            } else if constexpr (E::HALVES)
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

#endif
