// Neighbouring bytes, one off.
// launch: grid 1 block 64
// arg: out u8[128] = 0
// expect finding: race "bytes":1
// seeds: 2
extern "C" __global__ void race_bytes(unsigned char *out) {
    __shared__ unsigned char bytes[64];
    __shared__ short halves[64];
    int t = threadIdx.x;
    bytes[t] = t;
    halves[t] = t;
    out[t] = bytes[t ^ 1];
    out[64 + t] = halves[t];
}
