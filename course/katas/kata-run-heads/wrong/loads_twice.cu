// fails: gate load_sectors
// Right, but reads the array two times.
extern "C" __global__ void run_heads(const int *x, unsigned *heads, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = i < n ? x[i] : 0;
    int before = 0 < i && i < n ? x[i - 1] : 0;
    unsigned flags = __ballot_sync(0xffffffffu, i < n && (i == 0 || value != before));
    if (lane == 0 && i < n) heads[i / 32] = flags;
}
