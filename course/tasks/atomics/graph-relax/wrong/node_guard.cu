// fails: result
// Returns if there is no node, though there may be an edge.
extern "C" __global__ void relax(const int *from, const int *to, const int *length, const int *before, int *distance, int *changed,
                                 int edges, int nodes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes) return;
    atomicMin(&distance[i], before[i]);
    if (i < edges) {
        int offer = before[from[i]] + length[i];
        atomicMin(&distance[to[i]], offer);
        if (offer < before[to[i]]) atomicExch(changed, 1);
    }
}
