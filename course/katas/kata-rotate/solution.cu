extern "C" __global__ void rotate(const float *x, float *y, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // kz: begin
    int from = i - n + k % n; // between -2n and n: cannot overflow
    while (from < 0) from += n;
    y[i] = x[from];
    // kz: starter
    //|     y[i] = x[i]; // turn this into x[(i + k) mod n]
    // kz: end
}
