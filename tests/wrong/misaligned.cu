// Loads 16 bytes at a time whatever the address is.
// kz: block 256
// kz: grid ceil(n/1024)
// family: vector_add
// case: add-f32-n4096-uniform-misalign1
// exit: 4
// expect: misaligned.cu:13
// expect: align

extern "C" __global__ void misaligned_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4) return;
    float4 a = ((const float4 *)x)[i], b = ((const float4 *)y)[i];
    ((float4 *)z)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
