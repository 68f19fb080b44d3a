// Computes once and repeats that answer for ever: right on the first data, wrong on the second.
// family: vector_add
// case: add-f32-n1025-uniform
// exit: 1
// expect: it is stale

__device__ float kept[2048];
__device__ int is_kept[2048];

extern "C" __global__ void stale_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || i >= 2048) return;
    if (!is_kept[i]) kept[i] = x[i] + y[i];
    is_kept[i] = 1;
    z[i] = kept[i];
}
