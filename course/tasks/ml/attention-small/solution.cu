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

enum { D = 64, TILE = 32, ROWS = 8 }; // tiles are made by 32 x 8 threads

// scores[head][query][key] = q . k / 8. Blocks: keys, queries, heads
static __global__ void score(const float *q, const float *k, float *scores,
                             int queries, int keys) {
    __shared__ float tile_q[TILE][TILE], tile_k[TILE][TILE + 1];
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    int x = threadIdx.x, y = threadIdx.y;
    float sums[TILE / ROWS] = {};
    q += (size_t)blockIdx.z * queries * D;
    k += (size_t)blockIdx.z * keys * D;
    for (int first = 0; first < D; first += TILE) {
        for (int i = y; i < TILE; i += ROWS) {
            tile_q[i][x] =
                top + i < queries ? q[(top + i) * D + first + x] : 0;
            tile_k[i][x] =
                left + i < keys ? k[(left + i) * D + first + x] : 0;
        }
        __syncthreads();
        for (int c = 0; c < TILE; c++)
            for (int i = 0; i < TILE / ROWS; i++)
                sums[i] += tile_q[y + i * ROWS][c] * tile_k[x][c];
        __syncthreads();
    }
    for (int i = 0; i < TILE / ROWS; i++) {
        size_t query = top + y + i * ROWS, key = left + x;
        if (query < queries && key < keys)
            scores[(blockIdx.z * (size_t)queries + query) * keys + key] =
                sums[i] / 8;
    }
}

// A warp for each row, which becomes its softmax. Blocks of 128 threads
static __global__ void softmax(float *scores, size_t rows, int keys) {
    size_t row = (size_t)blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    scores += row * keys;
    // kz: begin
    float greatest = -1e38f, total = 0.0f; // finite: no inf - inf
    for (int j = lane; j < keys; j += 32) {
        float larger = fmaxf(greatest, scores[j]);
        total = total * expf(greatest - larger) + expf(scores[j] - larger);
        greatest = larger;
    }
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, greatest, step);
        float more = __shfl_xor_sync(0xffffffffu, total, step);
        float larger = fmaxf(greatest, other);
        total =
            total * expf(greatest - larger) + more * expf(other - larger);
        greatest = larger;
    }
    for (int j = lane; j < keys; j += 32)
        scores[j] = expf(scores[j] - greatest) / total;
    // kz: starter
    //|     // The greatest and the sum of the row, across the lanes; then the
    //|     // weights, in place. So far all keys weigh the same:
    //|     for (int j = lane; j < keys; j += 32) scores[j] = 1.0f / keys;
    // kz: end
}

// out[head][query][c] = weights . v. Blocks: columns, queries, heads
static __global__ void mean(const float *weights, const float *v,
                            float *out, int queries, int keys) {
    __shared__ float tile_w[TILE][TILE], tile_v[TILE][TILE];
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    int x = threadIdx.x, y = threadIdx.y;
    float sums[TILE / ROWS] = {};
    weights += (size_t)blockIdx.z * queries * keys;
    v += (size_t)blockIdx.z * keys * D;
    out += (size_t)blockIdx.z * queries * D;
    for (int first = 0; first < keys; first += TILE) {
        for (int i = y; i < TILE; i += ROWS) {
            bool inside = top + i < queries && first + x < keys;
            tile_w[i][x] =
                inside ? weights[(size_t)(top + i) * keys + first + x] : 0;
            tile_v[i][x] =
                first + i < keys ? v[(first + i) * D + left + x] : 0;
        }
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            for (int i = 0; i < TILE / ROWS; i++)
                sums[i] += tile_w[y + i * ROWS][j] * tile_v[j][x];
        __syncthreads();
    }
    for (int i = 0; i < TILE / ROWS; i++)
        if (top + y + i * ROWS < queries)
            out[(top + y + i * ROWS) * D + left + x] = sums[i];
}

static float *on_device(const float *from, size_t count) {
    float *to;
    CHECK(cudaMalloc(&to, count * sizeof *to));
    CHECK(cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyHostToDevice));
    return to;
}

extern "C" void attention(const float *q, const float *k, const float *v,
                          float *out, int heads, int queries, int keys) {
    size_t of_queries = (size_t)heads * queries * D;
    size_t of_keys = (size_t)heads * keys * D;
    float *device_q = on_device(q, of_queries), *device_out;
    float *device_k = on_device(k, of_keys),
          *device_v = on_device(v, of_keys);
    CHECK(cudaMalloc(&device_out, of_queries * sizeof *out));
    // kz: begin
    size_t rows = (size_t)heads * queries;
    float *scores;
    CHECK(cudaMalloc(&scores, rows * keys * sizeof *scores));
    unsigned query_tiles = (queries + TILE - 1) / TILE;
    unsigned key_tiles = (keys + TILE - 1) / TILE;
    dim3 block(TILE, ROWS);
    score<<<dim3(key_tiles, query_tiles, heads), block>>>(
        device_q, device_k, scores, queries, keys);
    softmax<<<(rows + 3) / 4, 128>>>(scores, rows, keys);
    mean<<<dim3(D / TILE, query_tiles, heads), block>>>(
        scores, device_v, device_out, queries, keys);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(scores));
    // kz: starter
    //|     // Memory for the scores; score, softmax, mean; the memory back.
    // kz: end
    CHECK(cudaMemcpy(out, device_out, of_queries * sizeof *out,
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_out));
    CHECK(cudaFree(device_v));
    CHECK(cudaFree(device_k));
    CHECK(cudaFree(device_q));
}
