extern "C" __global__ void odd_part(const float *x, float *y, int n) {
    __shared__ float tile[256];
    int base = blockIdx.x * 256;
    int length = min(256, n - base); // of this block's piece
    int t = threadIdx.x;
    // kz: begin
    float own = 0.0f;
    if (t < length) {
        own = x[base + t];
        tile[t] = own;
    }
    __syncthreads(); // outside of the condition: all 256 threads must come
    if (t < length) y[base + t] = own - tile[length - 1 - t];
    // kz: starter
    //|     // Thread t has element t of the piece. Put it into the tile,
    //|     // wait, use the mirror image.
    //|     if (t < length) tile[t] = x[base + t];
    // kz: end
}
