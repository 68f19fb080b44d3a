// Wrong on purpose: a tree in shared memory without the barrier between its steps.
// kz: block 256
// kz: grid 1
extern "C" __global__ void race_sum_f32(const float *x, float *out, size_t n) {
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0;
    for (size_t i = t; i < n; i += 256) sum += x[i];
    part[t] = sum;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2)
        if (t < step) part[t] += part[t + step];
    if (t == 0) *out = part[0];
}
