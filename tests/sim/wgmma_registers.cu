// Two products in a row, as attention has them: a sum's accumulators, rounded pair by pair, are the next product's A in registers. B is
// along k in the first and along n in the second; all sums are small whole numbers. Widths 32 and 64, both half types.
// launch: block 128
// arg: wrong u32[4] = 0
// expect: wrong = 0 ...
// kz: sm 90a
#include "kz/device/bulk.cuh"
#include "kz/device/wgmma.cuh"

enum { M = 64, K = 64, N = 32, WIDE = 64 };
__shared__ __align__(1024) uint16_t a_tile[M * 64], b_tile[N * 64], c_tile[N * 64];

static __device__ int a_value(int row, int k) { return (row + k * 3 + row * k) % 3 - 1; }
static __device__ int b_value(int k, int column) { return (k * 5 + column + k * column) % 3 - 1; }
static __device__ int c_value(int k, int column) { return (k + column * 7 + k * column) % 5 - 2; }

// Element (row, column) of rows of 128 bytes, swizzled.
template <typename T> static __device__ void put(uint16_t *tile, int row, int column, int value) {
    T element;
    kz_narrow(&element, (float)value);
    tile[row * 64 + (column / 8 ^ row % 8) * 8 + column % 8] = element.bits;
}

static __device__ uint32_t pair(kz_bf16, float low, float high) {
    uint32_t two;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(high), "f"(low));
    return two;
}
static __device__ uint32_t pair(kz_f16, float low, float high) {
    uint32_t two;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(high), "f"(low));
    return two;
}

template <typename T> static __device__ void check(unsigned *wrong, float old) {
    T type;
    __syncthreads();
    for (int i = threadIdx.x; i < M * K; i += blockDim.x) put<T>(a_tile, i / K, i % K, a_value(i / K, i % K));
    for (int i = threadIdx.x; i < N * K; i += blockDim.x) put<T>(b_tile, i / K, i % K, b_value(i % K, i / K));
    for (int i = threadIdx.x; i < N * WIDE; i += blockDim.x)
        put<T>(c_tile, i / WIDE, i % WIDE, c_value(i / WIDE, i % WIDE));
    kz_bulk_fence();
    __syncthreads();
    float s[N / 2], d[WIDE / 2];
    uint32_t a[N / 16][4];
    uint64_t at = kz_wgmma_tile(kz_shared_address(a_tile), 0),
             bt = kz_wgmma_tile(kz_shared_address(b_tile), 0),
             ct = kz_wgmma_tile(kz_shared_address(c_tile), 0);
    for (int i = 0; i < N / 2; i++) s[i] = 1e9f;
    for (int i = 0; i < WIDE / 2; i++) d[i] = old != 0.0f ? old : 1e9f;
    kz_wgmma_fence();
#pragma unroll
    for (int k = 0; k < K / 16; k++) kz_wgmma<N, 0, 0>(type, s, at + 2 * k, bt + 2 * k, k > 0);
    kz_wgmma_commit();
    kz_wgmma_wait<0>();
    kz_wgmma_pin(s);
#pragma unroll
    for (int i = 0; i < N / 4; i++) a[i / 4][i % 4] = pair(type, s[2 * i], s[2 * i + 1]);
#pragma unroll
    for (int k = 0; k < N / 16; k++) kz_wgmma_pin(a[k]);
    kz_wgmma_pin(d);
    kz_wgmma_fence();
#pragma unroll
    for (int k = 0; k < N / 16; k++)
        kz_wgmma<WIDE, 1>(type, d, a[k], ct + k * (2048 >> 4), old != 0.0f || k > 0);
    kz_wgmma_commit();
    kz_wgmma_wait<0>();
    kz_wgmma_pin(d);
    for (int i = 0; i < WIDE / 2; i++) {
        int row = 16 * (threadIdx.x / 32) + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
        int column = i / 4 * 8 + 2 * (threadIdx.x % 4) + i % 2, sum = (int)old;
        for (int n = 0; n < N; n++) {
            int score = 0;
            for (int k = 0; k < K; k++) score += a_value(row, k) * b_value(k, n);
            sum += score * c_value(n, column);
        }
        if (d[i] != (float)sum) atomicAdd(wrong, 1);
    }
}

extern "C" __global__ void wgmma_registers(unsigned *wrong) {
    check<kz_bf16>(&wrong[0], 0.0f);
    check<kz_bf16>(&wrong[1], 3.0f);
    check<kz_f16>(&wrong[2], 0.0f);
    check<kz_f16>(&wrong[3], 5.0f);
}
