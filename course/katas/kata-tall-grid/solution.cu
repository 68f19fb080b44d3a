// kz: begin
// kz: block 256
// kz: grid ceil(rows*columns/256)
// kz: starter
//| // kz: block 32
//| // kz: grid ceil(columns/32) rows
// kz: end

extern "C" __global__ void scale_rows(const float *x, const float *factor,
                                      float *y, int rows, int columns) {
    // kz: begin
    // rows * columns may be more than an int holds
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)rows * columns) y[i] = x[i] * factor[i / columns];
    // kz: starter
    //|     int r = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    //|     if (c < columns) y[r * columns + c] = x[r * columns + c] * factor[r];
    // kz: end
}
