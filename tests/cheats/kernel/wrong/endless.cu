// fails: timeout "go round in a loop"
// Ends after 2^64 rounds. The store is volatile and always another, and there is a way out: without them the loop is told
// as endless as soon as it is seen, and on a slow machine the time is over before.
extern "C" __global__ void weigh(const float *x, const float *w, float *y, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float *to = y + (r < rows ? r : 0);
    for (unsigned long long i = 1; i; i++) *to = (float)(i % 1000);
}
