// An index past a shared array hits the next array: no fault, and a wrong result.
// launch: grid 1 block 16
// arg: out s32[16] = 0
// arg: n s32 = 16
// expect finding: out-of-bounds an access to shared array a of 64 bytes, just past its end, hits its neighbour
extern "C" __global__ void neighbour_shared(int *out, int n) {
    __shared__ int a[16], b[16];
    int t = threadIdx.x;
    a[t] = t;
    b[t] = -t;
    __syncthreads();
    if (t == 0) a[n] = 9;
    __syncthreads();
    out[t] = a[15 - t] + b[15 - t];
}
