// Half the block waits at a barrier that the other half never reaches.
// kz: block 256
// kz: grid 1
// family: vector_add
// case: add-f32-n1024-uniform
// exit: 4
// expect: barrier

extern "C" __global__ void stuck_barrier_add_f32(const float *x, const float *y, float *z, size_t n) {
    if (threadIdx.x < 128) asm volatile("bar.sync 1, 256;");
    for (size_t i = threadIdx.x; i < n; i += 256) z[i] = x[i] + y[i];
}
