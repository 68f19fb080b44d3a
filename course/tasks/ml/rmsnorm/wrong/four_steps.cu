// fails: result
// Starts at 8: the two halves of the warp are never added.
#define EPSILON 1e-5f

extern "C" __global__ void rmsnorm(const float *x, const float *gain, float *y, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return; // the whole warp
    const float *from = &x[(size_t)row * columns];
    float *to = &y[(size_t)row * columns];
    float squares = 0.0f;
    for (int i = lane; i < columns; i += 32) squares += from[i] * from[i];
    for (int step = 8; step > 0; step /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, step);
    float scale = rsqrtf(squares / columns + EPSILON);
    for (int i = lane; i < columns; i += 32) to[i] = from[i] * scale * gain[i];
}
