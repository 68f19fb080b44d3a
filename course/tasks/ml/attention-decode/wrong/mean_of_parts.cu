// fails: result
// Parts are put together as if each had the same greatest score.
#include <cuda_fp16.h>
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

enum { WIDTH = 64, THREADS = 128, WARPS = THREADS / 32, MOST_GROUP = 8 };
enum { PART = 128 }; // keys of a block

// What a block knows of a query after its keys: the weights are
// exp(score - greatest), `sum` is theirs, `values` the sum of weights times
// values.
typedef struct part_result {
    float greatest, sum, values[WIDTH];
} part_result;

// The dot product of 8 numbers of a query with 8 halves of a key.
static __device__ float dot_8(const float *query, uint4 eight) {
    const __half2 *pairs = (const __half2 *)&eight;
    float sum = 0.0f;
    for (int i = 0; i < 4; i++) {
        float2 x = __half22float2(pairs[i]);
        sum += query[2 * i] * x.x + query[2 * i + 1] * x.y;
    }
    return sum;
}

// A block for PART keys of one sequence and one head of keys and values,
// and all `group` queries that look at it.
static __global__ void __launch_bounds__(THREADS)
    attend(const __half *q, const __half *k, const __half *v,
           part_result *parts, int group, int keys) {
    __shared__ float queries[MOST_GROUP][WIDTH];
    __shared__ float weights[MOST_GROUP][PART];
    __shared__ float sums[WARPS][MOST_GROUP][WIDTH];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int first = blockIdx.x * PART, count = min(PART, keys - first);
    int head = blockIdx.y; // of keys and values, through all sequences
    k += ((size_t)head * keys + first) * WIDTH;
    v += ((size_t)head * keys + first) * WIDTH;
    for (int i = t; i < group * WIDTH; i += THREADS)
        queries[i / WIDTH][i % WIDTH] =
            __half2float(q[(size_t)head * group * WIDTH + i]) * 0.125f;
    __syncthreads();

    // Eight lanes have a key, 16 bytes each; a warp has four keys.
    for (int first_key = 0; first_key < PART; first_key += THREADS / 8) {
        int key = first_key + t / 8;
        uint4 eight = {0, 0, 0, 0};
        if (key < count) eight = ((const uint4 *)k)[key * 8 + t % 8];
        for (int h = 0; h < group; h++) {
            float score = dot_8(&queries[h][t % 8 * 8], eight);
            for (int step = 4; step > 0; step /= 2)
                score += __shfl_xor_sync(0xffffffffu, score, step);
            if (t % 8 == 0)
                weights[h][key] = key < count ? score : -INFINITY;
        }
    }
    __syncthreads();

    // A warp makes weights of the scores of every fourth query.
    for (int h = warp; h < group; h += WARPS) {
        float greatest = -INFINITY, sum = 0.0f;
        for (int j = lane; j < PART; j += 32)
            greatest = fmaxf(greatest, weights[h][j]);
        for (int step = 16; step > 0; step /= 2)
            greatest = fmaxf(greatest,
                             __shfl_xor_sync(0xffffffffu, greatest, step));
        for (int j = lane; j < PART; j += 32)
            sum += weights[h][j] = expf(weights[h][j] - greatest);
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        part_result *to =
            &parts[((size_t)head * group + h) * gridDim.x + blockIdx.x];
        if (lane == 0) to->greatest = greatest, to->sum = sum;
    }
    __syncthreads();

    // A warp has every fourth key, a lane two columns.
    float2 mine[MOST_GROUP];
    for (int h = 0; h < MOST_GROUP; h++) mine[h] = make_float2(0.0f, 0.0f);
    for (int j = warp; j < count; j += WARPS) {
        float2 x = __half22float2(((const __half2 *)v)[j * 32 + lane]);
#pragma unroll
        for (int h = 0; h < MOST_GROUP; h++)
            if (h < group) {
                mine[h].x += weights[h][j] * x.x;
                mine[h].y += weights[h][j] * x.y;
            }
    }
#pragma unroll
    for (int h = 0; h < MOST_GROUP; h++)
        if (h < group) *(float2 *)&sums[warp][h][2 * lane] = mine[h];
    __syncthreads();
    for (int i = t; i < group * WIDTH; i += THREADS) {
        int h = i / WIDTH, c = i % WIDTH;
        float sum = 0.0f;
        for (int w = 0; w < WARPS; w++) sum += sums[w][h][c];
        parts[((size_t)head * group + h) * gridDim.x + blockIdx.x]
            .values[c] = sum;
    }
}

// A block for each query, a thread for each column.
static __global__ void combine(const part_result *parts, float *out,
                               int count) {
    int c = threadIdx.x;
    parts += (size_t)blockIdx.x * count;
    float greatest = -INFINITY, sum = 0.0f, value = 0.0f;
    for (int i = 0; i < count; i++)
        greatest = fmaxf(greatest, parts[i].greatest);
    for (int i = 0; i < count; i++) {
        float factor = 1.0f;
        sum += factor * parts[i].sum;
        value += factor * parts[i].values[c];
    }
    out[(size_t)blockIdx.x * WIDTH + c] = value / sum;
}

static void *to_device(const void *x, size_t bytes) {
    void *device;
    CHECK(cudaMalloc(&device, bytes));
    if (x) CHECK(cudaMemcpy(device, x, bytes, cudaMemcpyHostToDevice));
    return device;
}

extern "C" void attention_decode(const __half *q, const __half *k,
                                 const __half *v, float *out, int sequences,
                                 int heads, int kv_heads, int keys) {
    int group = heads / kv_heads, all = sequences * heads;
    size_t half = sizeof(__half) * WIDTH;
    __half *q_on = (__half *)to_device(q, all * half);
    __half *k_on =
        (__half *)to_device(k, (size_t)sequences * kv_heads * keys * half);
    __half *v_on =
        (__half *)to_device(v, (size_t)sequences * kv_heads * keys * half);
    float *out_on = (float *)to_device(NULL, all * WIDTH * sizeof *out);
    int count = (keys + PART - 1) / PART;
    part_result *parts =
        (part_result *)to_device(NULL, all * count * sizeof *parts);
    attend<<<dim3(count, sequences * kv_heads), THREADS>>>(
        q_on, k_on, v_on, parts, group, keys);
    CHECK(cudaGetLastError());
    combine<<<all, WIDTH>>>(parts, out_on, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, out_on, all * WIDTH * sizeof *out,
                     cudaMemcpyDeviceToHost));
    CHECK(cudaFree(parts));
    CHECK(cudaFree(out_on));
    CHECK(cudaFree(v_on));
    CHECK(cudaFree(k_on));
    CHECK(cudaFree(q_on));
}
