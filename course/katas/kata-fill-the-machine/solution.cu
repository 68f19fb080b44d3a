// kz: begin
// kz: block 64
// kz: grid ceil(n/64)
// kz: starter
//| // kz: block 32
//| // kz: grid ceil(n/32)
// kz: end

extern "C" __global__ void tone(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
