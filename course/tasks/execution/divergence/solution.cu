// Even elements take one road, odd ones the other. The threads are shared
// out so that no warp has to take both.

// Both are loops on purpose (unroll 1): a short road would be computed by
// all lanes without a branch.
static __device__ float even_road(float x) {
    float v = 1.0f;
#pragma unroll 1
    for (int step = 0; step < 24; step++) v = v * x + 1.0f;
    return v;
}

static __device__ float odd_road(float x) {
    float v = 1.0f;
#pragma unroll 1
    for (int step = 0; step < 24; step++)
        v = v - 0.25f * (v * v - (1.0f + x));
    return v;
}

extern "C" __global__ void two_roads(const float *x, float *out, int n) {
    // kz: begin
    // The first half of the block's warps does the even elements, the
    // second half the odd ones.
    int half = blockDim.x / 2;
    int odd = threadIdx.x / half;
    int i = blockIdx.x * blockDim.x + 2 * (threadIdx.x % half) + odd;
    if (i >= n) return;
    if (odd == 0)
        out[i] = even_road(x[i]);
    else
        out[i] = odd_road(x[i]);
    // kz: starter
    //|     // change which element a thread takes
    //|     int i = blockIdx.x * blockDim.x + threadIdx.x;
    //|     if (i >= n) return;
    //|     if (i % 2 == 0)
    //|         out[i] = even_road(x[i]);
    //|     else
    //|         out[i] = odd_road(x[i]);
    // kz: end
}
