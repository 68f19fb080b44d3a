// fails: result
// Every lane adds the count of all.
extern "C" __global__ void histogram(const int *keys, int *counts, int n, int bins) {
    int stride = gridDim.x * blockDim.x, lane = threadIdx.x % 32;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int begin = first - lane; begin < n; begin += stride) { // the same for all lanes of a warp
        int i = begin + lane, key = i < n ? keys[i] : -1;
        unsigned same = __match_any_sync(0xffffffffu, key);
        if (key >= 0) atomicAdd(&counts[key], __popc(same));
    }
}
