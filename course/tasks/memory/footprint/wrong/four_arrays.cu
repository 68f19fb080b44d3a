// fails: gate held_bytes
// Honest about it, but it holds four arrays.
__global__ void twice_plus_one(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i] + 1.0f;
}
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}
__global__ void minus(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] - b[i];
}
extern "C" void pipeline(const float *x, float *y, long long *held, int n) {
    size_t bytes = sizeof(float) * n, before, most, total;
    int blocks = (n + 255) / 256;
    float *a[4];
    cudaMemGetInfo(&before, &total);
    for (int k = 0; k < 4; k++) cudaMalloc(&a[k], bytes);
    cudaMemGetInfo(&most, &total);
    cudaMemcpy(a[0], x, bytes, cudaMemcpyHostToDevice);
    twice_plus_one<<<blocks, 256>>>(a[0], a[1], n);
    square<<<blocks, 256>>>(a[1], a[2], n);
    minus<<<blocks, 256>>>(a[2], a[0], a[3], n);
    cudaMemcpy(y, a[3], bytes, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 4; k++) cudaFree(a[k]);
    held[0] = (long long)(before - most);
}
