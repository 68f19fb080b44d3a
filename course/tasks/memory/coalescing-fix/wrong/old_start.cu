// fails: result
// The step was changed and the start was not: elements are done twice, others never.
extern "C" __global__ void scale_shift(const float *x, float *y, float a, float b, int n) {
    int first = blockIdx.x * 2048 + threadIdx.x * 8;
    for (int k = 0; k < 8; k++) {
        int i = first + k * 256;
        if (i < n) y[i] = a * x[i] + b;
    }
}
