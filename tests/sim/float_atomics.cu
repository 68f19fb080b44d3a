// Float atomics from many blocks: their order shows in the last bits, and may not depend on host threads.
// launch: grid 200 block 64
// arg: sum f32[1] = 0
// arg: order u32[1] = 0
// expect: order = 12800
extern "C" __global__ void float_atomics(float *sum, unsigned *order) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, 1.0f / (1.0f + i));
    atomicAdd(order, 1);
}
