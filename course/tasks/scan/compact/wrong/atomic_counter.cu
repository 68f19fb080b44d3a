// fails: gate atomics
// One counter for all: indices in any order.
extern "C" __global__ void compact(const float *x, float *kept, int *count, int n, float limit) {
    __shared__ int warps[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, done = 0; // done: kept in earlier steps, the same for all threads
    __shared__ int next;
    if (threadIdx.x == 0) *count = 0, next = 0;
    __syncthreads();
    for (int begin = 0; begin < n; begin += 256)
        for (int turn = 0; turn < 256; turn++) {
            if (threadIdx.x == turn && begin + turn < n && x[begin + turn] > limit) kept[atomicAdd(count, 1)] = x[begin + turn];
            __syncthreads();
        }
}
