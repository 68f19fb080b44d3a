// fails: result
// Launches and copies back: if the launch failed, y holds what was in device memory.

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

    int blocks = threads > 0 ? (n + threads - 1) / threads : 1;
    double_it<<<blocks, threads>>>(device_x, device_y, n);
    status[3] = cudaDeviceSynchronize() != cudaSuccess;

    cudaMemcpy(y, device_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}
