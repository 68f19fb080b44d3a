// kz: sm 80
#include <cuda_fp16.h>

// d += a b, for the whole warp: D 16 x 8, A 16 x 16, B 16 x 8
__device__ void mma(float d[4], const unsigned a[4], const unsigned b[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Lane 8 m + j points to row j of matrix m.
__device__ void ldmatrix_x4(unsigned r[4], const void *row) {
    unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

// The same, each matrix transposed on the way.
__device__ void ldmatrix_x4_trans(unsigned r[4], const void *row) {
    unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

__device__ void copy_16(void *to, const void *from) {
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at),
                 "l"(from)
                 : "memory");
}
__device__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N> __device__ void wait_for_all_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

enum { TILE = 64, THREADS = 128, STAGES = 3 };

// Where column `column` (a multiple of 8) of row `row` of a tile lies.
__device__ int place(int row, int column) {
    return row * TILE + (column / 8 ^ row % 8) * 8;
}

extern "C" __global__ void gemm(const __half *a, const __half *b, float *c,
                                int m, int n, int k) {
    __shared__ __align__(128) __half a_tiles[STAGES][TILE * TILE];
    __shared__ __align__(128) __half b_tiles[STAGES][TILE * TILE];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int top = warp / 2 * 32, left = warp % 2 * 32; // the warp's quarter
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sums[2][4][4] = {}; // [16 rows][8 columns][of the fragment]

    auto load = [&](int stage, int step) {
        for (int i = threadIdx.x; i < TILE * 8; i += THREADS) {
            int y = i / 8, x = i % 8 * 8, at = place(y, x);
            copy_16(&a_tiles[stage][at],
                    &a[(row + y) * k + step * TILE + x]);
            copy_16(&b_tiles[stage][at],
                    &b[(step * TILE + y) * n + column + x]);
        }
    };
    auto multiply = [&](int stage) {
        for (int i = 0; i < TILE; i += 16) {
            unsigned fa[2][4], fb[2][4];
            for (int y = 0; y < 2; y++)
                ldmatrix_x4(fa[y],
                            &a_tiles[stage][place(top + y * 16 + lane % 16,
                                                  i + lane / 16 * 8)]);
            for (int x = 0; x < 2; x++)
                ldmatrix_x4_trans(
                    fb[x],
                    &b_tiles[stage][place(i + lane % 16,
                                          left + x * 16 + lane / 16 * 8)]);
            for (int y = 0; y < 2; y++)
                for (int x = 0; x < 4; x++)
                    mma(sums[y][x], fa[y], &fb[x / 2][x % 2 * 2]);
        }
    };

    int steps = k / TILE;
    // kz: begin
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) load(s, s);
        commit();
    }
    for (int i = 0; i < steps; i++) {
        wait_for_all_but<STAGES - 2>();
        __syncthreads();
        int ahead = i + STAGES - 1;
        if (ahead < steps) load(ahead % STAGES, ahead);
        commit();
        multiply(i % STAGES);
    }
    // kz: starter
    //|     // Right, and nothing overlaps: one stage, two barriers for a step.
    //|     for (int i = 0; i < steps; i++) {
    //|         load(0, i);
    //|         commit();
    //|         wait_for_all_but<0>();
    //|         __syncthreads();
    //|         multiply(0);
    //|         __syncthreads();
    //|     }
    // kz: end

    int g = lane / 4, t = lane % 4;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++) {
            float *to = &c[(row + top + y * 16 + g) * n + column + left +
                           x * 8 + 2 * t];
            const float *s = sums[y][x];
            *(float2 *)to = make_float2(s[0], s[1]);
            *(float2 *)(to + 8 * n) = make_float2(s[2], s[3]);
        }
}
