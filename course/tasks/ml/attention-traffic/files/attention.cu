// One head of attention, 512 positions of 64 floats: by three kernels with the scores in memory, and by one without.
#include <cuda_runtime.h>
#include <stdio.h>

enum { N = 512, D = 64, TILE = 32, ROWS = 8, QUERIES = 64, KEYS = 16 };

__global__ void scores(const float *q, const float *k, float *s) {
    __shared__ float tile_q[TILE][TILE], tile_k[TILE][TILE + 1];
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE, x = threadIdx.x,
        y = threadIdx.y;
    float sums[TILE / ROWS] = {};
    for (int first = 0; first < D; first += TILE) {
        for (int i = y; i < TILE; i += ROWS) {
            tile_q[i][x] = q[(top + i) * D + first + x];
            tile_k[i][x] = k[(left + i) * D + first + x];
        }
        __syncthreads();
        for (int c = 0; c < TILE; c++)
            for (int i = 0; i < TILE / ROWS; i++)
                sums[i] += tile_q[y + i * ROWS][c] * tile_k[x][c];
        __syncthreads();
    }
    for (int i = 0; i < TILE / ROWS; i++)
        s[(top + y + i * ROWS) * N + left + x] = sums[i] / 8;
}

__global__ void softmax(float *s) { // a warp for each row, in place
    int lane = threadIdx.x % 32;
    float *row = s + (blockIdx.x * 4 + threadIdx.x / 32) * N,
          greatest = -1e38f, total = 0.0f;
    for (int j = lane; j < N; j += 32) {
        float larger = fmaxf(greatest, row[j]);
        total = total * expf(greatest - larger) + expf(row[j] - larger);
        greatest = larger;
    }
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, greatest, step);
        float more = __shfl_xor_sync(0xffffffffu, total, step),
              larger = fmaxf(greatest, other);
        total =
            total * expf(greatest - larger) + more * expf(other - larger);
        greatest = larger;
    }
    for (int j = lane; j < N; j += 32)
        row[j] = expf(row[j] - greatest) / total;
}

__global__ void values(const float *w, const float *v, float *out) {
    __shared__ float tile_w[TILE][TILE], tile_v[TILE][TILE];
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE, x = threadIdx.x,
        y = threadIdx.y;
    float sums[TILE / ROWS] = {};
    for (int first = 0; first < N; first += TILE) {
        for (int i = y; i < TILE; i += ROWS) {
            tile_w[i][x] = w[(top + i) * N + first + x];
            tile_v[i][x] = v[(first + i) * D + left + x];
        }
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            for (int i = 0; i < TILE / ROWS; i++)
                sums[i] += tile_w[y + i * ROWS][j] * tile_v[j][x];
        __syncthreads();
    }
    for (int i = 0; i < TILE / ROWS; i++)
        out[(top + y + i * ROWS) * D + left + x] = sums[i];
}

__global__ void fused(const float *q, const float *k, const float *v,
                      float *out) { // a thread for each query
    __shared__ float4 tile_k[KEYS][D / 4], tile_v[KEYS][D / 4];
    int query = blockIdx.x * QUERIES + threadIdx.x;
    const float4 none = {};
    float4 mine[D / 4], o[D / 4];
#pragma unroll
    for (int c = 0; c < D / 4; c++) {
        float4 x = ((const float4 *)q)[query * D / 4 + c];
        mine[c] = make_float4(x.x / 8, x.y / 8, x.z / 8, x.w / 8),
        o[c] = none;
    }
    float greatest = -INFINITY, total = 0.0f;
    for (int first = 0; first < N; first += KEYS) {
        for (int i = threadIdx.x; i < KEYS * D / 4; i += QUERIES) {
            tile_k[0][i] = ((const float4 *)k)[first * D / 4 + i];
            tile_v[0][i] = ((const float4 *)v)[first * D / 4 + i];
        }
        __syncthreads();
        float s[KEYS], larger = greatest;
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            s[j] = 0.0f;
#pragma unroll
            for (int c = 0; c < D / 4; c++) {
                float4 x = tile_k[j][c];
                s[j] += mine[c].x * x.x + mine[c].y * x.y +
                        mine[c].z * x.z + mine[c].w * x.w;
            }
            larger = fmaxf(larger, s[j]);
        }
        float correction = expf(greatest - larger);
        greatest = larger, total *= correction;
#pragma unroll
        for (int c = 0; c < D / 4; c++)
            o[c].x *= correction, o[c].y *= correction,
                o[c].z *= correction, o[c].w *= correction;
#pragma unroll
        for (int j = 0; j < KEYS; j++) {
            float weight = expf(s[j] - greatest);
            total += weight;
#pragma unroll
            for (int c = 0; c < D / 4; c++) {
                float4 x = tile_v[j][c];
                o[c].x += weight * x.x, o[c].y += weight * x.y,
                    o[c].z += weight * x.z, o[c].w += weight * x.w;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int c = 0; c < D / 4; c++)
        ((float4 *)out)[query * D / 4 + c] = make_float4(
            o[c].x / total, o[c].y / total, o[c].z / total, o[c].w / total);
}

int main(void) {
    static float host[3][N * D];
    float *q, *k, *v, *out, *s;
    size_t bytes = sizeof host[0];
    for (int i = 0; i < N * D; i++)
        for (int m = 0; m < 3; m++)
            host[m][i] =
                (float)((i * 7919 + m * 104729) % 2003) / 1001.5f - 1.0f;
    cudaMalloc(&q, bytes), cudaMalloc(&k, bytes), cudaMalloc(&v, bytes),
        cudaMalloc(&out, bytes);
    cudaMalloc(&s, N * N * sizeof *s);
    cudaMemcpy(q, host[0], bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(k, host[1], bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(v, host[2], bytes, cudaMemcpyHostToDevice);
    dim3 block(TILE, ROWS);
    scores<<<dim3(N / TILE, N / TILE), block>>>(q, k, s);
    softmax<<<N / 4, 128>>>(s);
    values<<<dim3(D / TILE, N / TILE), block>>>(s, v, out);
    fused<<<N / QUERIES, QUERIES>>>(q, k, v, out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(s), cudaFree(out), cudaFree(v), cudaFree(k), cudaFree(q);
    return error != cudaSuccess;
}
