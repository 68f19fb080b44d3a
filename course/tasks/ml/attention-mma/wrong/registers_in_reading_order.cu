// fails: result
// Takes both halves of the keys before the lower rows.
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

// Two floats as halves in a register, the first in the lower half
__device__ unsigned pack(float first, float second) {
    __half2 pair = __floats2half2_rn(first, second);
    return *(unsigned *)&pair;
}

enum { D = 64, TILE = 16, ROW = D + 8 }; // rows of 144 bytes: other banks

extern "C" __global__ void attention(const __half *q, const __half *k,
                                     const __half *v, float *out, int heads,
                                     int queries, int keys) {
    __shared__ __align__(16) __half tile_k[TILE][ROW], tile_v[TILE][ROW];
    int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    size_t row = (size_t)blockIdx.y * queries + blockIdx.x * 16;
    const uint4 *from_k =
        (const uint4 *)(k + (size_t)blockIdx.y * keys * D);
    const uint4 *from_v =
        (const uint4 *)(v + (size_t)blockIdx.y * keys * D);

    unsigned fq[D / 16][4]; // the queries, A of the first product
    const unsigned *from_q = (const unsigned *)(q + row * D); // pairs
    for (int c = 0; c < D / 16; c++)
        for (int r = 0; r < 4; r++)
            fq[c][r] =
                from_q[(g + r % 2 * 8) * D / 2 + c * 8 + t + r / 2 * 4];

    float greatest[2] = {-INFINITY, -INFINITY}; // of rows g and g + 8
    float total[2] = {0.0f, 0.0f}, o[D / 8][4] = {};

    for (int first = 0; first < keys; first += TILE) {
        for (int i = lane; i < TILE * D / 8; i += 32) {
            int at = first * D / 8 + i;
            *(uint4 *)&tile_k[i / 8][i % 8 * 8] = from_k[at];
            *(uint4 *)&tile_v[i / 8][i % 8 * 8] = from_v[at];
        }
        __syncwarp();

        float s[2][4] = {}; // 16 queries x keys 0-7, and 8-15
        for (int c = 0; c < D / 16; c++) {
            unsigned fk[4]; // B of both
            ldmatrix_x4(fk, &tile_k[lane / 16 * 8 + lane % 8]
                                   [c * 16 + lane / 8 % 2 * 8]);
            mma(s[0], fq[c], &fk[0]);
            mma(s[1], fq[c], &fk[2]);
        }
        for (int half = 0; half < 2; half++) { // row g, row g + 8
            float larger = greatest[half];
            for (int x = 0; x < 2; x++)
                for (int i = 2 * half; i < 2 * half + 2; i++)
                    larger = fmaxf(larger, s[x][i] *= 0.125f);
            // Four lanes have a row.
            larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 1));
            larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 2));
            float correction = expf(greatest[half] - larger);
            greatest[half] = larger;
            total[half] *= correction; // of this lane's keys
            for (int x = 0; x < D / 8; x++)
                for (int i = 2 * half; i < 2 * half + 2; i++)
                    o[x][i] *= correction;
            for (int x = 0; x < 2; x++)
                for (int i = 2 * half; i < 2 * half + 2; i++)
                    total[half] += s[x][i] = expf(s[x][i] - larger);
        }
        // Where the results of the first product lie, there A of the second
        // wants them: rows g and g + 8, keys 2t and 2t + 1; then keys + 8.
        unsigned fp[4] = {pack(s[0][0], s[0][1]), pack(s[1][0], s[1][1]),
                          pack(s[0][2], s[0][3]), pack(s[1][2], s[1][3])};
        for (int x = 0; x < D / 8; x += 2) {
            unsigned fv[4]; // 16 keys x columns 8x to 8x + 7, and 8 more
            ldmatrix_x4_trans(fv,
                              &tile_v[lane % 16][x * 8 + lane / 16 * 8]);
            mma(o[x], fp, &fv[0]);
            mma(o[x + 1], fp, &fv[2]);
        }
        __syncwarp(); // nobody reads the tiles any more
    }

    for (int half = 0; half < 2; half++) {
        total[half] += __shfl_xor_sync(0xffffffffu, total[half], 1);
        total[half] += __shfl_xor_sync(0xffffffffu, total[half], 2);
    }
    float2 *to = (float2 *)(out + row * D);
    for (int x = 0; x < D / 8; x++)
        for (int half = 0; half < 2; half++)
            to[(g + 8 * half) * D / 2 + x * 4 + t] =
                make_float2(o[x][2 * half] / total[half],
                            o[x][2 * half + 1] / total[half]);
}
