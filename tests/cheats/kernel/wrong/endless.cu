// fails: timeout "go round in a loop"
// Never ends. The store is volatile and always another: without that, the loop is empty, which is told as soon as
// it is seen, and on a slow machine the time is over before.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float *to = y + (r < rows ? r : 0);
    for (unsigned i = 0;; i++) *to = (float)(i % 1000);
}
