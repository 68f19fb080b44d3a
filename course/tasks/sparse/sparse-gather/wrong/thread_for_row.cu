// fails: gate store_sectors
// kz: grid ceil(count/128)
// kz: block 128
extern "C" __global__ void gather(const float *table, const int *rows, float *out, int count, int width, int table_rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (int c = 0; c < width; c++) out[(size_t)i * width + c] = table[(size_t)rows[i] * width + c];
}
