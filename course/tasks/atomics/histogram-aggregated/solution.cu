extern "C" __global__ void histogram(const int *keys, int *counts, int n,
                                     int bins) {
    // kz: begin
    int stride = gridDim.x * blockDim.x, lane = threadIdx.x % 32;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    // the same for all lanes of a warp
    for (int begin = first - lane; begin < n; begin += stride) {
        int i = begin + lane, key = i < n ? keys[i] : -1;
        unsigned same = __match_any_sync(0xffffffffu, key);
        if (key >= 0 && lane == __ffs(same) - 1)
            atomicAdd(&counts[key], __popc(same));
    }
    // kz: starter
    //|     // Per round of the loop: who has my key? The first of them adds for all.
    //|     // All lanes run the same number of rounds.
    // kz: end
}
