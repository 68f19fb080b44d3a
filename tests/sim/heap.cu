// Device malloc and free; no bytes have an address, more than the heap gives NULL.
// launch: grid 2 block 33
// arg: out s32[66] = 0
// arg: big s32[1] = 0
// expect: out = 7 ...
// expect: big = 1
extern "C" __global__ void heap(int *out, int *big) {
    int *p = (int *)malloc(100);
    p[24] = 7;
    out[blockIdx.x * blockDim.x + threadIdx.x] = p[24];
    free(p);
    void *empty = malloc(0);
    if (!empty) out[0] = 0;
    free(empty);
    if (threadIdx.x == 0) *big = malloc(1ull << 40) == nullptr;
}
