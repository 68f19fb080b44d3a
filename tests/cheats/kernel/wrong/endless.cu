// fails: timeout "go round in a loop"
// Never ends.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = 0;; i += 2) y[r < rows ? r : 0] = (float)i;
}
