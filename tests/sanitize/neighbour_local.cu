// The same in local memory: a thread's arrays lie side by side.
// launch: grid 1 block 32
// arg: out s32[32] = 0
// arg: n s32 = -1
// expect finding: out-of-bounds an access to a local array of 32 bytes, 4 bytes before its beginning
extern "C" __global__ void neighbour_local(int *out, int n) {
    int a[8], b[8];
    for (int i = 0; i < 8; i++) a[i] = i, b[i] = n;
    b[n] = 5;
    out[threadIdx.x] = a[threadIdx.x % 8] + b[(threadIdx.x + 1) % 8];
}
