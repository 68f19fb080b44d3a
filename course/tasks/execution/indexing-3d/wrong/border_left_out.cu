// fails: result
// Writes the inside only: the border keeps what was there before.
extern "C" __global__ void pad_volume(const float *in, float *out, int depth, int height, int width) {
    int rows = height + 2, columns = width + 2;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (depth + 2) * rows * columns) return;
    int x = i % columns, y = i / columns % rows, z = i / columns / rows;
    if (x > 0 && x <= width && y > 0 && y <= height && z > 0 && z <= depth)
        out[i] = in[((z - 1) * height + (y - 1)) * width + (x - 1)];
}
