// A vector addition with a mistake: the last element of each block is left out.
// kz: block 256
// kz: grid ceil(n/256)
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.x != 255) z[i] = x[i] + y[i];
}
