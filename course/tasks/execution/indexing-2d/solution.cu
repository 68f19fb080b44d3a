// Mirrors an image from left to right. Blocks are 32 wide (x) and 8 high
// (y).

extern "C" __global__ void mirror(const float *in, float *out, int rows,
                                  int cols) {
    // kz: begin
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[r * cols + c] = in[r * cols + (cols - 1 - c)];
    // kz: starter
    //|     // this thread's row and column: which comes from x, which from y?
    //|     int r = 0, c = 0;
    //|     // If the pixel exists, write it: row r, column c of out is row r, column
    //|     // c from the right of in.
    // kz: end
}
