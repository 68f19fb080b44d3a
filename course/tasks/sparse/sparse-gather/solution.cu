extern "C" __global__ void gather(const float *table, const int *rows,
                                  float *out, int count, int width,
                                  int table_rows) {
    // kz: begin
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)count * width) return;
    out[i] = table[(size_t)rows[i / width] * width + i % width];
    // kz: starter
    //|     // One thread for each element of out: which row of out, which column?
    // kz: end
}
