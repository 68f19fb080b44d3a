extern "C" __global__ void rope(float *x, const float *cosines,
                                const float *sines, int tokens, int heads,
                                int width) {
    int half = width / 2, token = blockIdx.x;
    // kz: begin
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
        float c = cosines[(size_t)token * half + i];
        float s = sines[(size_t)token * half + i];
        for (int head = 0; head < heads; head++) {
            float *at = &x[((size_t)token * heads + head) * width + i];
            float a = at[0], b = at[half];
            at[0] = a * c - b * s;
            at[half] = a * s + b * c;
        }
    }
    // kz: starter
    //|     // Neighbours as pairs: other models do that. And see the second line.
    //|     for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
    //|         float *at = &x[(size_t)token * heads * width + 2 * i];
    //|         float c = cosines[(size_t)token * half + i % half];
    //|         float s = sines[(size_t)token * half + i % half];
    //|         at[0] = at[0] * c - at[1] * s;
    //|         at[1] = at[0] * s + at[1] * c;
    //|     }
    // kz: end
}
