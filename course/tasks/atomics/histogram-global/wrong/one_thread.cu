// fails: gate lanes_per_instruction
// One thread of the whole grid counts, and needs no atomic.
extern "C" __global__ void histogram(const int *keys, int *counts, int n, int bins) {
    if (blockIdx.x || threadIdx.x) return;
    for (int i = 0; i < n; i++) counts[keys[i]]++;
}
