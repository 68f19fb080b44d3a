// kz: sm 90a
#include <cuda_fp16.h>

// d = a b, plus d where `adds`: D 64 x 64, A 64 x 16, B 16 x 64, for a
// warpgroup. a and b are descriptors of tiles whose rows lie along k.
__device__ void wgmma(float d[32], unsigned long long a,
                      unsigned long long b, int adds) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
        "%32, %33, p, 1, 1, 0, 0; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]),
          "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
          "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),
          "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
          "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
          "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b), "r"(adds)
        : "memory");
}
__device__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> __device__ void wgmma_wait_for_all_but() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

// What this thread wrote to shared memory is seen by wgmma.
__device__ void fence_proxy() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

enum { SIDE = 64, THREADS = 128 };

// Where piece `piece` (16 bytes, 8 of them in a row) of row `row` lies.
__device__ int place(int row, int piece) {
    return row * SIDE + (piece ^ row % 8) * 8;
}

// Of a tile that begins at `tile`, as above.
__device__ unsigned long long descriptor(const __half *tile) {
    unsigned long long address = __cvta_generic_to_shared(tile);
    // kz: begin
    return address >> 4 | 1024ull >> 4 << 32 | 1ull << 62;
    // kz: starter
    //|     return address >> 4;
    // kz: end
}

extern "C" __global__ void tile_products(const __half *a, const __half *b,
                                         float *d, int n) {
    __shared__ __align__(1024) __half a_tile[SIDE * SIDE];
    __shared__ __align__(1024) __half b_tile[SIDE * SIDE];
    const uint4 *from_a = (const uint4 *)(a + blockIdx.x * SIDE * SIDE);
    const uint4 *from_b = (const uint4 *)(b + blockIdx.x * SIDE * SIDE);
    for (int i = threadIdx.x; i < SIDE * 8; i += THREADS) {
        *(uint4 *)&a_tile[place(i / 8, i % 8)] = from_a[i];
        *(uint4 *)&b_tile[place(i / 8, i % 8)] = from_b[i];
    }
    float sums[32];
    // kz: begin
    fence_proxy();
    __syncthreads();
    wgmma_fence();
    for (int step = 0; step < SIDE / 16; step++)
        wgmma(sums, descriptor(a_tile + step * 16),
              descriptor(b_tile + step * 16), step > 0);
    wgmma_commit();
    wgmma_wait_for_all_but<0>();
    // kz: starter
    //|     // Fence, barrier, four products, and wait for them.
    //|     for (int i = 0; i < 32; i++) sums[i] = 0.0f;
    // kz: end

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float *to = d + blockIdx.x * SIDE * SIDE;
    for (int i = 0; i < 32; i += 2) {
        int row = warp * 16 + lane / 4 + i / 2 % 2 * 8;
        int column = i / 4 * 8 + lane % 4 * 2;
        *(float2 *)&to[row * SIDE + column] =
            make_float2(sums[i], sums[i + 1]);
    }
}
