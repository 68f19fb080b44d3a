// fails: source
// Two arrays, all freed, but the footprint is a guess.
__global__ void all(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = i < n ? 2.0f * in[i] + 1.0f : 0.0f;
    if (i < n) out[i] = t * t - in[i];
}
extern "C" void pipeline(const float *x, float *y, long long *held, int n) {
    size_t bytes = sizeof(float) * n;
    float *a, *b;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, x, bytes, cudaMemcpyHostToDevice);
    all<<<(n + 255) / 256, 256>>>(a, b, n);
    cudaMemcpy(y, b, bytes, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    held[0] = 2; // arrays, not bytes
}
