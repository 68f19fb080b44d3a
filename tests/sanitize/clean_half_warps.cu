// Half warps meet and read what their own half wrote.
// launch: grid 1 block 32
// arg: in s32[32] = 1 2
// arg: out s32[32] = 0
// seeds: 2
extern "C" __global__ void clean_half_warps(const int *in, int *out) {
    __shared__ int kept[32];
    int t = threadIdx.x;
    kept[t] = in[t];
    __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
    out[t] = kept[t ^ 15];
}
