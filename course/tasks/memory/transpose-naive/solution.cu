extern "C" __global__ void transpose(const float *in, float *out, int rows,
                                     int columns) {
    // kz: begin
    // Along threadIdx.x runs the row of `in`, which is the fast index of
    // `out`.
    int r = blockIdx.y * 32 + threadIdx.x;
    int c = blockIdx.x * 32 + threadIdx.y;
    if (r < rows && c < columns)
        out[(size_t)c * rows + r] = in[(size_t)r * columns + c];
    // kz: starter
    //|     // Which element (r, c) of `in` is this thread's?
    // kz: end
}
