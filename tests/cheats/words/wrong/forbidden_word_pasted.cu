// fails: source
// A word that only the preprocessor writes, and only for the device.
#ifdef __CUDA_ARCH__
#define READ(p) CAT(__ld, cv)(p)
#else
#define READ(p) (*(p))
#endif
#define CAT(a, b) a##b
extern "C" __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * READ(&x[i]);
}
