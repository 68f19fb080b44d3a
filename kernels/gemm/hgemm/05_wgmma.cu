// kz: sm 90a
// hgemm 05: wgmma and tensor maps
//
// Idea     Hopper's tensor cores read both operands from shared memory: no fragments, no ldmatrix. And one thread's copy by
//          a tensor map brings a whole tile, swizzled as wgmma wants it, zero where the matrix ends.
// Change   a warpgroup has 128 x 128 of c; thread 0 asks for a chunk of 64 of k, all wait for its bytes, multiply, wait.
// Expect   two instructions for each 64 x 128 x 16 products; no shared-memory store, no address arithmetic.
// Limit    load, wait, multiply, wait: nothing overlaps (06). Rows must begin at multiples of 16 bytes.

#include "hgemm.cuh"
#include "kz/device/tensor_copy.cuh"
#include "kz/device/wgmma.cuh"

enum {
    SIDE = HGEMM_WGMMA_TILE,
    DEPTH = 64,
    ROW_BYTES = 128,
    OPERAND_BYTES = SIDE * ROW_BYTES,
    SLAB_BYTES = 64 * ROW_BYTES
};

// K-major, one box: 128 rows of 64 of k. MN-major, two: 64 rows, one for each k, of 64 along m or n.
template <bool mn>
static __device__ __forceinline__ void copy(unsigned to, const kz_tensor_map *map, int row, int k,
                                            unsigned barrier) {
    if (mn) {
        kz_tensor_load_3d<false>(to, map, row, k, 0, barrier, 0);
        kz_tensor_load_3d<false>(to + SLAB_BYTES, map, row + 64, k, 0, barrier, 0);
    } else {
        kz_tensor_load_3d<false>(to, map, k, row, 0, barrier, 0);
    }
}

template <typename In, typename Out, bool a_mn, bool b_mn>
static __device__ __forceinline__ void multiply(const kz_tensor_map *a, const kz_tensor_map *b, Out *c,
                                                size_t m, size_t n, size_t k) {
    extern __shared__ char memory[];
    unsigned barrier = (kz_shared_address(memory) + 1023) / 1024 * 1024;
    unsigned a_tile = barrier + 1024, b_tile = a_tile + OPERAND_BYTES, parity = 0;
    size_t tiles = (n + SIDE - 1) / SIDE, row = blockIdx.x / tiles * SIDE, column = blockIdx.x % tiles * SIDE;
    if (threadIdx.x == 0) {
        kz_barrier_init(barrier, 1);
        kz_bulk_fence(); // copies see the barrier
    }
    __syncthreads();
    float sums[2][SIDE / 2]; // rows 0 to 63, and 64 to 127
    for (size_t at = 0; at < k; at += DEPTH, parity ^= 1) {
        if (threadIdx.x == 0) {
            kz_barrier_arrive_expect(barrier, 2 * OPERAND_BYTES);
            copy<a_mn>(a_tile, a, (int)row, (int)at, barrier);
            copy<b_mn>(b_tile, b, (int)column, (int)at, barrier);
        }
        kz_barrier_wait(barrier, parity);
        kz_wgmma_fence();
#pragma unroll
        for (int i = 0; i < DEPTH / 16; i++) {
            uint64_t right = kz_wgmma_tile(b_tile + i * (b_mn ? 16 * ROW_BYTES : 32), SLAB_BYTES);
#pragma unroll
            for (int s = 0; s < 2; s++) {
                uint64_t left =
                    kz_wgmma_tile(a_tile + s * SLAB_BYTES + i * (a_mn ? 16 * ROW_BYTES : 32), SLAB_BYTES);
                kz_wgmma<SIDE, a_mn, b_mn>(In(), sums[s], left, right, at > 0 || i > 0);
            }
        }
        kz_wgmma_commit();
        kz_wgmma_wait<0>();
        __syncthreads(); // all four warps are done with the tiles
    }
#pragma unroll
    for (int s = 0; s < 2; s++) {
        kz_wgmma_pin(sums[s]);
#pragma unroll
        for (int i = 0; i < SIDE / 2; i++) {
            size_t r = row + s * 64 + kz_warp() * 16 + kz_lane() / 4 + i / 2 % 2 * 8;
            size_t x = column + i / 4 * 8 + kz_lane() % 4 * 2 + i % 2;
            if (r < m && x < n) kz_narrow(&c[r * n + x], sums[s][i]);
        }
    }
}

#define WGMMA(order, a_mn, b_mn, type, In, Out)                                                              \
    KZ_ENTRY_BOUNDS(hgemm_wgmma_##order##_##type, 128, 1)                                                    \
    (const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b, Out *c, size_t m,     \
     size_t n, size_t k) {                                                                                   \
        multiply<In, Out, a_mn, b_mn>(&a, &b, c, m, n, k);                                                   \
    }
HGEMM_LADDER(WGMMA)
