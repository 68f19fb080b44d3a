// fails: result
// The sum forgets the second of each pair.
#include <cuda_fp16.h>

#define PER_LANE 8 // pairs: at most 512 columns

static __device__ float greatest_of(float value) {
    for (int step = 16; step > 0; step /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    return value;
}

static __device__ float sum_of(float value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

extern "C" __global__ void softmax(const __half *x, __half *y, int rows,
                                   int columns) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) return; // the whole warp
    int pairs = columns / 2;
    const __half2 *from = (const __half2 *)&x[(size_t)row * columns];
    __half2 *to = (__half2 *)&y[(size_t)row * columns];
    float2 v[PER_LANE];
    float greatest = -INFINITY, sum = 0.0f;
    for (int k = 0; k < PER_LANE; k++) {
        v[k] = make_float2(-INFINITY, -INFINITY);
        if (lane + 32 * k < pairs)
            v[k] = __half22float2(from[lane + 32 * k]);
        greatest = fmaxf(greatest, fmaxf(v[k].x, v[k].y));
    }
    greatest = greatest_of(greatest);
    for (int k = 0; k < PER_LANE; k++) {
        v[k].x = expf(v[k].x - greatest);
        v[k].y = expf(v[k].y - greatest);
        sum += v[k].x;
    }
    sum = sum_of(sum);
    for (int k = 0; k < PER_LANE; k++)
        if (lane + 32 * k < pairs)
            to[lane + 32 * k] =
                __floats2half2_rn(v[k].x / sum, v[k].y / sum);
}
