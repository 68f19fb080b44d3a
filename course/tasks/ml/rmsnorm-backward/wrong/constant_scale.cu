// fails: result
// The starter: takes the scale for a constant.
extern "C" __global__ void
rmsnorm_backward(const float *x, const float *gain, const float *scale,
                 const float *dy, float *dx, int rows, int columns) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) return; // the whole warp
    size_t first = (size_t)row * columns;
    float s = scale[row];
    float mean = 0.0f;
    for (int i = lane; i < columns; i += 32)
        mean += gain[i] * dy[first + i] * (x[first + i] * s);
    for (int step = 16; step > 0; step /= 2)
        mean += __shfl_xor_sync(0xffffffffu, mean, step);
    mean /= columns;
    for (int i = lane; i < columns; i += 32) {
        float g = gain[i] * dy[first + i], h = x[first + i] * s;
        dx[first + i] = s * g;
    }
}
