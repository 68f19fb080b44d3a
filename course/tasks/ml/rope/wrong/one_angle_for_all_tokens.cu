// fails: result
// The table of token 0.
extern "C" __global__ void rope(float *x, const float *cosines,
                                const float *sines, int tokens, int heads,
                                int width) {
    int half = width / 2, token = blockIdx.x;
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
        float c = cosines[i];
        float s = sines[i];
        for (int head = 0; head < heads; head++) {
            float *at = &x[((size_t)token * heads + head) * width + i];
            float a = at[0], b = at[half];
            at[0] = a * c - b * s;
            at[half] = a * s + b * c;
        }
    }
}
