// fails: result
// Every piece ascends: two rising pieces are no rise and fall.
extern "C" __global__ void sort_groups(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = i < n ? x[i] : 2147483647; // nothing is larger: stays past the end
    for (int size = 2; size <= 32; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int other = __shfl_xor_sync(0xffffffffu, value, step);
            bool rising = true, lower = (lane & step) == 0;
            value = rising == lower ? min(value, other) : max(value, other);
        }
    if (i < n) y[i] = value;
}
