// fails: source
// In C++ 1'0 is a number, and u8'"' is a character.
const int ten = 1'0;
extern "C" __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * ((void)u8'"', __ldcv(&x[i])) /* " */;
}
