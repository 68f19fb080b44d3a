// fails: source "nobody can see"
// The instruction itself.
static __device__ float read(const float *p) {
    float value;
    asm("ld.global.cv.f32 %0, [%1];" : "=f"(value) : "l"(p));
    return value;
}
extern "C" __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * read(&x[i]);
}
