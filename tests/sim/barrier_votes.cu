// __syncthreads_count, _and, _or; named barriers with a count by inline PTX.
// launch: block 128
// arg: out s32[4] = 0
// expect: out = 43 0 1 77
extern "C" __global__ void votes(int *out) {
    int t = threadIdx.x;
    int count = __syncthreads_count(t % 3 == 0), every = __syncthreads_and(t < 127),
        some = __syncthreads_or(t == 5);
    __shared__ volatile int box;
    if (t < 64) {
        if (t == 0) box = 77;
        asm volatile("bar.arrive 3, 128;");
    } else {
        asm volatile("bar.sync 3, 128;");
        if (t == 64) out[3] = box;
    }
    if (t == 0) {
        out[0] = count;
        out[1] = every;
        out[2] = some;
    }
}
