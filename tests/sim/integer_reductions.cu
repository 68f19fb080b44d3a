// Integer atomics without a result stay on all cores: their order does not show.
// launch: grid 300 block 96
// arg: sum u32[4] = 0 0 0 4294967295
// expect: sum = 28800 414705600 28799 0
extern "C" __global__ void integer_reductions(unsigned *sum) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sum[0], 1);
    atomicAdd(&sum[1], i);
    atomicMax(&sum[2], i);
    atomicAnd(&sum[3], ~(1u << i % 32));
}
