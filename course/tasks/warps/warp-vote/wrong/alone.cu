// fails: gate lanes_per_instruction
// Lane 0 does it all.
extern "C" __global__ void find_first(const float *x, int *first, int groups, int length, float limit) {
    int group = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (group >= groups) return; // the whole warp
    if (lane != 0) return;
    int found = -1;
    for (int i = 0; i < length && found < 0; i++)
        if (x[(size_t)group * length + i] > limit) found = i;
    first[group] = found;
}
