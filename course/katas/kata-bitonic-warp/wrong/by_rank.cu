// fails: gate shuffles
// Right: each lane counts how many are before it. 32 shuffles, and scattered stores.
extern "C" __global__ void sort_groups(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = i < n ? x[i] : 2147483647; // nothing is larger: stays past the end
    int rank = 0;
    for (int from = 0; from < 32; from++) {
        int other = __shfl_sync(0xffffffffu, value, from);
        rank += other < value || (other == value && from < lane);
    }
    if (i < n) y[i - lane + rank] = value;
}
