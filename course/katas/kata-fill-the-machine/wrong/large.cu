// fails: gate threads
// Fills it, with up to 1023 threads idle.
// kz: block 1024
// kz: grid ceil(n/1024)
extern "C" __global__ void tone(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
