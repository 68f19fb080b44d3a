// fails: gate store_sectors
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    if (r < rows && c < columns) out[c * rows + r] = in[r * columns + c];
}
