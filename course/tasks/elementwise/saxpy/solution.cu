// y = a * x + y, in place.

extern "C" __global__ void saxpy(const float *x, float *y, float a, int n) {
    // kz: begin
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
    // kz: starter
    //|     // The index, the guard, the update.
    // kz: end
}
