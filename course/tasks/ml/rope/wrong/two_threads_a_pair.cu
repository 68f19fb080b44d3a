// fails: race
// A thread for each element, which reads what the other one overwrites.
extern "C" __global__ void rope(float *x, const float *cosines, const float *sines, int tokens, int heads, int width) {
    int half = width / 2, token = blockIdx.x;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        float c = cosines[(size_t)token * half + i % half], s = sines[(size_t)token * half + i % half];
        for (int head = 0; head < heads; head++) {
            float *at = &x[((size_t)token * heads + head) * width];
            at[i] = i < half ? at[i] * c - at[i + half] * s : at[i - half] * s + at[i] * c;
        }
    }
}
