// fails: gate atomic_conflicts
// Exact, and every thread goes to memory.
extern "C" __global__ void exact_sum(const float *x, long long *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd((unsigned long long *)total, (unsigned long long)llrintf(x[i] * 4294967296.0f));
}
