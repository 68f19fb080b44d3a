// Wrong on purpose: the guard was written for 31 lanes, so the last lane of every warp does nothing.
// kz: block 256
// kz: grid ceil(n/256)
extern "C" __global__ void add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.x % 32 < 31) z[i] = x[i] + y[i];
}
