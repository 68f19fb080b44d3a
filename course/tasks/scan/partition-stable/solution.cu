extern "C" __global__ void by_bit(const unsigned *keys, unsigned *sorted,
                                  int n, int bit) {
    __shared__ int warps[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    // kz: begin
    int zeros = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        zeros += !(keys[i] >> bit & 1);
    for (int step = 16; step > 0; step /= 2)
        zeros += __shfl_xor_sync(0xffffffffu, zeros, step);
    if (lane == 0) warps[warp] = zeros;
    __syncthreads();
    zeros = 0;
    for (int w = 0; w < 8; w++) zeros += warps[w];
    __syncthreads();
    int done = 0; // ones in earlier steps
    for (int begin = 0; begin < n; begin += 256) {
        int i = begin + threadIdx.x;
        unsigned key = i < n ? keys[i] : 0u;
        bool one = key >> bit & 1;
        unsigned votes = __ballot_sync(0xffffffffu, one);
        if (lane == 0) warps[warp] = __popc(votes);
        __syncthreads();
        int ones = done + __popc(votes & ((1u << lane) - 1));
        for (int w = 0; w < 8; w++) {
            if (w < warp) ones += warps[w];
            done += warps[w];
        }
        if (i < n) sorted[one ? zeros + ones : i - ones] = key;
        __syncthreads();
    }
    // kz: starter
    //|     // First reading: how many zeros in all? Second reading: ones before
    //|     // me, and with it my place.
    //|     (void)lane, (void)warp, (void)warps;
    // kz: end
}
