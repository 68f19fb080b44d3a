// kz: sm 90a
#include <cuda_fp16.h>

// d = a b, plus d where `adds`: D 64 x 128, A 64 x 16, B 16 x 128, for a
// warpgroup. a and b are descriptors of tiles whose rows lie along k.
__device__ void wgmma(float d[64], unsigned long long a,
                      unsigned long long b, int adds) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
        "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
        "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "
        "%64, %65, p, 1, 1, 0, 0; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]),
          "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
          "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),
          "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
          "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
          "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
          "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
          "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]),
          "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]),
          "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]),
          "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
          "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
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
// 16 bytes, or zeros where not `inside`.
__device__ void copy_16(unsigned to, const void *from, bool inside) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
}
__device__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N> __device__ void wait_for_all_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
// What this thread wrote to shared memory is seen by wgmma.
__device__ void fence_proxy() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

enum {
    SIDE = 128,
    DEPTH = 64,
    STAGES = 4,
    AHEAD = STAGES - 2, // steps that copies run ahead
    THREADS = 256,
    TILE_BYTES = SIDE * DEPTH * 2
};

// Of a tile in shared memory, swizzled by 128 bytes, rows along k.
__device__ unsigned long long descriptor(unsigned address) {
    return address >> 4 | 1024ull >> 4 << 32 | 1ull << 62;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm(const __half *a, const __half *b, __half *c, int m, int n, int k) {
    // kz: begin
    extern __shared__ char memory[];
    // Stage s: a's tile at stages + 2 * s * TILE_BYTES, b's behind it.
    unsigned stages = (unsigned)__cvta_generic_to_shared(memory);
    stages = (stages + 1023) / 1024 * 1024;
    int row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;
    int group = threadIdx.x / 128, steps = (k + DEPTH - 1) / DEPTH;

    // Thread t has piece t % 8 of rows t / 8, t / 8 + 32, ... of both tiles.
    int piece = threadIdx.x % 8, y = threadIdx.x / 8;
    unsigned place = y * 128 + (piece ^ y % 8) * 16;
    auto load = [&](int step) {
        unsigned to = stages + step % STAGES * 2 * TILE_BYTES + place;
        int x = step * DEPTH + piece * 8;
#pragma unroll
        for (int i = 0; i < SIDE; i += 32) {
            bool in_a = row + y + i < m && x < k;
            bool in_b = column + y + i < n && x < k;
            const __half *from_a = a + (size_t)(row + y + i) * k + x;
            const __half *from_b = b + (size_t)(column + y + i) * k + x;
            copy_16(to + i * 128, in_a ? from_a : a, in_a);
            copy_16(to + i * 128 + TILE_BYTES, in_b ? from_b : b, in_b);
        }
    };

    float sums[64];
    for (int s = 0; s < AHEAD; s++) {
        if (s < steps) load(s);
        commit();
    }
    for (int i = 0; i < steps; i++) {
        wait_for_all_but<AHEAD - 1>();
        fence_proxy();
        __syncthreads(); // step i is there; all have done step i - 2
        unsigned from = stages + i % STAGES * 2 * TILE_BYTES;
        wgmma_fence();
#pragma unroll
        for (int s = 0; s < DEPTH / 16; s++)
            wgmma(sums, descriptor(from + group * 64 * 128 + s * 32),
                  descriptor(from + TILE_BYTES + s * 32), i > 0 || s > 0);
        wgmma_commit();
        if (i + AHEAD < steps) load(i + AHEAD);
        commit();
        wgmma_wait_for_all_but<1>();
    }
    wgmma_wait_for_all_but<0>();

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
#pragma unroll
    for (int i = 0; i < 64; i += 2) {
        int down = row + group * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8;
        int right = column + i / 4 * 8 + lane % 4 * 2;
        if (down < m && right < n)
            *(__half2 *)&c[(size_t)down * n + right] =
                __floats2half2_rn(sums[i], sums[i + 1]);
    }
    // kz: starter
    //|     // From mma-stages and wgmma-tile to the fastest you can.
    //|     int row = blockIdx.y * SIDE + threadIdx.x / 2;
    //|     int column = blockIdx.x * SIDE + threadIdx.x % 2 * 64;
    //|     for (int i = 0; i < 64; i++)
    //|         if (row < m && column + i < n)
    //|             c[(size_t)row * n + column + i] = __float2half(0.0f);
    // kz: end
}
