// Lanes that reach a shuffle and a __syncwarp from different places in the program meet by mask.
// launch: block 32
// arg: out s32[32] = -1
// expect: out = 116 117 118 119
extern "C" __global__ void apart(int *out) {
    int lane = threadIdx.x, value;
    if (lane < 16) {
        value = __shfl_xor_sync(0xffffffffu, lane, 16) + 100;
    } else {
        out[lane] = lane * 3;
        value = __shfl_xor_sync(0xffffffffu, lane, 16) + 200;
    }
    out[lane] = value;
}
