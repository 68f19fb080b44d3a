// fails: result
// 255 - t is right in full blocks only; in the last one it reads uninitialised words.
extern "C" __global__ void odd_part(const float *x, float *y, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
    tile[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = tile[t] - tile[255 - t];
}
