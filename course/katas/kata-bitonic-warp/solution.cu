extern "C" __global__ void sort_groups(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    // kz: begin
    // nothing is larger: stays past the end
    int value = i < n ? x[i] : 2147483647;
    for (int size = 2; size <= 32; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int other = __shfl_xor_sync(0xffffffffu, value, step);
            bool rising = (lane & size) == 0, lower = (lane & step) == 0;
            value = rising == lower ? min(value, other) : max(value, other);
        }
    if (i < n) y[i] = value;
    // kz: starter
    //|     int value = i < n ? x[i] : 0;
    //|     // Two loops, over size and step: exchange with lane ^ step,
    //|     // and keep one of the two.
    //|     (void)lane;
    //|     if (i < n) y[i] = value;
    // kz: end
}
