// fails: source
// A word over two lines is one word to the compiler.
extern "C" __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * __ld\
cv(&x[i]);
}
