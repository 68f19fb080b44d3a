// fails: gate load_sectors
// A thread's elements are neighbours: the lanes of a warp read 16 bytes apart.
// kz: grid ceil(n/1024)
// kz: block 256
#define EACH 4

extern "C" __global__ void polynomial(const float *x, const float *c, float *y, int n, int degree) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH; // and every blockDim.x-th after it
    float v[EACH], sum[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int i = first + e;
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
        int i = first + e;
        if (i < n) y[i] = sum[e];
    }
}
