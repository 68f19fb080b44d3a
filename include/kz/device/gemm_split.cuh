// The frame of matrix products (kz/device/gemm.cuh): sums of several blocks for one tile, through memory or in a cluster.
#ifndef KZ_GEMM_SPLIT_CUH
#define KZ_GEMM_SPLIT_CUH

#include "kz/device/gemm_pipeline.cuh"

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

#endif
