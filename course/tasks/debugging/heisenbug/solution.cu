extern "C" __global__ void hand_over(const float *x, float *sums,
                                     int *ready, float *y, int n) {
    __shared__ float values[128];
    __shared__ float before;
    int t = threadIdx.x, b = blockIdx.x, i = b * 128 + t;
    values[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) values[t] += values[t + half];
        __syncthreads();
    }
    if (t == 0) {
        // kz: begin
        sums[b] = values[0];
        __threadfence(); // the sum before the flag
        atomicExch(&ready[b], 1);
        before = 0.0f;
        if (b > 0) {
            while (atomicAdd(&ready[b - 1], 0) == 0) {}
            __threadfence(); // the flag before the sum
            before = *(volatile float *)&sums[b - 1];
        }
        // kz: starter
        //|         sums[b] = values[0];
        //|         ready[b] = 1;
        //|         before = 0.0f;
        //|         if (b > 0) {
        //|             while (ready[b - 1] == 0) {
        //|             }
        //|             before = sums[b - 1];
        //|         }
        // kz: end
    }
    __syncthreads();
    if (i < n) y[i] = x[i] + before;
}
