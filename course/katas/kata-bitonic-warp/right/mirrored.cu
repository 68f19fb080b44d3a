// Each size begins with a mirrored exchange: then all pieces rise, and
// lower lanes keep the smaller one.
extern "C" __global__ void sort_groups(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
    int value = i < n ? x[i] : 2147483647;
    for (int size = 2; size <= 32; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int with = lane ^ (step == size / 2 ? size - 1 : step);
            int other = __shfl_sync(0xffffffffu, value, with);
            value = lane < with ? min(value, other) : max(value, other);
        }
    if (i < n) y[i] = value;
}
