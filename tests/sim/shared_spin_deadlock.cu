// Every block waits for a word of its own shared memory that nobody writes: found with any number of threads.
// launch: grid 4 block 32
// arg: out s32[1] = 0
// expect fault: deadlock in kernel stuck
// expect fault: go round in a loop
extern "C" __global__ void stuck(int *out) {
    __shared__ volatile int flag;
    flag = 0;
    __syncthreads();
    while (flag == 0) {}
    *out = 1;
}
