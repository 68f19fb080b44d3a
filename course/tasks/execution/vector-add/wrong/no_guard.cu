// fails: fault
// The last block has threads without an element.
extern "C" __global__ void vector_add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i] + y[i];
}
