// fails: leak
// q, k and v are never freed.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,             \
                    cudaGetErrorString(error));                            \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

enum { WIDTH = 64 }; // of a head

// ---- products ----------------------------------------------------------

// 64 x 64 results for 64 threads; a thread has two groups of four rows and
// columns, 32 apart. So both numbers of a rotary pair are in one thread.
enum { SIDE = 64, DEPTH = 8, EACH = 8, WIDE = SIDE + 4 };

// What is done with the results beside storing them.
enum product {
    PROJECT, // a is normalised first; q and k are rotated; by heads
    ADD      // to what `rest` holds
};

static __device__ void rotate(float *a, float *b, float cosine,
                              float sine) {
    float kept = *a;
    *a = kept * cosine - *b * sine;
    *b = kept * sine + *b * cosine;
}

// Four numbers, with what `add` holds unless it is NULL.
static __device__ void store_4(float *to, const float *add,
                               const float x[4]) {
    float4 y = {0.0f, 0.0f, 0.0f, 0.0f};
    if (add) y = *(const float4 *)add;
    *(float4 *)to =
        make_float4(y.x + x[0], y.y + x[1], y.z + x[2], y.w + x[3]);
}

// a is m x k, b is k x n, by rows; n is a multiple of 4. For PROJECT `rest` is the gain; results
// are n / 64 matrices of m x 64, the first `rotated` of them rotated.
template <product KIND>
static __global__ void __launch_bounds__(SIDE)
    multiply(const float *a, const float *b, const float *rest,
             const float *cosines, const float *sines, float *c, int m,
             int n, int k, int rotated) {
    __shared__ __align__(16) float tiles_a[2][DEPTH][WIDE],
        tiles_b[2][DEPTH][WIDE];
    __shared__ float scales[SIDE];
    int t = threadIdx.x, x = t % 8 * 4, y = t / 8 * 4;
    int top = blockIdx.y * SIDE, left = blockIdx.x * SIDE;
    float sums[8][8] = {{0}}, next_a[EACH], next_b[EACH];
    float squares[EACH] = {0}; // of rows t / 8, t / 8 + 8, ...
    int now = 0;
    for (int first = -DEPTH; first < k; first += DEPTH) {
        bool more = first + DEPTH < k;
        if (more) {
            int i = first + DEPTH + t % DEPTH;
            float gain = KIND == PROJECT && i < k ? rest[i] : 1.0f;
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                int row = top + t / DEPTH + e * (SIDE / DEPTH);
                float value =
                    row < m && i < k ? a[(size_t)row * k + i] : 0.0f;
                squares[e] += value * value;
                next_a[e] = value * gain;
                int down = first + DEPTH + e, column = left + t;
                next_b[e] = down < k && column < n
                                ? b[(size_t)down * n + column]
                                : 0.0f;
            }
        }
        if (first >= 0) {
#pragma unroll
            for (int i = 0; i < DEPTH; i++) {
                float rows[8], columns[8];
                *(float4 *)&rows[0] = *(float4 *)&tiles_a[now][i][y];
                *(float4 *)&rows[4] = *(float4 *)&tiles_a[now][i][y + 32];
                *(float4 *)&columns[0] = *(float4 *)&tiles_b[now][i][x];
                *(float4 *)&columns[4] =
                    *(float4 *)&tiles_b[now][i][x + 32];
#pragma unroll
                for (int r = 0; r < 8; r++)
#pragma unroll
                    for (int s = 0; s < 8; s++)
                        sums[r][s] += rows[r] * columns[s];
            }
            now = 1 - now;
        }
        if (more) {
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                tiles_a[now][t % DEPTH][t / DEPTH + e * (SIDE / DEPTH)] =
                    next_a[e];
                tiles_b[now][e][t] = next_b[e];
            }
        }
        __syncthreads();
    }

    if (KIND == PROJECT) {
        // A row's scale is a factor of the whole row of results.
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            for (int step = DEPTH / 2; step > 0; step /= 2)
                squares[e] +=
                    __shfl_xor_sync(0xffffffffu, squares[e], step);
            if (t % DEPTH == 0)
                scales[t / DEPTH + e * (SIDE / DEPTH)] =
                    1.0f / sqrtf(squares[e] / (float)k + 1e-5f);
        }
        __syncthreads();
    }
    bool turns = (int)blockIdx.x < rotated;
    float *to = KIND == PROJECT ? c + (size_t)blockIdx.x * m * SIDE : c;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        int down = y + r % 4 + r / 4 * 32, row = top + down;
        if (row >= m) continue;
        float *low = &sums[r][0], *high = &sums[r][4]; // 32 apart
        if (KIND == PROJECT) {
#pragma unroll
            for (int s = 0; s < 8; s++) sums[r][s] *= scales[down];
            if (turns) {
                float4 c = *(const float4 *)&cosines[row * 32 + x];
                float4 d = *(const float4 *)&sines[row * 32 + x];
                rotate(&low[0], &high[0], c.x, d.x);
                rotate(&low[1], &high[1], c.y, d.y);
                rotate(&low[2], &high[2], c.z, d.z);
                rotate(&low[3], &high[3], c.w, d.w);
            }
            store_4(&to[(size_t)row * SIDE + x], NULL, low);
            store_4(&to[(size_t)row * SIDE + x + 32], NULL, high);
        } else {
            size_t at = (size_t)row * n + left + x;
            if (left + x < n) store_4(&to[at], &rest[at], low);
            if (left + x + 32 < n)
                store_4(&to[at + 32], &rest[at + 32], high);
        }
    }
}

// ---- attention ---------------------------------------------------------

enum { TILE = 32, THREADS = 128, PADDED = WIDTH + 4 };

typedef float tile[TILE][PADDED];

// Rows `first` to first + 31 of x, a matrix of `rows` rows; zeros past it.
static __device__ void load(tile to, const float *x, int first, int rows) {
    for (int i = threadIdx.x; i < TILE * WIDTH / 4; i += THREADS) {
        int y = i / (WIDTH / 4), c = i % (WIDTH / 4) * 4;
        float4 zeros = {0.0f, 0.0f, 0.0f, 0.0f};
        *(float4 *)&to[y][c] =
            first + y < rows
                ? *(const float4 *)&x[(size_t)(first + y) * WIDTH + c]
                : zeros;
    }
}

static __device__ float dot(const float *a, const float *b) {
    float4 x = *(const float4 *)a, y = *(const float4 *)b;
    return x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
}

// Causal, head blockIdx.y; out is rows x heads x WIDTH.
static __global__ void __launch_bounds__(THREADS)
    attend(const float *q, const float *k, const float *v, float *out,
           int rows, int heads) {
    __shared__ __align__(16) tile query_tile, key_tile, value_tile;
    __shared__ __align__(16) float p[TILE][TILE + 4]; // [query][key]
    __shared__ float shrink[TILE], whole[TILE];       // of each query
    const float scale = 0.125f;                       // 1 / sqrt(WIDTH)
    size_t head = (size_t)blockIdx.y * rows * WIDTH;
    q += head, k += head, v += head;
    int t = threadIdx.x, mine = blockIdx.x * TILE;
    int x = t % TILE, y = t / TILE * 8;            // of scores
    int column = t % WIDTH, half = t / WIDTH * 16; // of results
    float greatest[8], sums[8] = {0}, results[16] = {0};
    for (int i = 0; i < 8; i++) greatest[i] = -INFINITY;
    load(query_tile, q, mine, rows);
    for (int first = 0; first < min(mine + TILE, rows); first += TILE) {
        __syncthreads();
        load(key_tile, k, first, rows);
        load(value_tile, v, first, rows);
        __syncthreads();
        float s[8] = {0};
        for (int c = 0; c < WIDTH; c += 4)
            for (int i = 0; i < 8; i++)
                s[i] += dot(&query_tile[y + i][c], &key_tile[x][c]);
        for (int i = 0; i < 8; i++) {
            bool seen = first + x <= mine + y + i;
            float score = seen ? scale * s[i] : -INFINITY, most = score;
            for (int step = 16; step > 0; step /= 2)
                most =
                    fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
            most = fmaxf(most, greatest[i]);
            float weight = expf(score - most);
            float factor = expf(greatest[i] - most);
            greatest[i] = most;
            sums[i] = sums[i] * factor + weight; // of this lane's keys
            p[y + i][x] = weight;
            if (x == 0) shrink[y + i] = factor;
        }
        __syncthreads();
        for (int i = 0; i < 16; i++) results[i] *= shrink[half + i];
        for (int j = 0; j < TILE; j++) {
            float value = value_tile[j][column];
            for (int i = 0; i < 16; i++)
                results[i] += p[half + i][j] * value;
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int step = 16; step > 0; step /= 2)
            sums[i] += __shfl_xor_sync(0xffffffffu, sums[i], step);
        if (x == 0) whole[y + i] = sums[i];
    }
    __syncthreads();
    for (int i = 0; i < 16; i++)
        if (mine + half + i < rows)
            out[((size_t)(mine + half + i) * heads + blockIdx.y) * WIDTH +
                column] = results[i] / whole[half + i];
}

static float *to_device(const float *x, size_t count) {
    float *device;
    CHECK(cudaMalloc(&device, count * sizeof *device));
    if (x)
        CHECK(cudaMemcpy(device, x, count * sizeof *device,
                         cudaMemcpyHostToDevice));
    return device;
}

extern "C" void attention_block(const float *x, const float *gain,
                                const float *w_qkv, const float *w_out,
                                const float *cosines, const float *sines,
                                float *y, int rows, int model, int heads) {
    size_t size = (size_t)rows * model, inner = (size_t)heads * WIDTH;
    float *x_on = to_device(x, size), *gain_on = to_device(gain, model);
    float *w_qkv_on = to_device(w_qkv, model * 3 * inner);
    float *w_out_on = to_device(w_out, inner * model);
    float *cosines_on = to_device(cosines, (size_t)rows * WIDTH / 2);
    float *sines_on = to_device(sines, (size_t)rows * WIDTH / 2);
    float *y_on = to_device(NULL, size);
    float *qkv = to_device(NULL, rows * 3 * inner);
    float *attended = to_device(NULL, rows * inner);
    int down = (rows + SIDE - 1) / SIDE;
    multiply<PROJECT><<<dim3(3 * heads, down), SIDE>>>(
        x_on, w_qkv_on, gain_on, cosines_on, sines_on, qkv, rows,
        3 * (int)inner, model, 2 * heads);
    CHECK(cudaGetLastError());
    attend<<<dim3((rows + TILE - 1) / TILE, heads), THREADS>>>(
        qkv, qkv + rows * inner, qkv + 2 * rows * inner, attended, rows,
        heads);
    CHECK(cudaGetLastError());
    multiply<ADD><<<dim3((model + SIDE - 1) / SIDE, down), SIDE>>>(
        attended, w_out_on, x_on, NULL, NULL, y_on, rows, model, (int)inner,
        0);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y, y_on, size * sizeof *y, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(attended));

    CHECK(cudaFree(y_on));
    CHECK(cudaFree(sines_on));
    CHECK(cudaFree(cosines_on));
    CHECK(cudaFree(w_out_on));
    CHECK(cudaFree(w_qkv_on));
    CHECK(cudaFree(gain_on));
    CHECK(cudaFree(x_on));
}
