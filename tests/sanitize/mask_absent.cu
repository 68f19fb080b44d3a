// Half of the warp waits for lanes that go past and on.
// launch: grid 1 block 32
// arg: out s32[32] = 0
// expect finding: mask-absent "severity":"error"
// seeds: 2
extern "C" __global__ void mask_absent(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x, v = t;
    s[t] = t;
    if (t < 16) {
        __syncwarp();
        v = s[t ^ 1];
    }
    out[t] = v;
}
