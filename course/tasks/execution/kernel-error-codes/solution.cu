// Doubles x into y with blocks of `threads` threads, or of 256 if
// that cannot be launched.

static __global__ void double_it(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}

extern "C" void checked_double(const float *x, float *y, int *status, int n,
                               int threads) {
    float *device_x, *device_y;
    cudaMalloc(&device_x, n * sizeof(float));
    cudaMalloc(&device_y, n * sizeof(float));
    cudaMemcpy(device_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < 4; k++) status[k] = 0;

    // kz: begin
    int blocks = threads > 0 ? (n + threads - 1) / threads : 1;
    double_it<<<blocks, threads>>>(device_x, device_y, n);
    status[0] = cudaGetLastError() != cudaSuccess;
    status[1] = cudaGetLastError() != cudaSuccess;
    if (status[0]) {
        double_it<<<(n + 255) / 256, 256>>>(device_x, device_y, n);
        status[2] = cudaGetLastError() != cudaSuccess;
    }
    status[3] = cudaDeviceSynchronize() != cudaSuccess;
    // kz: starter
    //|     int blocks = threads > 0 ? (n + threads - 1) / threads : 1;
    //|     double_it<<<blocks, threads>>>(device_x, device_y, n);
    //|     // What did the launch report? If it failed, launch again with blocks of
    //|     // 256. Fill status[0] to status[3] with 0 or 1.
    // kz: end

    cudaMemcpy(y, device_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}
