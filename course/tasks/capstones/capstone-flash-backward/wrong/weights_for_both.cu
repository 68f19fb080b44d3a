// fails: result
// dk from the weights, where it needs their derivatives.
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
// 4 bytes, or a zero.
__device__ void copy_4(void *to, const void *from, bool inside) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(inside ? 4 : 0)
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
__device__ int place(int row, int column) {
    return row * WIDTH + (column / 8 ^ row % 8) * 8;
}

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

// What a step of the loop needs of the other side: two tiles, and the two
// numbers of each query where those are queries.
typedef struct stage {
    tile x, y;
    float lse[TILE], delta[TILE];
} stage;

// Rounds the warp's 16 x 64 sums, and stores them by way of its rows of
// `by`.
__device__ void store(const float sums[8][4], float factor, tile by,
                      __nv_bfloat16 *to, int first, int rows) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int n = 0; n < 8; n++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int row = warp * 16 + lane / 4 + r * 8;
            *(unsigned *)&by[place(row, n * 8) + lane % 4 * 2] =
                pack(sums[n][2 * r] * factor, sums[n][2 * r + 1] * factor);
        }
    __syncwarp();
#pragma unroll
    for (int i = lane; i < 16 * 8; i += 32) {
        int row = warp * 16 + i / 8, c = i % 8 * 8;
        if (first + row < rows)
            *(uint4 *)&to[(size_t)(first + row) * WIDTH + c] =
                *(const uint4 *)&by[place(row, c)];
    }
}

// The block's 64 rows are keys and values, and x and y queries and dout; or
// the other way round. For each tile of the other side
//     s = own_x x^T, dp = own_y y^T, p = exp(scale s - lse),
//     ds = p (dp - delta), dx += ds x, and for keys dy += p y:
// s is scores, or for keys scores transposed; dx is dq, or dk; dy is dv.
template <bool OWNS_KEYS>
__device__ void walk(stage stages[2], const __nv_bfloat16 *own_x,
                     const __nv_bfloat16 *own_y, const __nv_bfloat16 *x,
                     const __nv_bfloat16 *y, const float *lse,
                     const float *delta, __nv_bfloat16 *dx,
                     __nv_bfloat16 *dy, int mine, int rows) {
    const float log2e = 1.4426950408889634f, scale = 0.125f * log2e;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int g = lane / 4, t = lane % 4; // row and column of fragments
    auto begin_copy = [&](int i) {
        stage *to = &stages[i % 2];
        load(to->x, x, i * TILE, rows);
        load(to->y, y, i * TILE, rows);
        if (OWNS_KEYS) {
            int query = i * TILE + threadIdx.x % TILE;
            bool inside = query < rows, second = threadIdx.x >= TILE;
            const float *from = second ? delta : lse;
            copy_4(&(second ? to->delta : to->lse)[threadIdx.x % TILE],
                   from + (inside ? query : 0), inside);
        }
        commit();
    };
    int begin = OWNS_KEYS ? mine / TILE : 0;
    int end = OWNS_KEYS ? (rows + TILE - 1) / TILE : mine / TILE + 1;

    // The own rows pass through the stage that is filled second.
    load(stages[(begin + 1) % 2].x, own_x, mine, rows);
    load(stages[(begin + 1) % 2].y, own_y, mine, rows);
    commit();
    begin_copy(begin);
    wait_for_all_but<1>();
    __syncthreads();
    unsigned fx[4][4], fy[4][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
        int at = place(warp * 16 + lane % 16, c * 16 + lane / 16 * 8);
        ldmatrix_x4(fx[c], &stages[(begin + 1) % 2].x[at]);
        ldmatrix_x4(fy[c], &stages[(begin + 1) % 2].y[at]);
    }
    float row_lse[2] = {0}, row_delta[2] = {0}; // of rows g and g + 8
    for (int r = 0; r < 2 && !OWNS_KEYS; r++) {
        int row = mine + warp * 16 + g + r * 8;
        if (row < rows) row_lse[r] = lse[row], row_delta[r] = delta[row];
    }
    // Where the lane's rows of fragments begin: the same in every 8 rows.
    int row_at[2], column_at[4];
    for (int c = 0; c < 2; c++)
        row_at[c] = place(lane % 8, c * 32 + lane / 8 * 8);
    for (int n = 0; n < 4; n++)
        column_at[n] = place(lane % 16, n * 16 + lane / 16 * 8);

    float dx_sums[8][4] = {}, dy_sums[8][4] = {};
    for (int i = begin; i < end; i++) {
        const stage *at = &stages[i % 2];
        wait_for_all_but<0>();
        __syncthreads(); // step i is there; all have done step i - 1
        if (i + 1 < end) begin_copy(i + 1);
        bool diagonal = i == mine / TILE;
#pragma unroll
        for (int j = 0; j < 4; j++) { // 16 rows of the other side
            float s[2][4] = {}, dp[2][4] = {};
#pragma unroll
            for (int n = 0; n < 2; n++)
#pragma unroll
                for (int c = 0; c < 2; c++) {
                    unsigned b[4];
                    int from = row_at[c] + (j * 16 + n * 8) * WIDTH;
                    ldmatrix_x4(b, &at->x[from]);
                    mma(s[n], fx[2 * c], b);
                    mma(s[n], fx[2 * c + 1], b + 2);
                    ldmatrix_x4(b, &at->y[from]);
                    mma(dp[n], fy[2 * c], b);
                    mma(dp[n], fy[2 * c + 1], b + 2);
                }
#pragma unroll
            for (int n = 0; n < 2; n++)
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    int column = j * 16 + n * 8 + 2 * t + e % 2;
                    int row = warp * 16 + g + e / 2 * 8;
                    float less =
                        OWNS_KEYS ? at->lse[column] : row_lse[e / 2];
                    float middle =
                        OWNS_KEYS ? at->delta[column] : row_delta[e / 2];
                    bool later = OWNS_KEYS ? row > column : column > row;
                    float weight = exp2f(s[n][e] * scale - less * log2e);
                    if (diagonal && later) weight = 0.0f;
                    s[n][e] = weight;
                    dp[n][e] = weight * (dp[n][e] - middle);
                }
            unsigned p[4], ds[4];
#pragma unroll
            for (int r = 0; r < 4; r++) {
                int n = r / 2, e = r % 2 * 2;
                p[r] = pack(s[n][e], s[n][e + 1]);
                ds[r] = pack(dp[n][e], dp[n][e + 1]);
            }
#pragma unroll
            for (int n = 0; n < 4; n++) {
                unsigned b[4];
                int from = column_at[n] + j * 16 * WIDTH;
                ldmatrix_x4_trans(b, &at->x[from]);
                mma(dx_sums[2 * n], OWNS_KEYS ? p : ds, b);
                mma(dx_sums[2 * n + 1], OWNS_KEYS ? p : ds, b + 2);
                if (OWNS_KEYS) {
                    ldmatrix_x4_trans(b, &at->y[from]);
                    mma(dy_sums[2 * n], p, b);
                    mma(dy_sums[2 * n + 1], p, b + 2);
                }
            }
        }
    }
    __syncthreads(); // the stages are free
    store(dx_sums, 0.125f, stages[0].x, dx, mine, rows);
    if (OWNS_KEYS) store(dy_sums, 1.0f, stages[0].y, dy, mine, rows);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    attention_backward(const __nv_bfloat16 *q, const __nv_bfloat16 *k,
                       const __nv_bfloat16 *v, const __nv_bfloat16 *dout,
                       const float *lse, const float *delta,
                       __nv_bfloat16 *dq, __nv_bfloat16 *dk,
                       __nv_bfloat16 *dv, int heads, int rows) {
    __shared__ __align__(128) stage stages[2];
    size_t head = (size_t)blockIdx.y * rows * WIDTH;
    q += head, k += head, v += head, dout += head;
    dq += head, dk += head, dv += head;
    lse += (size_t)blockIdx.y * rows, delta += (size_t)blockIdx.y * rows;
    // The blocks with most to do first: the first keys, the last queries.
    if (blockIdx.z == 0)
        walk<true>(stages, k, v, q, dout, lse, delta, dk, dv,
                   blockIdx.x * TILE, rows);
    else
        walk<false>(stages, q, dout, k, v, lse, delta, dq,
                    (__nv_bfloat16 *)0, (gridDim.x - 1 - blockIdx.x) * TILE,
                    rows);
}
