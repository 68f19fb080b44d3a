// fails: result
// Decides only by the range: half if it is finite. But near its lower end half has fewer digits than bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void narrow(const float *x, __half *h, __nv_bfloat16 *b, int *nearer, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    h[i] = __float2half_rn(x[i]);
    b[i] = __float2bfloat16_rn(x[i]);
    nearer[i] = isnan(x[i]) ? 0 : fabsf(x[i]) <= 65504.0f ? 1 : 2;
}
