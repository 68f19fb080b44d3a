// fails: gate load_sectors
// Loads the table again for each head.
extern "C" __global__ void rope(float *x, const float *cosines,
                                const float *sines, int tokens, int heads,
                                int width) {
    int half = width / 2, token = blockIdx.x;
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
        float c = cosines[(size_t)token * half + i];
        float s = sines[(size_t)token * half + i];
        for (int head = 0; head < heads; head++) {
            float *at = &x[((size_t)token * heads + head) * width + i];
            c = ((volatile const float *)cosines)[(size_t)token * half + i];
            s = ((volatile const float *)sines)[(size_t)token * half + i];
            float a = at[0], b = at[half];
            at[0] = a * c - b * s;
            at[half] = a * s + b * c;
        }
    }
}
