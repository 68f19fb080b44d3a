// Copies a volume into one that is larger by a border of zeros. One thread
// per element of the output.

extern "C" __global__ void pad_volume(const float *in, float *out,
                                      int depth, int height, int width) {
    int rows = height + 2, columns = width + 2; // of the output
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (depth + 2) * rows * columns) return;

    // kz: begin
    int x = i % columns;
    int y = i / columns % rows;
    int z = i / columns / rows;
    bool inside =
        x > 0 && x <= width && y > 0 && y <= height && z > 0 && z <= depth;
    out[i] =
        inside ? in[((z - 1) * height + (y - 1)) * width + (x - 1)] : 0.0f;
    // kz: starter
    //|     int x = 0, y = 0, z = 0; // the coordinates of element i of the output
    //|     // On the border out[i] is 0; inside it is the input's
    //|     // element (z-1, y-1, x-1).
    // kz: end
}
