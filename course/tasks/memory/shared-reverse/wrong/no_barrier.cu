// fails: race "two warps of one block"
// Without the barrier a thread may read the tile before the other has written.
extern "C" __global__ void odd_part(const float *x, float *y, int n) {
    __shared__ float tile[256];
    int base = blockIdx.x * 256, length = min(256, n - base), t = threadIdx.x;
    if (t < length) tile[t] = x[base + t];
    if (t < length) y[base + t] = tile[t] - tile[length - 1 - t];
}
