// fails: result
// The right row, but the column is a small difference of large numbers, in 24 bits.
extern "C" __global__ void pairs(int *row, int *column, long long first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long k = first + i;
    long long r = (long long)((sqrt(8.0 * (double)k + 1.0) - 1.0) / 2.0);
    while (r * (r + 1) / 2 > k) r--; // the guess may be off by one, either way
    while ((r + 1) * (r + 2) / 2 <= k) r++;
    row[i] = (int)r;
    column[i] = (int)((float)k - (float)r * (float)(r + 1) / 2.0f);
}
