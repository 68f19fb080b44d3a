extern "C" __global__ void run_heads(const int *x, unsigned *heads, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    // kz: begin
    int value = i < n ? x[i] : 0;
    int before = __shfl_up_sync(0xffffffffu, value, 1);
    if (lane == 0 && 0 < i && i < n) before = x[i - 1];
    unsigned flags =
        __ballot_sync(0xffffffffu, i < n && (i == 0 || value != before));
    if (lane == 0 && i < n) heads[i / 32] = flags;
    // kz: starter
    //|     // The value, the one before it, a ballot, and one store for the warp.
    //|     if (lane == 0 && i < n) heads[i / 32] = 0;
    // kz: end
}
