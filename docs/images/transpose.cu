// A naive transpose: reads rows, writes columns.
__global__ void transpose(float *out, const float *in, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

int main() {
    const int n = 1024;
    float *in, *out;
    cudaMalloc(&in, sizeof(float) * n * n);
    cudaMalloc(&out, sizeof(float) * n * n);
    cudaMemset(in, 0, sizeof(float) * n * n);
    transpose<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(out, in, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
