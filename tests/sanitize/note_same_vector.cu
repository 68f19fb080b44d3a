// Threads store the same vector where others read single bytes: a note, as for a word.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// expect finding: race-same-value "severity":"note"
// expect: out = 2 1 2 1
// seeds: 2
extern "C" __global__ void note_same_vector(int *out) {
    __shared__ int4 box[1];
    const volatile unsigned char *bytes = (const volatile unsigned char *)box;
    if (threadIdx.x == 0) box[0] = make_int4(0, 0, 0, 0);
    __syncthreads();
    int first = bytes[13];
    __syncthreads();
    box[0] = make_int4(first, 1, 2, 3);
    __syncthreads();
    out[threadIdx.x] = threadIdx.x & 1 ? bytes[4] : bytes[8];
}
