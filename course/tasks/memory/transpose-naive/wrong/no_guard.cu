// fails: fault
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    int r = blockIdx.y * 32 + threadIdx.x, c = blockIdx.x * 32 + threadIdx.y;
    out[c * rows + r] = in[r * columns + c];
}
