extern "C" __global__ void pairs(int *row, int *column, long long first,
                                 int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long k = first + i;
    // kz: begin
    long long r = (long long)((sqrt(8.0 * (double)k + 1.0) - 1.0) / 2.0);
    // the guess may be off by one, either way
    while (r * (r + 1) / 2 > k) r--;
    while ((r + 1) * (r + 2) / 2 <= k) r++;
    row[i] = (int)r;
    column[i] = (int)(k - r * (r + 1) / 2);
    // kz: starter
    //|     long long r = (long long)((sqrtf(8.0f * (float)k + 1.0f) - 1.0f) / 2.0f);
    //|     row[i] = (int)r;
    //|     column[i] = (int)(k - r * (r + 1) / 2);
    // kz: end
}
