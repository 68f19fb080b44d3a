// fails: gate copied_bytes
// Saves memory by sending x to the device twice.
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
    float *a, *b;
    cudaMemGetInfo(&before, &total);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemGetInfo(&most, &total);
    cudaMemcpy(a, x, bytes, cudaMemcpyHostToDevice);
    twice_plus_one<<<blocks, 256>>>(a, b, n);
    cudaMemcpy(a, x, bytes, cudaMemcpyHostToDevice);
    square_minus<<<blocks, 256>>>(b, a, b, n);
    cudaMemcpy(y, b, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    held[0] = (long long)(before - most);
}
