// One element of a local array is left out.
// launch: grid 1 block 32
// arg: n s32 = 5
// arg: out s32[32] = 0
// expect finding: undefined-output local array
extern "C" __global__ void undefined_local(int n, int *out) {
    int table[8];
    for (int i = 0; i < 8; i++)
        if (i != n) table[i] = i + threadIdx.x;
    out[threadIdx.x] = table[(n + out[threadIdx.x]) & 7];
}
