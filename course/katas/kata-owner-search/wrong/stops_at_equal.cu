// fails: result
// Takes the first row that it finds at this offset, which may be empty.
extern "C" __global__ void owners(const int *offsets, int *owner, int rows, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = 0, high = rows; // always: offsets[low] <= i < offsets[high]
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (offsets[middle] == i) {
            low = middle;
            break;
        }
        if (offsets[middle] < i)
            low = middle;
        else
            high = middle;
    }
    owner[i] = low;
}
