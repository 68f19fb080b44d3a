// The frame of matrix products (kz/device/gemm.cuh): operands of 16 bits whose rows begin anywhere, which no tensor map takes.
//
// The producer's four warps copy them by cp.async, from the 16 aligned bytes in which a row's part begins, to raw rows of nine such
// units; then they move them from there, shifted into place and swizzled, to the stage. A warp does all this for rows of its
// own. A row of a stage is 64 elements along k, or along m or n where the operand is contiguous there; all rows of an operand are
// as far apart, so how far one is off is the same in every chunk.
#ifndef KZ_GEMM_ODD_CUH
#define KZ_GEMM_ODD_CUH

#include "kz/device/gemm_pipeline.cuh"

// An operand: `at` is a multiple of 16 bytes; rows lie `pitch` elements apart; the matrix ends before element `end`.
template <typename T> struct kz_gemm_rows {
    const T *at;
    size_t pitch, end;
};

// 16 bytes, of which `bytes` are read; the rest is zero.
static __device__ __forceinline__ void kz_async_copy(unsigned to, const void *from, unsigned bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// What a warp has of an operand's `rows` rows in a stage.
template <typename T, int rows, bool mn> struct kz_gemm_fetch {
    enum { OWN = rows / 4, COPIES = OWN * KZ_GEMM_RAW_UNITS, ROUNDS = (COPIES + KZ_WARP - 1) / KZ_WARP };
    const char *from[ROUNDS]; // of this lane's copies, in the next chunk
    const char *end;
    size_t step;           // bytes from a chunk to the next
    unsigned pitch, first; // of rows; this warp's first one
    const T *base;

    // From row `row` of the operand (where it is contiguous along k; else from that element of its rows) and `k` on.
    __device__ __forceinline__ void begin(const kz_gemm_rows<T> &operand, int row, int k) {
        base = operand.at, end = (const char *)(operand.at + operand.end);
        pitch = (unsigned)operand.pitch, first = kz_warp() % 4 * OWN;
        step = (mn ? 64 * operand.pitch : 64) * sizeof(T);
#pragma unroll
        for (int i = 0; i < ROUNDS; i++) {
            unsigned copy = kz_lane() + i * KZ_WARP, r = first + copy / KZ_GEMM_RAW_UNITS;
            size_t element = mn ? (size_t)(k + r % 64) * operand.pitch + row + r / 64 * 64
                                : (size_t)(row + r) * operand.pitch + k;
            from[i] = (const char *)(base + element / 8 * 8) + copy % KZ_GEMM_RAW_UNITS * 16;
        }
    }
    // Asks for the next chunk. What lies past the operand's end, and so all rows that it does not have, is zero. A warp's rows
    // ascend, so its last copy says whether all are inside.
    __device__ __forceinline__ void ask(unsigned raw) {
        raw += (first * KZ_GEMM_RAW_UNITS + kz_lane()) * 16;
        if (__all_sync(KZ_ALL_LANES, from[ROUNDS - 1] + 16 <= end))
            copy<true>(raw);
        else
            copy<false>(raw);
#pragma unroll
        for (int i = 0; i < ROUNDS; i++) from[i] += step;
    }
    template <bool inside> __device__ __forceinline__ void copy(unsigned raw) const {
#pragma unroll
        for (int i = 0; i < ROUNDS; i++) {
            if (COPIES % KZ_WARP != 0 && kz_lane() + i * KZ_WARP >= COPIES) continue;
            ptrdiff_t left = inside ? 16 : end - from[i];
            kz_async_copy(raw + i * KZ_WARP * 16, left > 0 ? from[i] : (const char *)base,
                          left <= 0   ? 0
                          : left < 16 ? (unsigned)left
                                      : 16);
        }
    }
    // What has landed, to the stage: a lane has two elements of each row, of which those in `keep` are part of it.
    __device__ __forceinline__ void place(unsigned raw, unsigned stage, uint32_t keep) const {
        unsigned lane = kz_lane();
#pragma unroll 8
        for (unsigned i = 0; i < OWN; i++) {
            unsigned r = first + i, shift = r * pitch % 8; // elements
            unsigned words = raw + r * KZ_GEMM_RAW_UNITS * 16 + (lane + shift / 2) * 4, low, high;
            asm volatile("ld.shared.b32 %0, [%1];" : "=r"(low) : "r"(words) : "memory");
            asm volatile("ld.shared.b32 %0, [%1];" : "=r"(high) : "r"(words + 4) : "memory");
            uint32_t two = __funnelshift_r(low, high, shift % 2 * 16) & keep;
            asm volatile("st.shared.b32 [%0], %1;" ::"r"(stage + r * KZ_GEMM_CHUNK + (lane / 4 ^ r % 8) * 16 +
                                                         lane % 4 * 4),
                         "r"(two)
                         : "memory");
        }
    }
};

// The elements of a lane that belong to a row of which `left` are left.
static __device__ __forceinline__ uint32_t kz_gemm_keep(int left) {
    int own = left - 2 * (int)kz_lane();
    return own >= 2 ? 0xffffffffu : own == 1 ? 0xffffu : 0;
}

// By the producer's warpgroup. G::RAW_STAGES chunks are on their way or being moved.
template <typename G>
static __device__ __forceinline__ void
kz_gemm_produce_odd(kz_gemm_ring<G> ring, const kz_gemm_rows<typename G::In> &a,
                    const kz_gemm_rows<typename G::In> &b, int k, kz_gemm_schedule schedule) {
    typedef kz_gemm_sizes<G> sizes;
    const unsigned a_raw = G::TILE_M * KZ_GEMM_RAW_UNITS * 16, b_raw = G::TILE_N * KZ_GEMM_RAW_UNITS * 16;
    kz_gemm_fetch<typename G::In, G::TILE_M, G::A_MN> of_a;
    kz_gemm_fetch<typename G::In, G::TILE_N, G::B_MN> of_b;
    kz_gemm_segment segment;
    while (kz_gemm_next<G>(schedule, segment)) {
        kz_gemm_corner tile = kz_gemm_corner_of<G>(schedule, segment.tile, 0);
        int begin = (int)segment.first * sizes::DEPTH;
        of_a.begin(a, tile.m, begin), of_b.begin(b, tile.n, begin);
        unsigned asked = 0, at = 0;
        auto ask = [&]() {
            unsigned raw = ring.store + asked % G::RAW_STAGES * (a_raw + b_raw);
            if (asked < segment.count) of_a.ask(raw), of_b.ask(raw + a_raw);
            asked++;
            asm volatile("cp.async.commit_group;" ::: "memory"); // an empty one, too: groups are counted
        };
        for (int i = 1; i < G::RAW_STAGES; i++) ask();
        for (; at < segment.count; at++, ring.advance()) {
            ask();
            asm volatile("cp.async.wait_group %0;" ::"n"(G::RAW_STAGES - 1) : "memory");
            kz_barrier_wait(ring.empty + 8 * ring.stage, ring.parity ^ 1);
            __syncwarp(); // what the other lanes have copied is there, too
            unsigned raw = ring.store + at % G::RAW_STAGES * (a_raw + b_raw), to = ring.chunk();
            uint32_t keep = kz_gemm_keep(k - begin - (int)at * sizes::DEPTH);
            of_a.place(raw, to, G::A_MN ? 0xffffffffu : keep);
            of_b.place(raw + a_raw, to + sizes::A_BYTES, G::B_MN ? 0xffffffffu : keep);
            kz_bulk_fence();
            __syncwarp(); // raw rows are read
            kz_barrier_arrive(ring.full + 8 * ring.stage);
        }
    }
}

#endif
