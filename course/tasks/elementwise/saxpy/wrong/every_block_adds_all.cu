// fails: result
// A loop over all elements in every block: each update is made as often as there are blocks, and they race.
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = a * x[i] + y[i];
}
