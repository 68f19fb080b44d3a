// Data and flag are volatile: no race by the letter, but nothing orders the data either.
// launch: grid 2 block 32
// arg: data s32[1] = 0
// arg: flag s32[1] = 0
// arg: out s32[1] = 0
// expect finding: race-publication nothing releases the data
// seeds: 2
extern "C" __global__ void publish_volatile(volatile int *data, volatile int *flag, int *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        *data = 42;
        *flag = 1;
    } else {
        while (*flag == 0) {}
        *out = *data;
    }
}
