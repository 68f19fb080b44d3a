// fails: gate lanes_per_instruction
// kz: grid 1
// kz: block 1
// One thread, which needs no atomic.
extern "C" __global__ void spread(const int *from, const int *to, const float *weight, int *degree, float *inflow,
                                  int edges, int nodes) {
    for (int e = 0; e < edges; e++) degree[from[e]]++, inflow[to[e]] += weight[e];
}
