// fails: result
// Numbers the pairs of two different things: row r has r of them.
extern "C" __global__ void pairs(int *row, int *column, long long first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long k = first + i;
    long long r = (long long)((sqrt(8.0 * (double)k + 1.0) - 1.0) / 2.0);
    while (r * (r + 1) / 2 > k) r--; // the guess may be off by one, either way
    while ((r + 1) * (r + 2) / 2 <= k) r++;
    row[i] = (int)r + 1;
    column[i] = (int)(k - r * (r + 1) / 2);
}
