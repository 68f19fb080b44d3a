// fails: fault
// Reads first and chooses afterwards: the border has no element in the input.
extern "C" __global__ void pad_volume(const float *in, float *out, int depth, int height, int width) {
    int rows = height + 2, columns = width + 2;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (depth + 2) * rows * columns) return;
    int x = i % columns, y = i / columns % rows, z = i / columns / rows;
    float value = *(volatile const float *)&in[((z - 1) * height + (y - 1)) * width + (x - 1)];
    bool inside = x > 0 && x <= width && y > 0 && y <= height && z > 0 && z <= depth;
    out[i] = inside ? value : 0.0f;
}
