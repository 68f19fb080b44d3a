// fails: gate barriers
// kz: grid rows
// kz: block 128
#define EPSILON 1e-5f
extern "C" __global__ void rmsnorm(const float *x, const float *gain, float *y, int rows, int columns) {
    __shared__ float values[128];
    const float *from = &x[(size_t)blockIdx.x * columns];
    float squares = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 128) squares += from[i] * from[i];
    values[threadIdx.x] = squares;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    float scale = rsqrtf(values[0] / columns + EPSILON);
    for (int i = threadIdx.x; i < columns; i += 128) y[(size_t)blockIdx.x * columns + i] = from[i] * scale * gain[i];
}
