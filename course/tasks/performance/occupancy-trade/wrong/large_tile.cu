// fails: gate occupancy
// A little smaller is not enough.
// kz: grid ceil(n/6144)
// kz: block 128
#define TILE 6144
#define EDGE 16

extern "C" __global__ void box_sum(const float *x, float *y, int n) {
    __shared__ float tile[TILE + 2 * EDGE];
    int first = blockIdx.x * TILE;
    for (int k = threadIdx.x; k < TILE + 2 * EDGE; k += blockDim.x) {
        int i = first - EDGE + k;
        tile[k] = i >= 0 && i < n ? x[i] : 0.0f;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < TILE && first + k < n; k += blockDim.x) {
        float sum = 0.0f;
        for (int d = 0; d <= 2 * EDGE; d++) sum += tile[k + d];
        y[first + k] = sum;
    }
}
