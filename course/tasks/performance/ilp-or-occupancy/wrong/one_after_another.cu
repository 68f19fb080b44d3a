// fails: gate loads
// Four elements, but four chains one after another: nothing is shared, nothing overlaps.
// kz: grid ceil(n/1024)
// kz: block 256
#define EACH 4

extern "C" __global__ void polynomial(const float *x, const float *c, float *y, int n, int degree) {
    int first = blockIdx.x * blockDim.x * EACH + threadIdx.x; // and every blockDim.x-th after it
    float v[EACH], sum[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int i = first + e * blockDim.x;
        v[e] = i < n ? x[i] : 0.0f;
        sum[e] = 0.0f;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        for (int k = degree; k >= 0; k--) sum[e] = sum[e] * v[e] + ((volatile const float *)c)[k];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int i = first + e * blockDim.x;
        if (i < n) y[i] = sum[e];
    }
}
