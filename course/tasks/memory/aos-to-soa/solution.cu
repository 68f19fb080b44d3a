extern "C" __global__ void split(const float *points, float *x, float *y,
                                 float *z, int n) {
    // kz: begin
    __shared__ float words[3 * 256];
    int first = blockIdx.x * 256, t = threadIdx.x;
    int count = 3 * min(256, n - first); // floats of this block's points
    for (int k = t; k < count; k += 256)
        words[k] = points[3 * (size_t)first + k];
    __syncthreads();
    if (first + t < n) {
        x[first + t] = words[3 * t];
        y[first + t] = words[3 * t + 1];
        z[first + t] = words[3 * t + 2];
    }
    // kz: starter
    //|     // Right, but each of the three loads touches every sector of the block's
    //|     // points.
    //|     int i = blockIdx.x * 256 + threadIdx.x;
    //|     if (i < n) {
    //|         x[i] = points[3 * i];
    //|         y[i] = points[3 * i + 1];
    //|         z[i] = points[3 * i + 2];
    //|     }
    // kz: end
}
