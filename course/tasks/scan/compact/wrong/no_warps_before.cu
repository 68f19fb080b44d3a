// fails: race
// Only the index within the warp: warps overwrite each other.
extern "C" __global__ void compact(const float *x, float *kept, int *count, int n, float limit) {
    __shared__ int warps[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, done = 0; // done: kept in earlier steps, the same for all threads
    for (int begin = 0; begin < n; begin += 256) {
        int i = begin + threadIdx.x;
        float value = i < n ? x[i] : 0.0f;
        bool wanted = i < n && value > limit;
        unsigned votes = __ballot_sync(0xffffffffu, wanted);
        if (lane == 0) warps[warp] = __popc(votes);
        __syncthreads();
        int place = done + __popc(votes & ((1u << lane) - 1)), all = 0;
        for (int w = 0; w < 8; w++) {
            (void)warp;
            all += warps[w];
        }
        if (wanted) kept[place] = value;
        done += all;
        __syncthreads(); // all have read the counts
    }
    if (threadIdx.x == 0) *count = done;
}
