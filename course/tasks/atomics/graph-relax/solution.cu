extern "C" __global__ void relax(const int *from, const int *to,
                                 const int *length, const int *before,
                                 int *distance, int *changed, int edges,
                                 int nodes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // kz: begin
    if (i < nodes) atomicMin(&distance[i], before[i]);
    if (i < edges) {
        int offer = before[from[i]] + length[i];
        atomicMin(&distance[to[i]], offer);
        if (offer < before[to[i]]) atomicExch(changed, 1);
    }
    // kz: starter
    //|     // Node i offers its own old distance, edge i its way.
    //|     (void)i;
    // kz: end
}
