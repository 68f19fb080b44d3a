extern "C" __global__ void rotate(const float *x, float *y, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // kz: begin
    int shift = k % n;
    // now from 0 to n - 1, and no sum below leaves that range
    if (shift < 0) shift += n;
    y[i] = x[i < n - shift ? i + shift : i - (n - shift)];
    // kz: starter
    //|     y[i] = x[i]; // turn this into x[(i + k) mod n]
    // kz: end
}
