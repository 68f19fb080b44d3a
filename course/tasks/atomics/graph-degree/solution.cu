extern "C" __global__ void spread(const int *from, const int *to,
                                  const float *weight, int *degree,
                                  float *inflow, int edges, int nodes) {
    // kz: begin
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    atomicAdd(&degree[from[e]], 1);
    atomicAdd(&inflow[to[e]], weight[e]);
    // kz: starter
    //|     // One edge for each thread, two atomic updates.
    // kz: end
}
