// Lanes write different values to one place at once.
// launch: grid 1 block 32
// arg: out s32[1] = 0
// expect finding: race the same instruction
extern "C" __global__ void race_same_instruction(int *out) { out[0] = threadIdx.x; }
