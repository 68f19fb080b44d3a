// Products of a warpgroup on small whole numbers: every swizzle, both orders of 16-bit elements, A from shared memory and from registers,
// with and without the old sum, signs turned. The tiles are put into shared memory by formulas that are not the simulator's: rows of
// 16 bytes, and for a swizzle of W bytes the piece of 16 bytes in a row of W exchanged by row (128), by row / 2 (64), by row / 4 (32).
// launch: block 128
// arg: wrong u32[40] = 0
// expect: wrong = 0 ...
// kz: sm 90a
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { M = 64, N = 16 };
__shared__ __align__(1024) unsigned char a_tile[16384], b_tile[16384];

__device__ int a_value(int row, int k) { return (row * 7 + k * 5 + row * k) % 7 - 3; }
__device__ int b_value(int k, int column) { return (k * 3 + column * 2 + k * column) % 5 - 2; }
__device__ float sum(int row, int column, int k) {
    int s = 0;
    for (int i = 0; i < k; i++) s += a_value(row, i) * b_value(i, column);
    return (float)s;
}

// Byte offset of element (x, k), `bytes` wide, of a tile of rows x along k; SBO and LBO as below.
__device__ int by_k(int x, int k, int bytes, int swizzle, int stride, int leading) {
    int kb = k * bytes;
    if (!swizzle) return x / 8 * stride + x % 8 * 16 + kb / 16 * leading + kb % 16;
    int piece = kb / 16, row = x % 8, turn = swizzle == 128 ? row : swizzle == 64 ? row / 2 : row / 4;
    return x / 8 * stride + row * swizzle + (piece ^ turn) % (swizzle / 16) * 16 + kb % 16;
}
// The same where 16-bit elements lie side by side along x.
__device__ int by_x(int x, int k, int swizzle, int stride, int leading) {
    int xb = x * 2;
    if (!swizzle) return x / 8 * stride + xb % 16 + k / 8 * leading + k % 8 * 16;
    int piece = xb % swizzle / 16, row = k % 8,
        turn = swizzle == 128  ? row
               : swizzle == 64 ? row / 2
                               : row / 4;
    return xb / swizzle * leading + k / 8 * stride + row * swizzle + (piece ^ turn) % (swizzle / 16) * 16 +
           xb % 16;
}

__device__ void put(unsigned char *to, int value, int bytes, int kind) {
    if (bytes == 2 && kind == 0) *(__half *)to = __float2half((float)value);
    if (bytes == 2 && kind == 1) *(__nv_bfloat16 *)to = __float2bfloat16((float)value);
    if (bytes == 4) *(float *)to = (float)value;
    if (bytes == 1 && kind == 0) *to = (unsigned char)value;
    if (bytes == 1 && kind == 1) { // e4m3
        int size = value < 0 ? -value : value;
        *to = (value < 0) << 7 | (size == 0 ? 0 : size == 1 ? 7 << 3 : size == 2 ? 8 << 3 : 8 << 3 | 4);
    }
}

struct layout {
    int swizzle, stride, leading;
    bool across;
};

__device__ void fill(unsigned char *tile, bool is_b, int rows, int k, int bytes, int kind, layout l) {
    for (int i = threadIdx.x; i < 16384; i += blockDim.x) tile[i] = 0x7f; // NaN, where nothing belongs
    __syncthreads();
    for (int i = threadIdx.x; i < rows * k; i += blockDim.x) {
        int x = i / k, at = i % k, value = is_b ? b_value(at, x) : a_value(x, at);
        put(tile + (l.across ? by_x(x, at, l.swizzle, l.stride, l.leading)
                             : by_k(x, at, bytes, l.swizzle, l.stride, l.leading)),
            value, bytes, kind);
    }
}

__device__ unsigned long long describe(unsigned char *tile, layout l) {
    unsigned long long mode = l.swizzle == 128 ? 1 : l.swizzle == 64 ? 2 : l.swizzle == 32 ? 3 : 0;
    return (unsigned long long)(__cvta_generic_to_shared(tile) & 0x3ffff) >> 4 |
           (unsigned long long)(l.leading >> 4) << 16 | (unsigned long long)(l.stride >> 4) << 32 |
           mode << 62;
}

__device__ void ready() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}

// A macro, for the instruction's name is a part of the text.
#define PRODUCT(name, tail)                                                                                  \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.fence.sync.aligned;\n"                         \
                 "wgmma.mma_async.sync.aligned." name " {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, p" tail ";\n"     \
                 "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;}"                        \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),       \
                   "+f"(d[7])                                                                                \
                 : "l"(da), "l"(db), "r"(adds)                                                               \
                 : "memory")

__device__ void check(unsigned *wrong, const float *d, int k, float old, float sign) {
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    for (int i = 0; i < 8; i++) {
        int row = 16 * warp + g + i / 2 % 2 * 8, column = i / 4 * 8 + 2 * t + i % 2;
        if (d[i] != old + sign * sum(row, column, k)) atomicAdd(wrong, 1);
    }
}

#define CASE(at, name, tail, k, bytes, kind, la, lb, old, sign)                                              \
    {                                                                                                        \
        __syncthreads();                                                                                     \
        fill(a_tile, false, M, k, bytes, kind, la);                                                          \
        fill(b_tile, true, N, k, bytes, kind, lb);                                                           \
        ready();                                                                                             \
        unsigned long long da = describe(a_tile, la), db = describe(b_tile, lb);                             \
        int adds = (old) != 0;                                                                               \
        float d[8];                                                                                          \
        for (int i = 0; i < 8; i++) d[i] = (old) ? (old) : 1e9f;                                             \
        PRODUCT(name, tail);                                                                                 \
        check(&wrong[at], d, k, old, sign);                                                                  \
    }

extern "C" __global__ void wgmma(unsigned *wrong) {
    const layout plain = {0, 256, 128, false}, plain_b = {0, 256, 128, false};
    // Along k: rows of 16 bytes, 128 bytes a core matrix; groups of 8 rows 256 bytes apart.
    CASE(0, "m64n16k16.f32.f16.f16", ", 1, 1, 0, 0", 16, 2, 0, plain, plain_b, 5.0f, 1.0f)
    for (int s = 0; s < 3; s++) {
        int swizzle = 32 << s;
        const layout l = {swizzle, 8 * swizzle, 16, false};
        CASE(1 + s, "m64n16k16.f32.f16.f16", ", 1, 1, 0, 0", 16, 2, 0, l, l, 0.0f, 1.0f)
        CASE(4 + s, "m64n16k16.f32.bf16.bf16", ", -1, 1, 0, 0", 16, 2, 1, l, l, 7.0f, -1.0f)
        CASE(7 + s, "m64n16k8.f32.tf32.tf32", ", 1, -1", 8, 4, 0, l, l, 0.0f, -1.0f)
        CASE(10 + s, "m64n16k32.f32.e4m3.e4m3", ", -1, -1", 32, 1, 1, l, l, 3.0f, 1.0f)
        // Along m and n: W bytes of 8 k's together, then the next W bytes, then the next 8 k's.
        const layout xa = {swizzle, 8 * 128, 8 * swizzle, true},
                     xb = {swizzle, 2 * 8 * swizzle, 8 * swizzle, true};
        CASE(13 + s, "m64n16k16.f32.f16.f16", ", 1, 1, 1, 0", 16, 2, 0, xa, l, 0.0f, 1.0f)
        CASE(16 + s, "m64n16k16.f32.f16.f16", ", 1, 1, 0, 1", 16, 2, 0, l, xb, 1.0f, 1.0f)
        CASE(19 + s, "m64n16k16.f32.bf16.bf16", ", 1, 1, 1, 1", 16, 2, 1, xa, xb, 0.0f, 1.0f)
    }
    const layout cores_a = {0, 128, 1024, true}, cores_b = {0, 128, 256, true};
    CASE(22, "m64n16k16.f32.f16.f16", ", 1, 1, 1, 1", 16, 2, 0, cores_a, cores_b, 2.0f, 1.0f)
}
