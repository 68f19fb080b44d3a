// fmaxf gives the number where the other is NaN: the maximum of data with a NaN in it must be NaN.
// kz: block 256
// kz: grid 1
// family: reduce
// case: max-f32-n1000-nan
// exit: 1
// expect: NaN was dropped

#include <math.h>

extern "C" __global__ void drops_max_f32(const float *in, float *out, size_t n) {
    __shared__ float part[256];
    float most = -INFINITY;
    for (size_t i = threadIdx.x; i < n; i += 256) most = fmaxf(most, in[i]);
    part[threadIdx.x] = most;
    for (unsigned step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + step]);
    }
    if (threadIdx.x == 0) *out = part[0];
}
