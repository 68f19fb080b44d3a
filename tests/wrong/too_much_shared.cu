// The answer is right, but ptxas refuses 80,000 bytes of static shared memory for every GPU.
// family: vector_add
// exit: 6
// expect: Entry function 'too_much_shared_add_f32' uses too much shared data (0x13880 bytes, 0xc000 max)

extern "C" __global__ void too_much_shared_add_f32(const float *x, const float *y, float *z, size_t n) {
    __shared__ float kept[20000];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) z[i] = kept[threadIdx.x] + y[i];
}
