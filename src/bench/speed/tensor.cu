// Products on tensor cores by which the simulator's own speed is measured; see bench/speed.c. Kernels as people write them: tiles of 128 x
// 128 by 8 warps with cp.async, swizzled rows and ldmatrix; the same product by a warpgroup's wgmma. c = a b^T, where a and b are n x n
// by rows, two elements of 16 bits to a word; c is n x n floats.

enum { TILE = 128, STEP = 32, THREADS = 256 };

static __device__ unsigned shared_at(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// Rows of 64 bytes: piece of 16 bytes p of row r lies at p ^ (r / 2 % 4), so that eight rows of one piece are in different banks.
static __device__ unsigned piece_at(unsigned row, unsigned piece) {
    return row * 64 + (piece ^ (row / 2 & 3)) * 16;
}

static __device__ void fetch(unsigned to, const unsigned *from, int n,
                             int k) { // a tile of 128 rows and 32 elements
    for (int i = threadIdx.x; i < TILE * 4; i += THREADS) {
        int row = i / 4, piece = i % 4;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + piece_at(row, piece)),
                     "l"(from + (size_t)row * n / 2 + k / 2 + piece * 4)
                     : "memory");
    }
}

static __device__ void load(unsigned r[4], unsigned at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

#define MULTIPLY(type)                                                                                       \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                                      \
                 ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "                                              \
                 "{%0,%1,%2,%3};"                                                                            \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
template <bool bf16>
static __device__ void multiply(float d[4], const unsigned a[4], unsigned b0, unsigned b1) {
    if (bf16)
        MULTIPLY("bf16");
    else
        MULTIPLY("f16");
}

// A warp has 64 x 32 of the tile: 4 x 4 products.
template <bool bf16> static __device__ void product(const unsigned *a, const unsigned *b, float *c, int n) {
    __shared__ __align__(128) unsigned char tiles[2][2][TILE * 64];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp / 4 * 64, column = warp % 4 * 32;
    const unsigned *from_a = a + (size_t)blockIdx.y * TILE * n / 2,
                   *from_b = b + (size_t)blockIdx.x * TILE * n / 2;
    float d[4][4][4] = {};
    fetch(shared_at(tiles[0][0]), from_a, n, 0);
    fetch(shared_at(tiles[0][1]), from_b, n, 0);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int k = 0, stage = 0; k < n; k += STEP, stage ^= 1) {
        if (k + STEP < n) {
            fetch(shared_at(tiles[stage ^ 1][0]), from_a, n, k + STEP);
            fetch(shared_at(tiles[stage ^ 1][1]), from_b, n, k + STEP);
        }
        asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        unsigned at_a = shared_at(tiles[stage][0]), at_b = shared_at(tiles[stage][1]);
        for (int half = 0; half < 2; half++) {
            unsigned fa[4][4], fb[2][4];
            for (int i = 0; i < 4; i++)
                load(fa[i], at_a + piece_at(row + 16 * i + lane % 16, 2 * half + lane / 16));
            for (int j = 0; j < 2; j++)
                load(fb[j],
                     at_b + piece_at(column + 16 * j + lane % 8 + lane / 16 * 8, 2 * half + lane / 8 % 2));
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    multiply<bf16>(d[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e += 2) {
                size_t at = (size_t)(blockIdx.y * TILE + row + 16 * i + lane / 4 + e / 2 * 8) * n +
                            blockIdx.x * TILE + column + 8 * j + lane % 4 * 2;
                *(float2 *)(c + at) = make_float2(d[i][j][e], d[i][j][e + 1]);
            }
}

extern "C" __global__ void speed_mma_f16(const unsigned *a, const unsigned *b, float *c, int n) {
    product<false>(a, b, c, n);
}
extern "C" __global__ void speed_mma_bf16(const unsigned *a, const unsigned *b, float *c, int n) {
    product<true>(a, b, c, n);
}

// ---- a warpgroup: 64 x 64, rows of 128 bytes swizzled as wgmma has it -------------------------------------

static __device__ void fetch_group(unsigned to, const unsigned *from, int n, int k) { // 64 rows, 64 elements
    for (int i = threadIdx.x; i < 64 * 8; i += 128) {
        int row = i / 8, piece = i % 8;
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + row * 128 + (piece ^ row % 8) * 16),
            "l"(from + (size_t)row * n / 2 + k / 2 + piece * 4)
            : "memory");
    }
}

static __device__ unsigned long long
describe(unsigned at) { // stride 1024 between groups of 8 rows, swizzle of 128 bytes
    return (unsigned long long)(at & 0x3ffff) >> 4 | 64ull << 32 | 1ull << 62;
}

#define D8(i)                                                                                                \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),              \
        "+f"(d[i + 6]), "+f"(d[i + 7])

extern "C" __global__ void speed_wgmma_bf16(const unsigned *a, const unsigned *b, float *c, int n) {
    __shared__ __align__(1024) unsigned char tiles[2][64 * 128];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float d[32] = {};
    unsigned at_a = shared_at(tiles[0]), at_b = shared_at(tiles[1]);
    for (int k = 0; k < n; k += 64) {
        fetch_group(at_a, a + (size_t)blockIdx.y * 64 * n / 2, n, k);
        fetch_group(at_b, b + (size_t)blockIdx.x * 64 * n / 2, n, k);
        asm volatile("cp.async.wait_all; fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int step = 0; step < 4; step++)
            asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0;\n"
                         "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                         "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,"
                         "%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, "
                         "%33, p, 1, 1, 0, 0;}"
                         : D8(0), D8(8), D8(16), D8(24)
                         : "l"(describe(at_a + 32 * step)), "l"(describe(at_b + 32 * step))
                         : "memory");
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    for (int i = 0; i < 32; i += 2) {
        size_t row = blockIdx.y * 64 + 16 * warp + lane / 4 + i / 2 % 2 * 8,
               column = blockIdx.x * 64 + i / 4 * 8 + lane % 4 * 2;
        *(float2 *)(c + row * n + column) = make_float2(d[i], d[i + 1]);
    }
}
