// fails: fault
// Reads the index by the element, not by the row.
extern "C" __global__ void gather(const float *table, const int *rows, float *out, int count, int width, int table_rows) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)count * width) return;
    out[i] = table[(size_t)rows[i] * width + i % width];
}
