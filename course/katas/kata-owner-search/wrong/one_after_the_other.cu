// fails: gate loads
// Right, but looks at every row.
extern "C" __global__ void owners(const int *offsets, int *owner, int rows, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = 0;
    while (offsets[low + 1] <= i) low++;
    owner[i] = low;
}
