// fails: gate store_sectors
// Every pixel is right, but a warp's lanes go down a column: one sector each.
extern "C" __global__ void mirror(const float *in, float *out, int rows, int cols) {
    int t = threadIdx.y * 32 + threadIdx.x;
    int c = blockIdx.x * 32 + t / 8, r = blockIdx.y * 8 + t % 8;
    if (r < rows && c < cols) out[r * cols + c] = in[r * cols + (cols - 1 - c)];
}
