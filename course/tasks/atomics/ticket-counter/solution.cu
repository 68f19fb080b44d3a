extern "C" __global__ void sum_once(const float *x, float *partial,
                                    int *ticket, float *total, int n) {
    __shared__ float values[256];
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    values[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) values[t] += values[t + half];
        __syncthreads();
    }
    // kz: begin
    if (t == 0) {
        partial[blockIdx.x] = values[0];
        __threadfence();
        last = atomicAdd(ticket, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (!last || t) return;
    __threadfence();
    float sum = 0.0f;
    for (int b = 0; b < (int)gridDim.x; b++) sum += __ldcg(&partial[b]);
    *total = sum;
    *ticket = 0;
    // kz: starter
    //|     // values[0] has the block's sum. Thread 0: write it, fence, draw a ticket.
    //|     // The last block adds up all of them.
    //|     (void)last;
    // kz: end
}
