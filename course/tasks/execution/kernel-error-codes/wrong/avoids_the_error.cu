// fails: result
// Never lets the launch fail: y is right, but the codes that were asked for are not.

static __global__ void double_it(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}

extern "C" void checked_double(const float *x, float *y, int *status, int n, int threads) {
    float *device_x, *device_y;
    cudaMalloc(&device_x, n * sizeof(float));
    cudaMalloc(&device_y, n * sizeof(float));
    cudaMemcpy(device_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < 4; k++) status[k] = 0;

    int block = threads >= 1 && threads <= 1024 ? threads : 256;
    double_it<<<(n + block - 1) / block, block>>>(device_x, device_y, n);
    status[0] = cudaGetLastError() != cudaSuccess;
    status[3] = cudaDeviceSynchronize() != cudaSuccess;

    cudaMemcpy(y, device_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}
