// A tree in shared memory without barriers: warps read what others have not yet written.
// kz: block 256
// kz: grid 1
// family: reduce
// case: sum-f32-n1024-uniform
// exit: 1
// expect: wrong

extern "C" __global__ void missing_barrier_sum_f32(const float *in, float *out, size_t n) {
    __shared__ volatile float part[256];
    float sum = 0.0f;
    for (size_t i = threadIdx.x; i < n; i += 256) sum += in[i];
    part[threadIdx.x] = sum;
    for (unsigned step = 128; step > 0; step /= 2)
        if (threadIdx.x < step) part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + step];
    if (threadIdx.x == 0) *out = part[0];
}
