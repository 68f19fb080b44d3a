// fails: result
// __constant__ without an initialiser is zero, until the host copies something there.
__constant__ float table[8][4];
extern "C" __global__ void calibrate(const float *x, float *y, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    const float *t = table[blockIdx.y];
    float a = x[blockIdx.y * n + i];
    y[blockIdx.y * n + i] = t[0] + a * (t[1] + a * (t[2] + a * t[3]));
}
