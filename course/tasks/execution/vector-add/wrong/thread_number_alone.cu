// fails: result
// Every block adds the first 256 elements again, and the rest is never written.
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, int n) {
    int i = threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
