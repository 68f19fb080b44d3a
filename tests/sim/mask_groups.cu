// Lanes of one shuffle with 31 different masks, each of which only its own lanes must come for.
// launch: grid 1000 block 32
// arg: out u32[32] = 0
// expect: out = 1000 2000 3000 4000 5000 6000 7000 8000 9000 10000 11000 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000 24000 25000 26000 27000 28000 29000 30000 31000 31000
extern "C" __global__ void mask_groups(unsigned *out) {
    unsigned lane = threadIdx.x, key = lane == 31 ? 30 : lane;
    unsigned group = __match_any_sync(0xffffffffu, key), from = 0;
    for (int round = 0; round < 4; round++) from = __shfl_sync(group, lane + 1, __ffs(group) - 1);
    atomicAdd(&out[lane], from);
}
