// A function's own variable, though an earlier call left something on the stack there.
// launch: grid 1 block 32
// arg: n s32 = 3
// arg: out s32[32] = 0
// expect finding: undefined-output local array
static __device__ __noinline__ int pick(int n, int fill) {
    int table[8];
    for (int i = 0; i < fill; i++) table[i] = i;
    return table[n & 7];
}
extern "C" __global__ void undefined_call(int n, int *out) {
    int first = pick(n, 8);
    out[threadIdx.x] = first + pick(n, n);
}
