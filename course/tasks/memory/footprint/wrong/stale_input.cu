// fails: result
// The first step already writes over x, which the last one still needs.
__global__ void twice_plus_one(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i] + 1.0f;
}
__global__ void square_minus(const float *in, const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i] - x[i];
}
extern "C" void pipeline(const float *x, float *y, long long *held, int n) {
    size_t bytes = sizeof(float) * n, before, most, total;
    int blocks = (n + 255) / 256;
    float *a;
    cudaMemGetInfo(&before, &total);
    cudaMalloc(&a, bytes);
    cudaMemGetInfo(&most, &total);
    cudaMemcpy(a, x, bytes, cudaMemcpyHostToDevice);
    twice_plus_one<<<blocks, 256>>>(a, a, n);
    square_minus<<<blocks, 256>>>(a, a, a, n);
    cudaMemcpy(y, a, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a);
    held[0] = (long long)(before - most);
}
