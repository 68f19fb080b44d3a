// fails: fault
// The last block of 2048 is rarely full.
extern "C" __global__ void scale_shift(const float *x, float *y, float a, float b, int n) {
    int first = blockIdx.x * 2048 + threadIdx.x;
    for (int k = 0; k < 8; k++) y[first + k * 256] = a * x[first + k * 256] + b;
}
