// fails: result
// Takes the index for an element of the table.
extern "C" __global__ void gather(const float *table, const int *rows, float *out, int count, int width, int table_rows) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)count * width) return;
    out[i] = table[(size_t)rows[i / width]];
}
