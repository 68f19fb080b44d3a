// fails: result
// A root of 24 bits, and nothing that corrects it.
extern "C" __global__ void pairs(int *row, int *column, long long first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long k = first + i;
    long long r = (long long)((sqrtf(8.0f * (float)k + 1.0f) - 1.0f) / 2.0f);
    row[i] = (int)r;
    column[i] = (int)(k - r * (r + 1) / 2);
}
