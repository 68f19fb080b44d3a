// Bytes and halves of one word belong to different threads.
// launch: grid 1 block 64
// arg: out u8[128] = 0
// seeds: 2
extern "C" __global__ void clean_bytes(unsigned char *out) {
    __shared__ unsigned char bytes[64];
    __shared__ short halves[64];
    int t = threadIdx.x;
    bytes[t] = t;
    halves[t] = t;
    out[t] = bytes[t];
    out[64 + t] = halves[t];
}
