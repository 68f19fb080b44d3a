// 31 strides lead around the whole address space and end beside the first lane: the lanes between are outside.
// launch: grid 1 block 32
// arg: out u32[32] = 0
// expect fault: thread (1,0,0)
// expect fault: load of 4 bytes
__global__ void stride_wraps(unsigned *out) {
    unsigned long long stride = 4 * 0xef7bdef7bdef7bdfull; // 31 of them: 4
    unsigned *mine = (unsigned *)((unsigned long long)out + threadIdx.x * stride);
    out[threadIdx.x] = *mine;
}
