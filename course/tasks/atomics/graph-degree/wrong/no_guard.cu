// fails: fault
extern "C" __global__ void spread(const int *from, const int *to, const float *weight, int *degree, float *inflow, int edges,
                                  int nodes) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&degree[from[e]], 1);
    atomicAdd(&inflow[to[e]], weight[e]);
}
