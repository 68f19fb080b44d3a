// launch: block 33
// arg: out s32[33] = 0
// expect fault: just past the end of tile
extern "C" __global__ void one_past(int *out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[32 - threadIdx.x];
}
