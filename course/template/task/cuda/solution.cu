// y[i] = 2 * x[i], one thread per element.
extern "C" __global__ void @FUNCTION@(const float *x, float *y, int n) {
    // kz: begin
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
    // kz: starter
    //|     // Compute this thread's index, and write its element of y.
    // kz: end
}
