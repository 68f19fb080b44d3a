// fails: result
// Counts arrivals and sums departures.
extern "C" __global__ void spread(const int *from, const int *to, const float *weight, int *degree, float *inflow, int edges,
                                  int nodes) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    atomicAdd(&degree[to[e]], 1);
    atomicAdd(&inflow[from[e]], weight[e]);
}
