// kz: begin
// kz: grid ceil(n/1024)
// kz: block 256
#define EACH 4
// kz: starter
//| // kz: grid ceil(n/256)
//| // kz: block 256
// kz: end

extern "C" __global__ void polynomial(const float *x, const float *c,
                                      float *y, int n, int degree) {
    // kz: begin
    // and every blockDim.x-th after it
    int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
    float v[EACH], sum[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int i = first + e * blockDim.x;
        v[e] = i < n ? x[i] : 0.0f;
        sum[e] = 0.0f;
    }
    for (int k = degree; k >= 0; k--) {
        float coefficient = c[k];
#pragma unroll
        for (int e = 0; e < EACH; e++) sum[e] = sum[e] * v[e] + coefficient;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int i = first + e * blockDim.x;
        if (i < n) y[i] = sum[e];
    }
    // kz: starter
    //|     // One element, one chain for each thread. Make it four, with a
    //|     // quarter of the threads.
    //|     int i = blockIdx.x * blockDim.x + threadIdx.x;
    //|     if (i >= n) return;
    //|     float v = x[i], sum = 0.0f;
    //|     for (int k = degree; k >= 0; k--) sum = sum * v + c[k];
    //|     y[i] = sum;
    // kz: end
}
