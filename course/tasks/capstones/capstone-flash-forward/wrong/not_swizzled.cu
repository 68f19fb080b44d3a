// fails: gate bank_conflicts
// Rows of 128 bytes as they are.
// kz: sm 80
#include <cuda_bf16.h>

// d += a b, for the whole warp: D 16 x 8, A 16 x 16, B 16 x 8
__device__ void mma(float d[4], const unsigned a[4], const unsigned b[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
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

// 16 bytes, or zeros where not `inside`.
__device__ void copy_16(void *to, const void *from, bool inside) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
}
__device__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N> __device__ void wait_for_all_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

enum { WIDTH = 64, TILE = 64, THREADS = 128 };

typedef __nv_bfloat16 tile[TILE * WIDTH];

// Where column `column` (a multiple of 8) of row `row` of a tile lies.
__device__ int place(int row, int column) { return row * WIDTH + column; }

// Begins to copy the rows `first` to first + 63 of x; zeros past the last.
__device__ void load(tile to, const __nv_bfloat16 *x, int first, int rows) {
    // Every 16th row: they have the same place in their groups of 8.
    int y = threadIdx.x / 8, c = threadIdx.x % 8 * 8, at = place(y, c);
    const __nv_bfloat16 *from = &x[(size_t)(first + y) * WIDTH + c];
#pragma unroll
    for (int i = 0; i < TILE; i += THREADS / 8) {
        bool inside = first + y + i < rows;
        copy_16(&to[at + i * WIDTH], inside ? from + i * WIDTH : x, inside);
    }
}

__device__ unsigned pack(float low, float high) {
    __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *(unsigned *)&both;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    attention(const __nv_bfloat16 *q, const __nv_bfloat16 *k,
              const __nv_bfloat16 *v, __nv_bfloat16 *out, int heads,
              int rows) {
    __shared__ __align__(128) tile query_tile, key_tiles[2], value_tiles[2];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int g = lane / 4, t = lane % 4; // row and column of fragments
    // The block with most keys first: the others fill up behind it.
    int mine = (gridDim.x - 1 - blockIdx.x) * TILE;
    size_t head = (size_t)blockIdx.y * rows * WIDTH;
    q += head, k += head, v += head, out += head;
    // exp(x / 8) is 2 to the power of x * log2(e) / 8.
    const float scale = 0.125f * 1.4426950408889634f;

    load(query_tile, q, mine, rows);
    load(key_tiles[0], k, 0, rows);
    load(value_tiles[0], v, 0, rows);
    commit();
    unsigned fq[4][4]; // the warp's 16 queries
    float results[8][4] = {}, sums[2] = {0.0f, 0.0f};
    float greatest[2] = {-INFINITY, -INFINITY}; // of rows g and g + 8
    // Where the lane's rows of fragments begin: the same in every 8 rows.
    int key_at[2], value_at[4];
    for (int c = 0; c < 2; c++)
        key_at[c] = place(lane % 8, c * 32 + lane / 8 * 8);
    for (int n = 0; n < 4; n++)
        value_at[n] = place(lane % 16, n * 16 + lane / 16 * 8);
    int tiles = mine / TILE + 1;
    for (int i = 0; i < tiles; i++) {
        const __nv_bfloat16 *key_tile = key_tiles[i % 2];
        const __nv_bfloat16 *value_tile = value_tiles[i % 2];
        wait_for_all_but<0>();
        __syncthreads(); // tile i is there; all have done tile i - 1
        if (i + 1 < tiles) {
            load(key_tiles[(i + 1) % 2], k, (i + 1) * TILE, rows);
            load(value_tiles[(i + 1) % 2], v, (i + 1) * TILE, rows);
        }
        commit();
        if (i == 0)
#pragma unroll
            for (int c = 0; c < 4; c++)
                ldmatrix_x4(fq[c],
                            &query_tile[place(warp * 16 + lane % 16,
                                              c * 16 + lane / 16 * 8)]);

        // 16 queries x 64 keys: s[n] has the keys 8 n to 8 n + 7.
        float s[8][4] = {};
#pragma unroll
        for (int n = 0; n < 8; n++) {
            unsigned fk[4];
#pragma unroll
            for (int c = 0; c < 2; c++) {
                ldmatrix_x4(fk, &key_tile[key_at[c] + n * 8 * WIDTH]);
                mma(s[n], fq[2 * c], fk);
                mma(s[n], fq[2 * c + 1], fk + 2);
            }
        }
        if (i == tiles - 1) // the diagonal
#pragma unroll
            for (int n = 0; n < 8; n++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    if (n * 8 + 2 * t + e % 2 > warp * 16 + g + e / 2 * 8)
                        s[n][e] = -INFINITY;

#pragma unroll
        for (int r = 0; r < 2; r++) {
            float most = greatest[r];
#pragma unroll
            for (int n = 0; n < 8; n++)
                most = fmaxf(most, fmaxf(s[n][2 * r], s[n][2 * r + 1]));
            most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
            most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2));
            float factor = exp2f((greatest[r] - most) * scale);
            float less = most * scale;
            greatest[r] = most;
            sums[r] *= factor;
#pragma unroll
            for (int n = 0; n < 8; n++)
#pragma unroll
                for (int e = 2 * r; e < 2 * r + 2; e++) {
                    s[n][e] = exp2f(s[n][e] * scale - less);
                    sums[r] += s[n][e]; // of this lane's keys
                    results[n][e] *= factor;
                }
        }

        // What S has as sums, the product with V needs as A.
#pragma unroll
        for (int j = 0; j < 4; j++) {
            unsigned fp[4] = {pack(s[2 * j][0], s[2 * j][1]),
                              pack(s[2 * j][2], s[2 * j][3]),
                              pack(s[2 * j + 1][0], s[2 * j + 1][1]),
                              pack(s[2 * j + 1][2], s[2 * j + 1][3])};
#pragma unroll
            for (int n = 0; n < 8; n += 2) {
                unsigned fv[4];
                ldmatrix_x4_trans(
                    fv, &value_tile[value_at[n / 2] + j * 16 * WIDTH]);
                mma(results[n], fp, fv);
                mma(results[n + 1], fp, fv + 2);
            }
        }
    }

    // Through the warp's own rows of query_tile, so that rows leave whole.
    __syncwarp(); // its fragments have been read
#pragma unroll
    for (int r = 0; r < 2; r++) {
        sums[r] += __shfl_xor_sync(0xffffffffu, sums[r], 1);
        sums[r] += __shfl_xor_sync(0xffffffffu, sums[r], 2);
        float inverse = 1.0f / sums[r];
#pragma unroll
        for (int n = 0; n < 8; n++) {
            int at = place(warp * 16 + g + r * 8, n * 8) + 2 * t;
            *(unsigned *)&query_tile[at] =
                pack(results[n][2 * r] * inverse,
                     results[n][2 * r + 1] * inverse);
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = lane; i < 16 * 8; i += 32) {
        int row = warp * 16 + i / 8, c = i % 8 * 8;
        if (mine + row < rows)
            *(uint4 *)&out[(size_t)(mine + row) * WIDTH + c] =
                *(const uint4 *)&query_tile[place(row, c)];
    }
}
