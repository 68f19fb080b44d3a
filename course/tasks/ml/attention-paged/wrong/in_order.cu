// fails: result
// Takes pages to lie in the order of the sequence.
#include <cuda_fp16.h>

enum { WIDTH = 64, PAGE = 16, THREADS = 128, WARPS = THREADS / 32 };

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

// y += factor * 8 halves
static __device__ void add_8(float *y, float factor, uint4 eight) {
    const __half2 *pairs = (const __half2 *)&eight;
    for (int i = 0; i < 4; i++) {
        float2 x = __half22float2(pairs[i]);
        y[2 * i] += factor * x.x;
        y[2 * i + 1] += factor * x.y;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    attention_paged(const float *q, const __half *k, const __half *v,
                    const int *table, const int *lengths, float *out,
                    int sequences, int most) {
    __shared__ float greatests[WARPS], sums[WARPS], values[WARPS][WIDTH];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int eighth = lane % 8 * 8; // the lane's 8 columns
    int length = lengths[blockIdx.x];
    table += (size_t)blockIdx.x * most; // the sequence's pages
    float query[8], value[8] = {0};
    const float *from = &q[(size_t)blockIdx.x * WIDTH + eighth];
    *(float4 *)&query[0] = *(const float4 *)&from[0];
    *(float4 *)&query[4] = *(const float4 *)&from[4];
    for (int c = 0; c < 8; c++) query[c] *= 0.125f; // 1 / sqrt(WIDTH)
    float greatest = -INFINITY, sum = 0.0f;
    // A warp for a page; lanes l to l + 7 have keys l / 8, l / 8 + 4, ...
    for (int page = warp; page * PAGE < length; page += WARPS) {
        size_t begin =
            ((size_t)blockIdx.x * most + page) * PAGE * WIDTH + eighth;
        float scores[4], next = greatest;
        for (int i = 0; i < 4; i++) {
            int key = lane / 8 + 4 * i;
            bool inside = page * PAGE + key < length;
            uint4 eight = {0, 0, 0, 0};
            if (inside) eight = *(const uint4 *)&k[begin + key * WIDTH];
            float score = dot_8(query, eight);
            for (int step = 4; step > 0; step /= 2)
                score += __shfl_xor_sync(0xffffffffu, score, step);
            scores[i] = inside ? score : -INFINITY;
            next = fmaxf(next, scores[i]);
        }
        for (int step = 16; step >= 8; step /= 2)
            next = fmaxf(next, __shfl_xor_sync(0xffffffffu, next, step));
        float factor = expf(greatest - next);
        greatest = next;
        sum *= factor;
        for (int c = 0; c < 8; c++) value[c] *= factor;
        for (int i = 0; i < 4; i++) {
            int key = lane / 8 + 4 * i;
            if (page * PAGE + key >= length) continue;
            float weight = expf(scores[i] - greatest);
            sum += weight; // of these lanes' keys
            add_8(value, weight, *(const uint4 *)&v[begin + key * WIDTH]);
        }
    }
    for (int step = 16; step >= 8; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
        for (int c = 0; c < 8; c++)
            value[c] += __shfl_xor_sync(0xffffffffu, value[c], step);
    }
    if (lane == 0) greatests[warp] = greatest, sums[warp] = sum;
    for (int c = 0; c < 8 && lane < 8; c++)
        values[warp][eighth + c] = value[c];
    __syncthreads();
    if (threadIdx.x >= WIDTH) return;
    float all = -INFINITY, whole = 0.0f, result = 0.0f;
    for (int w = 0; w < WARPS; w++) all = fmaxf(all, greatests[w]);
    for (int w = 0; w < WARPS; w++) {
        float factor = expf(greatests[w] - all); // 0: a warp without pages
        whole += factor * sums[w];
        result += factor * values[w][threadIdx.x];
    }
    out[(size_t)blockIdx.x * WIDTH + threadIdx.x] = result / whole;
}
