// The midpoints of two vectors, by a grid whose size does not depend on n.

extern "C" __global__ void midpoint(const float *x, const float *y,
                                    float *out, int n) {
    // kz: begin
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = 0.5f * (x[i] + y[i]);
    // kz: starter
    //|     int i = blockIdx.x * blockDim.x + threadIdx.x;
    //|     // One element per thread: make it a loop over all elements of the thread.
    //|     if (i < n) out[i] = 0.5f * (x[i] + y[i]);
    // kz: end
}
