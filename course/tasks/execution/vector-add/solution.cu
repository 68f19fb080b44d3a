// One thread per element, in blocks of 256.

extern "C" __global__ void vector_add(const float *x, const float *y,
                                      float *z, int n) {
    // kz: begin
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
    // kz: starter
    //|     int i = 0; // 1. the number of this thread's element: replace the 0
    //|     // 2. if there is an element i, write x[i] + y[i] into z[i]
    // kz: end
}
