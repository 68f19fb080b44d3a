// fails: result
// Widening what was added narrowly.
#include <cuda_bf16.h>

enum { PART = 16 };

static __device__ __nv_bfloat16 add(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __float2bfloat16_rn(__bfloat162float(a) + __bfloat162float(b));
}

extern "C" __global__ void sums(const __nv_bfloat16 *x, float *narrow,
                                float *parts, float *wide, int n,
                                int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    const __nv_bfloat16 zero = __float2bfloat16_rn(0.0f);
    __nv_bfloat16 all = zero, part = zero;
    float of_parts = 0.0f, sum = 0.0f;
    for (int k = 0; k < n; k++) {
        __nv_bfloat16 v = x[(size_t)k * columns + c];
        all = add(all, v);
        part = add(part, v);
        sum = __bfloat162float(all);
        if (k % PART == PART - 1 || k == n - 1) {
            of_parts += __bfloat162float(part);
            part = zero;
        }
    }
    narrow[c] = __bfloat162float(all);
    parts[c] = of_parts;
    wide[c] = sum;
}
