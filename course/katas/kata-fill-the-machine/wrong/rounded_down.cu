// fails: result
// Rounds the number of blocks down: the rest is left out.
// kz: block 64
// kz: grid max(1,floor(n/64))
extern "C" __global__ void tone(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
